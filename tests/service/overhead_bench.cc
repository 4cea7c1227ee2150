// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// usage: service_bench [SECONDS]
// What a call costs beside its solve: calls and frames per second over loopback with an engine
// that solves nothing, client and server in one process.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

#include "service/harness.h"

namespace ikstream {
namespace {

using Clock = std::chrono::steady_clock;

// Runs `once` on `threads` threads for `seconds`; returns how often it ran per second.
double Rate(int threads, double seconds, const std::function<void()>& once) {
  std::atomic<std::int64_t> count{0};
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t) {
    running.emplace_back([&] {
      for (; Clock::now() < end; ++count) once();
    });
  }
  for (std::thread& thread : running) thread.join();
  return static_cast<double>(count) / seconds;
}

// Batches of one stream that keeps one batch ahead, per second.
double StreamRate(v1::IkService::Stub& stub, int frames, double seconds) {
  grpc::ClientContext context;
  auto stream = stub.SolveStream(&context);
  stream->Write(testing::SetupMessage());
  v1::SolveStreamResponse response;
  stream->Read(&response);
  const v1::SolveStreamRequest batch = testing::MotionMessage(frames);
  stream->Write(batch);
  const double rate = Rate(1, seconds, [&] {
    stream->Write(batch);
    stream->Read(&response);
  });
  context.TryCancel();
  stream->Finish();
  return rate;
}

void Run(double seconds) {
  testing::TestServer server;
  const v1::SolveRequest request = testing::FakeRequest(1);
  for (const int threads : {1, 4, 16}) {
    const double rate = Rate(threads, seconds, [&] { testing::Solve(server.stub(), request); });
    std::printf("Solve, %2d at once: %8.0f calls/s\n", threads, rate);
  }
  for (const int frames : {1, 100}) {
    std::printf("SolveStream, batches of %3d frames: %8.0f batches/s\n", frames,
                StreamRate(server.stub(), frames, seconds));
  }
}

}  // namespace
}  // namespace ikstream

int main(int argc, char** argv) { ikstream::Run(argc > 1 ? std::atof(argv[1]) : 2); }
