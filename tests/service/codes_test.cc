// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Every status code the service promises, with its details, over a real channel.
#include <chrono>

#include "gtest/gtest.h"
#include "service/harness.h"

namespace ikstream {
namespace {

using grpc::StatusCode;
using std::chrono::milliseconds;
using testing::DetailOf;
using testing::FakeRequest;
using testing::Solve;
using testing::TestOptions;
using testing::TestServer;

google::rpc::ErrorInfo InfoOf(const grpc::Status& status) {
  google::rpc::ErrorInfo info;
  EXPECT_TRUE(DetailOf(status, info)) << status.error_message();
  EXPECT_EQ(info.domain(), "ikstream");
  return info;
}

std::string FieldOf(const grpc::Status& status) {
  google::rpc::BadRequest bad;
  if (!DetailOf(status, bad) || bad.field_violations().empty()) return "";
  return bad.field_violations(0).field();
}

TEST(CodesTest, OkAnswersFramesAndSummary) {
  TestServer server;
  v1::SolveResponse response;
  ASSERT_TRUE(Solve(server.stub(), FakeRequest(3), &response).ok());
  EXPECT_EQ(response.motion().frame_count(), 3);
  EXPECT_EQ(response.motion().local_rotations_size(), 12);
  EXPECT_EQ(response.summary().frames(), 3);
}

TEST(CodesTest, InvalidArgumentNamesTheField) {
  TestServer server;
  v1::SolveRequest request = FakeRequest(1);
  request.mutable_setup()->set_frame_count(-1);
  const grpc::Status status = Solve(server.stub(), request);
  EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(status.error_message(), "setup.frame_count: is negative");
  EXPECT_EQ(FieldOf(status), "setup.frame_count");
  EXPECT_EQ(InfoOf(status).reason(), "INVALID_FIELD");
}

TEST(CodesTest, AnErrorOfAFrameNamesTheFrame) {
  TestServer server;
  const grpc::Status status = Solve(server.stub(), FakeRequest(10, "fail_at=7"));
  EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(InfoOf(status).metadata().at("frame"), "7");
}

TEST(CodesTest, FramesBeforeTheSetupAreAFailedPrecondition) {
  TestServer server;
  grpc::ClientContext context;
  testing::SetPatience(context);
  auto stream = server.stub().SolveStream(&context);
  stream->Write(testing::MotionMessage(1));
  v1::SolveStreamResponse response;
  EXPECT_FALSE(stream->Read(&response));
  const grpc::Status status = stream->Finish();
  EXPECT_EQ(status.error_code(), StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(InfoOf(status).reason(), "WRONG_ORDER");
  EXPECT_EQ(FieldOf(status), "motion");
}

TEST(CodesTest, TooLargeIsNeverWorthAnotherTry) {
  TestServer server;
  v1::SolveRequest request = FakeRequest(1);
  request.mutable_setup()->set_frame_count(2000);
  grpc::ClientContext context;
  v1::SolveResponse response;
  const grpc::Status status = server.stub().Solve(&context, request, &response);
  EXPECT_EQ(status.error_code(), StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(FieldOf(status), "setup.frame_count");
  EXPECT_EQ(InfoOf(status).reason(), "TOO_LARGE");
  google::rpc::RetryInfo retry;
  EXPECT_FALSE(DetailOf(status, retry));
  EXPECT_EQ(testing::TrailerOf(context, "grpc-retry-pushback-ms"), "-1");
  EXPECT_EQ(server.Metric("ikstream_rejected_total{reason=\"too_large\"}"), 1);
}

TEST(CodesTest, TheClientsDeadlineHolds) {
  TestServer server;
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + milliseconds(30));
  v1::SolveResponse response;
  const auto request = FakeRequest(1, "work_ms=10000");
  EXPECT_EQ(server.stub().Solve(&context, request, &response).error_code(),
            StatusCode::DEADLINE_EXCEEDED);
}

TEST(CodesTest, TheServersOwnBudgetHoldsWithoutADeadline) {
  Options options = TestOptions();
  options.service.max_call_time = milliseconds(30);
  TestServer server(options);
  const grpc::Status status = Solve(server.stub(), FakeRequest(1, "work_ms=10000"));
  EXPECT_EQ(status.error_code(), StatusCode::DEADLINE_EXCEEDED);
  EXPECT_EQ(InfoOf(status).reason(), "DEADLINE_EXCEEDED");
}

TEST(CodesTest, CredentialsAreAskedForOnEveryCallWhereATokenIsSet) {
  Options options = TestOptions();
  options.service.bearer_token = "s3cret";
  TestServer server(options);
  const auto code = [&server](const char* authorization) {
    grpc::ClientContext context;
    if (authorization != nullptr) context.AddMetadata("authorization", authorization);
    v1::SolveResponse response;
    return server.stub().Solve(&context, FakeRequest(1), &response).error_code();
  };
  EXPECT_EQ(code(nullptr), StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(code("Bearer wrong"), StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(code("Bearer s3cre"), StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(code("Bearer s3crets3cret"), StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(code("Basic s3cret"), StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(code("Bearer s3cret"), StatusCode::OK);
  grpc::ClientContext info, stream;
  v1::GetServerInfoResponse response;
  EXPECT_EQ(server.stub().GetServerInfo(&info, {}, &response).error_code(),
            StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(server.stub().SolveStream(&stream)->Finish().error_code(),
            StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(server.Metric("ikstream_rejected_total{reason=\"unauthenticated\"}"), 7);
}

TEST(CodesTest, TraceIsServedWhereTheEngineCan) {
  Engine engine = testing::FakeEngine();
  engine.trace = [](const v1::TraceRequest&, const Limits&, const Stop&) {
    v1::TraceResponse response;
    response.add_traces()->set_solver("ccd");
    return response;
  };
  TestServer able(TestOptions(), engine), unable;
  grpc::ClientContext yes, no;
  v1::TraceResponse response;
  ASSERT_TRUE(able.stub().Trace(&yes, {}, &response).ok());
  EXPECT_EQ(response.traces(0).solver(), "ccd");
  EXPECT_EQ(unable.stub().Trace(&no, {}, &response).error_code(), StatusCode::UNIMPLEMENTED);
}

TEST(CodesTest, ServerInfoTellsTheServersLimits) {
  Options options = TestOptions();
  options.service.max_streams = 17;
  TestServer server(options);
  grpc::ClientContext context;
  v1::GetServerInfoResponse info;
  ASSERT_TRUE(server.stub().GetServerInfo(&context, {}, &info).ok());
  EXPECT_EQ(info.limits().max_streams(), 17);
  EXPECT_EQ(info.workers(), 2);
  EXPECT_EQ(info.solvers_size(), 2);
}

}  // namespace
}  // namespace ikstream
