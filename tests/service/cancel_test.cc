// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Clients that go away: cancelled calls (G05), killed clients (G06). Run under the address
// sanitizer, too.
#include <cstdlib>
#include <fstream>
#include <string>

#include "gtest/gtest.h"
#include "service/harness.h"
#include "service/wire.h"

namespace ikstream {
namespace {

using testing::Counts;
using testing::Eventually;
using testing::TestServer;

// More on request: IKSTREAM_TEST_ROUNDS=1000.
int Rounds() {
  const char* const text = std::getenv("IKSTREAM_TEST_ROUNDS");
  return text != nullptr ? std::atoi(text) : 200;
}

double ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  double size = 0, resident = 0;
  file >> size >> resident;
  return resident * 4096;
}

bool AllGone(TestServer& server) {
  return Eventually([&server] {
    return Counts().sessions == 0 && server.server().pool().stats().waiting == 0 &&
           server.Metric("ikstream_active_streams") == 0 &&
           server.Metric("ikstream_active_calls") == 0;
  });
}

// One stream up to its first answer, with work for a minute.
void StartStream(v1::IkService::Stub& stub, grpc::ClientContext& context) {
  auto stream = stub.SolveStream(&context);
  stream->Write(testing::SetupMessage("work_ms=60000"));
  v1::SolveStreamResponse ready;
  stream->Read(&ready);
  stream->Write(testing::MotionMessage(100));
  context.TryCancel();
  stream->Finish();
}

TEST(CancelTest, StreamsCancelledAfterOneMessageLeaveNothing) {
  TestServer server;
  for (int i = 0; i < Rounds(); ++i) {
    grpc::ClientContext context;
    StartStream(server.stub(), context);
  }
  EXPECT_TRUE(AllGone(server));
  EXPECT_EQ(server.Metric("ikstream_cancelled_total{method=\"SolveStream\"}"), Rounds());
}

TEST(CancelTest, UnaryCallsCancelledAtAnyTimeLeaveNothing) {
  TestServer server;
  for (int i = 0; i < Rounds(); ++i) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::microseconds(50 * i));
    v1::SolveResponse response;
    server.stub().Solve(&context, testing::FakeRequest(1, "work_ms=60000"), &response);
  }
  EXPECT_TRUE(AllGone(server));
}

// A client on a wire of its own that is cut in the middle of a stream.
void KilledClient(int port) {
  testing::Wire wire(port);
  auto stub = v1::IkService::NewStub(testing::NewChannel(wire.target()));
  grpc::ClientContext context;
  testing::SetPatience(context);
  auto stream = stub->SolveStream(&context);
  stream->Write(testing::SetupMessage("work_ms=60000"));
  v1::SolveStreamResponse ready;
  stream->Read(&ready);
  stream->Write(testing::MotionMessage(10'000));
  wire.Cut();
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
}

// The address sanitizer keeps 256 MB of what was freed aside, to see it touched.
#ifdef __SANITIZE_ADDRESS__
constexpr double kMostGrowth = 32e6 + 256 * (1 << 20);
#else
constexpr double kMostGrowth = 32e6;
#endif

TEST(CancelTest, KilledClientsLeaveNothingAndMemoryDoesNotGrow) {
  TestServer server;
  for (int i = 0; i < 50; ++i) KilledClient(server.server().port());
  ASSERT_TRUE(AllGone(server));
  const double before = ResidentBytes();
  for (int i = 0; i < Rounds(); ++i) KilledClient(server.server().port());
  EXPECT_TRUE(AllGone(server));
  EXPECT_LT(ResidentBytes() - before, kMostGrowth);
  EXPECT_TRUE(testing::Solve(server.stub(), testing::FakeRequest(1)).ok());
}

}  // namespace
}  // namespace ikstream
