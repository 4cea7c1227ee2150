// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// A server that ends its service.
#include <chrono>
#include <thread>

#include "gtest/gtest.h"
#include "service/harness.h"
#include "service/watch.h"

namespace ikstream {
namespace {

using grpc::StatusCode;
using std::chrono::milliseconds;
using testing::Counts;
using testing::Eventually;
using testing::TestOptions;
using testing::TestServer;
using Clock = std::chrono::steady_clock;

TEST(DrainTest, AStreamEndsAtABatchBoundaryWithTheFramesDone) {
  TestServer server;
  grpc::ClientContext context;
  auto stream = server.stub().SolveStream(&context);
  stream->Write(testing::SetupMessage("work_ms=100"));
  stream->Write(testing::MotionMessage(5));
  ASSERT_TRUE(Eventually([] { return Counts().working == 1; }));
  std::thread draining([&server] { server.server().Drain(); });
  v1::SolveStreamResponse response;
  std::int64_t frames = 0;
  while (stream->Read(&response)) frames += response.motion().frame_count();
  const grpc::Status status = stream->Finish();
  draining.join();
  google::rpc::ErrorInfo info;
  EXPECT_EQ(status.error_code(), StatusCode::UNAVAILABLE);
  ASSERT_TRUE(testing::DetailOf(status, info));
  EXPECT_EQ(info.reason(), "DRAINING");
  EXPECT_EQ(info.metadata().at("frames_done"), "5");
  EXPECT_EQ(frames, 5);
}

TEST(DrainTest, UnaryCallsInProgressAreAnswered) {
  TestServer server;
  grpc::Status status;
  std::thread calling(
      [&] { status = testing::Solve(server.stub(), testing::FakeRequest(1, "work_ms=200")); });
  ASSERT_TRUE(Eventually([] { return Counts().working == 1; }));
  server.server().Drain();
  calling.join();
  EXPECT_TRUE(status.ok()) << status.error_message();
}

TEST(DrainTest, CallsAreServedWhileNotServingSpreads) {
  Options options = TestOptions();
  options.drain_propagation_seconds = 0.5;
  TestServer server(options);
  std::thread draining([&server] { server.server().Drain(); });
  EXPECT_TRUE(Eventually([&server] {
    return testing::CheckHealth(server.channel(), "") == testing::kNotServing;
  }));
  EXPECT_EQ(
      testing::HttpGet(server.server().metrics_port(), "/readyz").rfind("HTTP/1.1 503 ", 0), 0);
  EXPECT_EQ(server.Metric("ikstream_draining"), 1);
  EXPECT_TRUE(testing::Solve(server.stub(), testing::FakeRequest(1)).ok());
  draining.join();
  EXPECT_EQ(testing::Solve(server.stub(), testing::FakeRequest(1)).error_code(),
            StatusCode::UNAVAILABLE);
}

TEST(DrainTest, WorkThatOutlastsTheDrainIsStopped) {
  Options options = TestOptions();
  options.drain_seconds = 0.1;
  TestServer server(options);
  grpc::Status status;
  std::thread calling([&] {
    status = testing::Solve(server.stub(), testing::FakeRequest(1, "work_ms=60000"));
  });
  ASSERT_TRUE(Eventually([] { return Counts().working == 1; }));
  const auto begin = Clock::now();
  server.server().Drain();
  EXPECT_LT(Clock::now() - begin, milliseconds(2000));
  calling.join();
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(Counts().sessions, 0);
}

TEST(DrainTest, AnIdleServerEndsAtOnce) {
  TestServer server;
  ASSERT_TRUE(testing::Solve(server.stub(), testing::FakeRequest(1)).ok());
  const auto begin = Clock::now();
  server.server().Drain();
  EXPECT_LT(Clock::now() - begin, milliseconds(500));
}

}  // namespace
}  // namespace ikstream
