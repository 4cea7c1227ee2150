// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cpp/remote_channel.h"

#include <memory>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "cpp/errors.h"
#include "grpcpp/generic/async_generic_service.h"
#include "grpcpp/grpcpp.h"
#include "gtest/gtest.h"

namespace ikstream::client {
namespace {

absl::Status Status(grpc::StatusCode code, const char* text) {
  return FromGrpc(grpc::Status(code, text));
}

TEST(FromGrpc, StreamThatAProxyResetsIsABrokenConnection) {
  EXPECT_TRUE(
      IsTransient(Status(grpc::StatusCode::INTERNAL, "Received RST_STREAM with error code 2")));
  EXPECT_EQ(Status(grpc::StatusCode::INTERNAL, "a fault of the server").code(),
            absl::StatusCode::kInternal);
  EXPECT_TRUE(FromGrpc(grpc::Status::OK).ok());
}

// A server that knows no method: enough to connect to.
std::unique_ptr<grpc::Server> Serve(grpc::CallbackGenericService& anything, int& port) {
  grpc::ServerBuilder builder;
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddListeningPort(absl::StrCat("127.0.0.1:", port), grpc::InsecureServerCredentials(),
                           &port);
  builder.RegisterCallbackGenericService(&anything);
  return builder.BuildAndStart();
}

class AwaitChannelTest : public testing::Test {
 protected:
  void SetUp() override {
    server = Serve(methods, port);
    ASSERT_NE(server, nullptr);
    RemoteOptions options;
    options.server = absl::StrCat("127.0.0.1:", port);
    auto opened = OpenChannel(options);
    ASSERT_TRUE(opened.ok()) << opened.status();
    channel = *std::move(opened);
    ASSERT_TRUE(channel->WaitForConnected(absl::ToChronoTime(absl::Now() + absl::Seconds(20))));
  }

  absl::Duration Await(absl::Duration longest, bool wanted = true) {
    const absl::Time begin = absl::Now();
    EXPECT_EQ(AwaitChannel(*channel, longest, cancellation), wanted);
    return absl::Now() - begin;
  }

  int port = 0;
  grpc::CallbackGenericService methods, methods_again;  // each belongs to one server
  std::unique_ptr<grpc::Server> server;
  std::shared_ptr<grpc::Channel> channel;
  Cancellation cancellation;
};

TEST_F(AwaitChannelTest, PassesTheTimeWhereTheServerIsThere) {
  EXPECT_GE(Await(absl::Milliseconds(200)), absl::Milliseconds(200));
}

TEST_F(AwaitChannelTest, PassesTheTimeWhereTheServerStaysAway) {
  server->Shutdown();
  EXPECT_GE(Await(absl::Milliseconds(300)), absl::Milliseconds(300));
}

TEST_F(AwaitChannelTest, EndsOnceTheServerIsBack) {
  server->Shutdown();
  Await(absl::Seconds(1));
  std::thread later([this] {
    absl::SleepFor(absl::Milliseconds(200));
    server = Serve(methods_again, port);
  });
  EXPECT_LT(Await(absl::Seconds(60)), absl::Seconds(20));
  later.join();
  EXPECT_EQ(channel->GetState(false), GRPC_CHANNEL_READY);
}

TEST_F(AwaitChannelTest, CancellationCutsItShort) {
  std::thread later([this] {
    absl::SleepFor(absl::Milliseconds(50));
    cancellation.Cancel();
  });
  EXPECT_LT(Await(absl::Seconds(60), /*wanted=*/false), absl::Seconds(20));
  later.join();
}

}  // namespace
}  // namespace ikstream::client
