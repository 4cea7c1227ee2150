// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "gtest/gtest.h"
#include "service/harness.h"
#include "service/watch.h"

namespace ikstream {
namespace {

using testing::CheckHealth;
using testing::kNotServing;
using testing::kServing;
using testing::NextStatus;
using testing::TestServer;

constexpr char kService[] = "ikstream.v1.IkService";

TEST(HealthTest, ServesTheEmptyNameAndTheServices) {
  TestServer server;
  EXPECT_EQ(CheckHealth(server.channel(), ""), kServing);
  EXPECT_EQ(CheckHealth(server.channel(), kService), kServing);
  EXPECT_EQ(CheckHealth(server.channel(), "other"),
            -static_cast<int>(grpc::StatusCode::NOT_FOUND));
}

TEST(HealthTest, AWatchIsToldWhenTheServerDrains) {
  TestServer server;
  auto all = testing::WatchHealth(server.channel(), "");
  auto service = testing::WatchHealth(server.channel(), kService);
  EXPECT_EQ(NextStatus(*all), kServing);
  EXPECT_EQ(NextStatus(*service), kServing);
  const auto begin = std::chrono::steady_clock::now();
  server.server().Drain();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
  EXPECT_EQ(NextStatus(*all), kNotServing);
  EXPECT_EQ(NextStatus(*service), kNotServing);
  EXPECT_EQ(NextStatus(*service), -1);
}

TEST(HealthTest, HttpTellsLifeAndReadiness) {
  TestServer server;
  const int port = server.server().metrics_port();
  EXPECT_EQ(testing::HttpGet(port, "/healthz").rfind("HTTP/1.1 200 ", 0), 0);
  EXPECT_EQ(testing::HttpGet(port, "/readyz").rfind("HTTP/1.1 200 ", 0), 0);
  EXPECT_EQ(testing::HttpGet(port, "/other").rfind("HTTP/1.1 404 ", 0), 0);
}

TEST(ReflectionTest, ListsTheServices) {
  TestServer server;
  // ServerReflectionRequest with field 7, list_services, set to "*".
  testing::RawStream call(server.channel(),
                          "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
                          "\x3a\x01*");
  std::string bytes;
  ASSERT_TRUE(call.Read(bytes));
  EXPECT_NE(bytes.find("ikstream.v1.IkService"), std::string::npos);
  EXPECT_NE(bytes.find("grpc.health.v1.Health"), std::string::npos);
}

}  // namespace
}  // namespace ikstream
