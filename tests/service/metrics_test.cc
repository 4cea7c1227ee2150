// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include <regex>
#include <sstream>
#include <string>

#include "gtest/gtest.h"
#include "service/harness.h"

namespace ikstream {
namespace {

using testing::FakeRequest;
using testing::TestServer;

TEST(MetricsTest, ACallIsCountedFromBeginToEnd) {
  TestServer server;
  const char* const kZeroFirst[] = {
      "ikstream_rpc_started_total{method=\"Solve\"}",
      "ikstream_rpc_handled_total{code=\"OK\",method=\"Solve\"}",
      "ikstream_rpc_seconds_count{method=\"Solve\"}",
      "ikstream_first_response_seconds_count{method=\"Solve\"}",
      "ikstream_queue_wait_seconds_count{priority=\"interactive\"}",
      "ikstream_batch_frames_count{method=\"Solve\"}",
      "ikstream_encode_seconds_count",
  };
  for (const char* series : kZeroFirst) EXPECT_EQ(server.Metric(series), 0) << series;
  ASSERT_TRUE(testing::Solve(server.stub(), FakeRequest(10)).ok());
  for (const char* series : kZeroFirst) EXPECT_EQ(server.Metric(series), 1) << series;
}

TEST(MetricsTest, FramesAreWeighedByTheirNumber) {
  TestServer server;
  ASSERT_TRUE(testing::Solve(server.stub(), FakeRequest(10)).ok());
  EXPECT_EQ(server.Metric("ikstream_frames_total{outcome=\"converged\",solver=\"ccd\"}"), 10);
  EXPECT_EQ(server.Metric("ikstream_frames_total{outcome=\"limited\",solver=\"ccd\"}"), 0);
  EXPECT_EQ(server.Metric("ikstream_solve_seconds_per_frame_count"), 10);
  EXPECT_NEAR(server.Metric("ikstream_solve_seconds_per_frame_sum"), 10e-6, 1e-9);
  EXPECT_EQ(server.Metric("ikstream_iterations_count{solver=\"ccd\"}"), 10);
  EXPECT_EQ(server.Metric("ikstream_iterations_bucket{solver=\"ccd\",le=\"3\"}"), 10);
  EXPECT_EQ(server.Metric("ikstream_iterations_bucket{solver=\"ccd\",le=\"2\"}"), 0);
  EXPECT_EQ(server.Metric("ikstream_residual_ratio_count{solver=\"ccd\"}"), 1);
}

TEST(MetricsTest, BytesAreCountedBothWays) {
  TestServer server;
  const auto request = FakeRequest(10);
  v1::SolveResponse response;
  ASSERT_TRUE(testing::Solve(server.stub(), request, &response).ok());
  EXPECT_EQ(
      server.Metric("ikstream_message_bytes_total{direction=\"received\",method=\"Solve\"}"),
      request.ByteSizeLong());
  EXPECT_EQ(server.Metric("ikstream_message_bytes_total{direction=\"sent\",method=\"Solve\"}"),
            response.ByteSizeLong());
}

TEST(MetricsTest, FootQualityIsInMetresBeforeAndAfter) {
  TestServer server;
  ASSERT_TRUE(testing::Solve(server.stub(), FakeRequest(1, "quality")).ok());
  const std::string name = "ikstream_motion_slide_metres_per_frame_sum";
  EXPECT_NEAR(server.Metric(name + "{stage=\"before\"}"), 7e-3, 1e-9);
  EXPECT_NEAR(server.Metric(name + "{stage=\"after\"}"), 0.5e-3, 1e-9);
}

TEST(MetricsTest, GaugesTellTheServersBounds) {
  Options options = testing::TestOptions();
  options.queue_capacity = 77;
  options.service.max_streams = 9;
  TestServer server(options);
  EXPECT_EQ(server.Metric("ikstream_queue_capacity"), 77);
  EXPECT_EQ(server.Metric("ikstream_streams_limit"), 9);
  EXPECT_EQ(server.Metric("ikstream_workers"), 2);
  EXPECT_EQ(server.Metric("ikstream_queue_depth"), 0);
  EXPECT_EQ(server.Metric("ikstream_draining"), 0);
  EXPECT_EQ(server.Metric("ikstream_build_info{cpu_target=\"FAKE\",version=\"0.0.0-fake\"}"),
            1);
}

TEST(MetricsTest, TheProcessIsMeasured) {
  TestServer server;
  EXPECT_GT(server.Metric("process_cpu_seconds_total"), 0);
  EXPECT_GT(server.Metric("process_resident_memory_bytes"), 1e6);
  EXPECT_GT(server.Metric("process_open_fds"), 3);
  EXPECT_GT(server.Metric("process_max_fds"), server.Metric("process_open_fds"));
  const auto now = static_cast<double>(time(nullptr));
  EXPECT_NEAR(server.Metric("process_start_time_seconds"), now, 3600);
}

// Every line is a comment or `name{labels} value` in the text format.
TEST(MetricsTest, TheExportParses) {
  TestServer server;
  ASSERT_TRUE(testing::Solve(server.stub(), FakeRequest(3)).ok());
  const std::string answer = server.Scrape();
  EXPECT_NE(answer.find("Content-Type: text/plain; version=0.0.4"), std::string::npos);
  std::istringstream body(answer.substr(answer.find("\r\n\r\n") + 4));
  const std::regex line_form(
      R"(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? [-+0-9.eInf]+)");
  int lines = 0;
  for (std::string line; std::getline(body, line); ++lines) {
    EXPECT_TRUE(std::regex_match(line, line_form)) << line;
  }
  EXPECT_GT(lines, 200);
}

TEST(EndpointTest, AnAddressThatCannotBeHadIsNamed) {
  for (const char* address : {"256.1.1.1:0", "192.0.2.1:0"}) {
    const auto endpoint = Endpoint::Start(address, {{}, [] {}, [] { return true; }});
    ASSERT_FALSE(endpoint.ok()) << address;
    EXPECT_NE(endpoint.status().message().find(address), absl::string_view::npos);
  }
}

}  // namespace
}  // namespace ikstream
