// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// More calls than the server takes (G03), long work (G04), idle streams (G11), clients that do
// not read.
#include <algorithm>
#include <chrono>
#include <future>
#include <list>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "service/harness.h"

namespace ikstream {
namespace {

using grpc::StatusCode;
using std::chrono::milliseconds;
using testing::Counts;
using testing::Eventually;
using testing::FakeRequest;
using testing::TestOptions;
using testing::TestServer;
using Clock = std::chrono::steady_clock;

// A Solve in flight.
struct Flight {
  grpc::ClientContext context;
  v1::SolveRequest request;
  v1::SolveResponse response;
  std::promise<grpc::Status> done;
};

// As many Solve calls at once.
std::vector<grpc::Status> SolveAtOnce(TestServer& server, int calls, const std::string& profile,
                                      std::list<Flight>& flights) {
  for (int i = 0; i < calls; ++i) {
    Flight& flight = flights.emplace_back();
    testing::SetPatience(flight.context);
    flight.request = FakeRequest(i % 7 + 1, profile);
    server.stub().async()->Solve(
        &flight.context, &flight.request, &flight.response,
        [&flight](const grpc::Status& s) { flight.done.set_value(s); });
  }
  std::vector<grpc::Status> ends;
  for (Flight& flight : flights) ends.push_back(flight.done.get_future().get());
  return ends;
}

TEST(OverloadTest, AFullQueueRefusesWithADelayAndServesTheOthers) {
  Options options = TestOptions();
  options.queue_capacity = 16;
  TestServer server(options);
  std::list<Flight> flights;
  const auto ends = SolveAtOnce(server, 200, "work_ms=5", flights);
  int served = 0, refused = 0;
  auto flight = flights.begin();
  for (const grpc::Status& end : ends) {
    if (end.ok()) {
      ++served;
      EXPECT_EQ(flight->response.motion().frame_count(),
                flight->request.motion().root_positions_size() / 3);
    } else {
      ++refused;
      google::rpc::RetryInfo retry;
      google::rpc::ErrorInfo info;
      ASSERT_EQ(end.error_code(), StatusCode::RESOURCE_EXHAUSTED) << end.error_message();
      ASSERT_TRUE(testing::DetailOf(end, retry) && testing::DetailOf(end, info));
      EXPECT_GT(retry.retry_delay().nanos(), 0);
      EXPECT_EQ(info.reason(), "QUEUE_FULL");
      EXPECT_EQ(info.metadata().at("limit"), "16");
      EXPECT_GT(
          std::atoi(testing::TrailerOf(flight->context, "grpc-retry-pushback-ms").c_str()), 0);
      EXPECT_TRUE(flight->context.GetServerInitialMetadata().empty());
    }
    ++flight;
  }
  EXPECT_GE(served, 16);
  EXPECT_GT(refused, 0);
  EXPECT_EQ(server.Metric("ikstream_rejected_total{reason=\"queue_full\"}"), refused);
  EXPECT_EQ(server.Metric("ikstream_rpc_handled_total{code=\"OK\",method=\"Solve\"}"), served);
}

TEST(OverloadTest, StreamsAboveTheLimitAreRefused) {
  Options options = TestOptions();
  options.service.max_streams = 2;
  TestServer server(options);
  std::list<grpc::ClientContext> contexts;
  std::vector<std::unique_ptr<
      grpc::ClientReaderWriter<v1::SolveStreamRequest, v1::SolveStreamResponse>>>
      streams;
  v1::SolveStreamResponse response;
  for (int i = 0; i < 2; ++i) {
    streams.push_back(server.stub().SolveStream(&contexts.emplace_back()));
    streams.back()->Write(testing::SetupMessage());
    ASSERT_TRUE(streams.back()->Read(&response));
  }
  grpc::ClientContext refused, clip;
  const grpc::Status status = server.stub().SolveStream(&refused)->Finish();
  EXPECT_EQ(status.error_code(), StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_GT(std::atoi(testing::TrailerOf(refused, "grpc-retry-pushback-ms").c_str()), 0);
  EXPECT_EQ(server.stub().SolveClip(&clip, {})->Finish().error_code(),
            StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(server.Metric("ikstream_rejected_total{reason=\"streams_full\"}"), 2);
  for (auto& stream : streams) {
    stream->WritesDone();
    while (stream->Read(&response)) {
    }
    EXPECT_TRUE(stream->Finish().ok());
  }
  EXPECT_TRUE(Eventually([&] { return server.Metric("ikstream_active_streams") == 0; }));
}

TEST(OverloadTest, ADeadlineFreesTheWorkerWithinMilliseconds) {
  TestServer server;
  auto best = Clock::duration::max();
  for (int i = 0; i < 5; ++i) {
    grpc::ClientContext context;
    const auto deadline = Clock::now() + milliseconds(50);
    context.set_deadline(std::chrono::system_clock::now() + milliseconds(50));
    v1::SolveResponse response;
    server.stub().Solve(&context, FakeRequest(1, "work_ms=10000"), &response);
    ASSERT_TRUE(Eventually([] { return Counts().working == 0; }));
    best = std::min(best, Counts().last_worked.load() - deadline);
  }
  EXPECT_LE(best, milliseconds(5));
}

TEST(OverloadTest, IdleStreamsDoNotHoldUpCalls) {
  TestServer server;
  std::list<grpc::ClientContext> contexts;
  std::vector<std::unique_ptr<
      grpc::ClientReaderWriter<v1::SolveStreamRequest, v1::SolveStreamResponse>>>
      streams;
  v1::SolveStreamResponse ready;
  for (int i = 0; i < 64; ++i) {
    streams.push_back(server.stub().SolveStream(&contexts.emplace_back()));
    streams.back()->Write(testing::SetupMessage());
    ASSERT_TRUE(streams.back()->Read(&ready));
  }
  EXPECT_EQ(server.Metric("ikstream_active_streams"), 64);
  const auto begin = Clock::now();
  EXPECT_TRUE(testing::Solve(server.stub(), FakeRequest(1)).ok());
  EXPECT_LT(Clock::now() - begin, milliseconds(500));
  for (auto& context : contexts) context.TryCancel();
  for (auto& stream : streams) EXPECT_EQ(stream->Finish().error_code(), StatusCode::CANCELLED);
}

// The client writes until flow control stops it; the server must have stopped reading.
TEST(OverloadTest, AClientThatDoesNotReadIsHeldBack) {
  Options options = TestOptions();
  options.service.max_output_bytes = 1 << 18;
  TestServer server(options);
  grpc::ClientContext context;
  auto stream = server.stub().SolveStream(&context);
  stream->Write(testing::SetupMessage());
  std::atomic<int> written{0};
  std::thread writer([&stream, &written] {
    while (written < 100'000 && stream->Write(testing::MotionMessage(1000))) ++written;
  });
  int before = -1;
  EXPECT_TRUE(Eventually([&] {
    const int now = written;
    std::this_thread::sleep_for(milliseconds(300));
    return now > 0 && std::exchange(before, now) == now;
  }));
  EXPECT_LT(written, 5000);
  const double held = server.Metric(
      "ikstream_message_bytes_total{direction=\"received\",method=\"SolveStream\"}");
  EXPECT_LT(held, 16e6);
  context.TryCancel();
  writer.join();
  EXPECT_EQ(stream->Finish().error_code(), StatusCode::CANCELLED);
}

}  // namespace
}  // namespace ikstream
