// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The daemon as a process: signals (G12), taken ports (G16), health check, log.
#include "service/process.h"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string>

#include "gtest/gtest.h"
#include "service/harness.h"
#include "service/watch.h"

namespace ikstream {
namespace {

using std::chrono::milliseconds;
using testing::Daemon;
using Clock = std::chrono::steady_clock;

std::string Loopback(int port) { return "127.0.0.1:" + std::to_string(port); }

TEST(ProcessTest, AnIdleDaemonEndsWithinASecond) {
  for (const int signal : {SIGTERM, SIGINT}) {
    Daemon daemon;
    ASSERT_TRUE(daemon.WaitUntilServing()) << daemon.Log();
    const auto begin = Clock::now();
    daemon.Signal(signal);
    EXPECT_EQ(daemon.Wait(), 0) << daemon.Log();
    EXPECT_LT(Clock::now() - begin, milliseconds(1000));
  }
}

TEST(ProcessTest, AnOpenStreamIsToldAndTheDaemonEndsInTime) {
  Daemon daemon;
  ASSERT_TRUE(daemon.WaitUntilServing());
  auto stub = v1::IkService::NewStub(testing::NewChannel(Loopback(daemon.grpc_port())));
  grpc::ClientContext context;
  auto stream = stub->SolveStream(&context);
  stream->Write(testing::SetupMessage());
  stream->Write(testing::MotionMessage(8));
  v1::SolveStreamResponse response;
  ASSERT_TRUE(stream->Read(&response) && stream->Read(&response));
  daemon.Signal(SIGTERM);
  EXPECT_FALSE(stream->Read(&response));
  const grpc::Status status = stream->Finish();
  google::rpc::ErrorInfo info;
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  ASSERT_TRUE(testing::DetailOf(status, info));
  EXPECT_EQ(info.metadata().at("frames_done"), "8");
  EXPECT_EQ(daemon.Wait(), 0);
}

TEST(ProcessTest, ASecondSignalEndsItAtOnce) {
  Daemon daemon({"--drain-propagation-seconds=60"});
  ASSERT_TRUE(daemon.WaitUntilServing());
  daemon.Signal(SIGTERM);
  while (daemon.Log().find("draining") == std::string::npos) usleep(2000);
  daemon.Signal(SIGTERM);
  EXPECT_EQ(daemon.Wait(), 3);
}

TEST(ProcessTest, TakenPortsAreClearErrors) {
  Daemon first;
  ASSERT_TRUE(first.WaitUntilServing());
  const std::string grpc = Loopback(first.grpc_port());
  const std::string metrics = Loopback(first.metrics_port());
  Daemon same_grpc({"--listen=" + grpc});
  EXPECT_EQ(same_grpc.Wait(), 1);
  EXPECT_NE(same_grpc.Log().find("cannot serve calls on " + grpc), std::string::npos);
  Daemon same_metrics({"--metrics-listen=" + metrics});
  EXPECT_EQ(same_metrics.Wait(), 1);
  EXPECT_NE(same_metrics.Log().find("cannot serve metrics on " + metrics), std::string::npos);
  EXPECT_NE(same_metrics.Log().find("Address already in use"), std::string::npos);
}

TEST(ProcessTest, TheHealthCheckTellsByItsExitCode) {
  Daemon daemon;
  ASSERT_TRUE(daemon.WaitUntilServing());
  const std::string listen = "--listen=0.0.0.0:" + std::to_string(daemon.grpc_port());
  EXPECT_EQ(Daemon({"--healthcheck", listen}).Wait(), 0);
  daemon.Signal(SIGTERM);
  EXPECT_EQ(daemon.Wait(), 0);
  EXPECT_EQ(Daemon({"--healthcheck", listen}).Wait(), 1);
}

TEST(ProcessTest, ServesOnAUnixSocket) {
  const std::string path = "unix:" + ::testing::TempDir() + "ik_" + std::to_string(getpid());
  Daemon daemon({"--listen=" + path, "--metrics-listen=off"});
  ASSERT_TRUE(daemon.WaitUntilServing()) << daemon.Log();
  EXPECT_EQ(daemon.metrics_port(), 0);
  auto stub = v1::IkService::NewStub(testing::NewChannel(path));
  EXPECT_TRUE(testing::Solve(*stub, testing::FakeRequest(1)).ok());
  EXPECT_EQ(Daemon({"--healthcheck", "--listen=" + path}).Wait(), 0);
}

TEST(ProcessTest, ChannelzIsServedOnRequest) {
  const auto code = [](const std::vector<std::string>& args) {
    Daemon daemon(args);
    EXPECT_TRUE(daemon.WaitUntilServing());
    testing::RawStream call(testing::NewChannel(Loopback(daemon.grpc_port())),
                            "/grpc.channelz.v1.Channelz/GetServers", "");
    call.HalfClose();
    std::string bytes;
    call.Read(bytes);
    return call.Finish();
  };
  EXPECT_EQ(code({"--channelz"}), grpc::StatusCode::OK);
  EXPECT_EQ(code({}), grpc::StatusCode::UNIMPLEMENTED);
}

TEST(ProcessTest, FailedCallsAreLoggedWithTheirTraceAndNoLineBreaks) {
  Daemon daemon({"--log-format=json"});
  ASSERT_TRUE(daemon.WaitUntilServing());
  auto stub = v1::IkService::NewStub(testing::NewChannel(Loopback(daemon.grpc_port())));
  grpc::ClientContext context;
  context.AddMetadata("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
  v1::SolveResponse response;
  stub->Solve(&context, testing::FakeRequest(1, "fail_at=0"), &response);
  daemon.Signal(SIGTERM);
  EXPECT_EQ(daemon.Wait(), 0);
  const std::string log = daemon.Log();
  EXPECT_NE(log.find("\"message\":\"Solve INVALID_ARGUMENT: motion.local_rotations"),
            std::string::npos)
      << log;
  EXPECT_NE(log.find("traceparent=00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"),
            std::string::npos);
}

}  // namespace
}  // namespace ikstream
