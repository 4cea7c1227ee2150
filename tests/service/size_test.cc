// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Messages above the receive limit (G01), and long texts in errors.
#include <string>

#include "gtest/gtest.h"
#include "service/harness.h"

namespace ikstream {
namespace {

using grpc::StatusCode;
using testing::TestOptions;
using testing::TestServer;

constexpr int kLimit = 4 << 20;
constexpr int kFrames = 230'000;  // of 28 bytes with the fake's one joint: above 5 MB

Options SmallLimit() {
  Options options = TestOptions();
  options.service.limits.max_message_bytes = kLimit;
  return options;
}

TEST(SizeTest, AUnaryAboveTheLimitIsRefusedWithTheLimitInItsText) {
  TestServer server(SmallLimit());
  const v1::SolveRequest request = testing::FakeRequest(kFrames);
  ASSERT_GT(request.ByteSizeLong(), 5'000'000);
  const grpc::Status status = testing::Solve(server.stub(), request);
  EXPECT_EQ(status.error_code(), StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_NE(status.error_message().find(std::to_string(kLimit)), std::string::npos)
      << status.error_message();
}

TEST(SizeTest, AStreamCarriesTheSameInBatches) {
  TestServer server(SmallLimit());
  grpc::ClientContext context;
  testing::SetPatience(context);
  auto stream = server.stub().SolveStream(&context);
  stream->Write(testing::SetupMessage());
  v1::SolveStreamResponse response;
  ASSERT_TRUE(stream->Read(&response));
  constexpr int kBatch = 23'000;
  for (int sent = 0; sent < kFrames; sent += kBatch) {
    ASSERT_TRUE(stream->Write(testing::MotionMessage(kBatch)));
    ASSERT_TRUE(stream->Read(&response));
    EXPECT_EQ(response.motion().first_frame(), sent);
  }
  stream->WritesDone();
  ASSERT_TRUE(stream->Read(&response));
  EXPECT_EQ(response.summary().frames(), kFrames);
  EXPECT_TRUE(stream->Finish().ok());
}

// The transport reports it to the server as the end of the messages: it must not become a
// half-close and a good ending.
TEST(SizeTest, AStreamsMessageAboveTheLimitEndsTheStreamInError) {
  TestServer server(SmallLimit());
  for (int i = 0; i < 20; ++i) {
    grpc::ClientContext context;
    testing::SetPatience(context);
    auto stream = server.stub().SolveStream(&context);
    stream->Write(testing::SetupMessage());
    stream->Write(testing::MotionMessage(kFrames));
    v1::SolveStreamResponse response;
    while (stream->Read(&response)) EXPECT_FALSE(response.has_summary());
    EXPECT_EQ(stream->Finish().error_code(), StatusCode::RESOURCE_EXHAUSTED);
  }
  EXPECT_TRUE(testing::Eventually([] { return testing::Counts().sessions == 0; }));
}

TEST(SizeTest, LongTextsOfErrorsAreCut) {
  Engine engine = testing::FakeEngine();
  engine.open = [](const v1::Setup&, const Limits&,
                   CallShape) -> absl::StatusOr<std::unique_ptr<Session>> {
    std::string text;
    for (int i = 0; i < 5000; ++i) text += "\u00e4";  // two bytes each: cut between them
    return absl::InvalidArgumentError(text);
  };
  TestServer server(TestOptions(), engine);
  const grpc::Status status = testing::Solve(server.stub(), testing::FakeRequest(1));
  EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_LT(status.error_message().size(), 1100);
  google::rpc::Status details;
  ASSERT_TRUE(details.ParseFromString(status.error_details()));
  EXPECT_EQ(details.message(), status.error_message());
}

}  // namespace
}  // namespace ikstream
