// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The whole way from a client to the solvers and back. What the solvers answer is judged in
// their own tests; here it is that nothing is lost or changed on the way, and that bad input
// is named (G14, G15).
#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "gtest/gtest.h"
#include "service/harness.h"
#include "session/session.h"
#include "unit/convert/builders.h"

namespace ikstream {
namespace {

using testing::LegMotion;
using testing::LegSetup;
using testing::TestServer;

Engine RealEngine() {
  Engine engine;
  engine.open = &Session::Open;
  engine.describe = &DescribeEngine;
  return engine;
}

class RealEngineTest : public ::testing::Test {
 protected:
  v1::SolveRequest Leg(int frames) {
    v1::SolveRequest request;
    *request.mutable_setup() = LegSetup();
    *request.mutable_motion() = LegMotion(frames);
    return request;
  }
  // "CODE field" of a leg after `spoil`.
  std::string Refusal(const std::function<void(v1::SolveRequest&)>& spoil) {
    v1::SolveRequest request = Leg(4);
    spoil(request);
    const grpc::Status status = testing::Solve(server_.stub(), request);
    google::rpc::BadRequest bad;
    if (status.ok() || !testing::DetailOf(status, bad)) return "no field named";
    return std::to_string(status.error_code()) + " " + bad.field_violations(0).field();
  }

  TestServer server_{testing::TestOptions(), RealEngine()};
};

TEST_F(RealEngineTest, BadInputIsNamed) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(Refusal([](v1::SolveRequest& r) {
              r.mutable_motion()->mutable_targets(0)->set_positions(1, kNaN);
            }),
            "3 motion.targets[0].positions[1]");
  EXPECT_EQ(Refusal([](v1::SolveRequest& r) {
              r.mutable_motion()->mutable_targets(0)->add_weights(kNaN);
            }),
            "3 motion.targets[0].weights[0]");
  EXPECT_EQ(
      Refusal([](v1::SolveRequest& r) {
        r.mutable_setup()->mutable_rig()->mutable_skeleton()->mutable_joints(2)->set_parent(99);
      }),
      "3 setup.rig.skeleton.joints[2].parent");
  EXPECT_EQ(Refusal([](v1::SolveRequest& r) {
              auto& skeleton = *r.mutable_setup()->mutable_rig()->mutable_skeleton();
              skeleton.mutable_joints(1)->set_parent(2);
            }).rfind("3 setup.rig.skeleton.joints[", 0),
            0);
  EXPECT_EQ(Refusal([](v1::SolveRequest& r) { r.mutable_motion()->add_local_rotations(0); }),
            "3 motion.local_rotations");
}

TEST_F(RealEngineTest, AnUnsetWeightIsOneAndZeroReturnsTheInput) {
  v1::SolveRequest request = Leg(1);
  v1::SolveResponse unset, one, zero;
  ASSERT_TRUE(testing::Solve(server_.stub(), request, &unset).ok());
  request.mutable_motion()->mutable_targets(0)->add_weights(1);
  ASSERT_TRUE(testing::Solve(server_.stub(), request, &one).ok());
  request.mutable_motion()->mutable_targets(0)->set_weights(0, 0);
  ASSERT_TRUE(testing::Solve(server_.stub(), request, &zero).ok());
  EXPECT_EQ(unset.motion().SerializeAsString(), one.motion().SerializeAsString());
  EXPECT_EQ(unset.motion().chains(0).statuses(0), v1::ChainResult::STATUS_CONVERGED);
  EXPECT_EQ(zero.motion().chains(0).statuses(0), v1::ChainResult::STATUS_SKIPPED);
  for (int joint = 0; joint < zero.motion().joints_size(); ++joint) {
    for (int k = 0; k < 4; ++k) {
      EXPECT_EQ(zero.motion().local_rotations(4 * joint + k),
                request.motion().local_rotations(4 * zero.motion().joints(joint) + k));
    }
  }
}

TEST_F(RealEngineTest, TheStreamGivesTheSameBitsAsTheUnary) {
  const v1::SolveRequest request = Leg(8);
  v1::SolveResponse unary;
  ASSERT_TRUE(testing::Solve(server_.stub(), request, &unary).ok());
  grpc::ClientContext context;
  testing::SetPatience(context);
  auto stream = server_.stub().SolveStream(&context);
  v1::SolveStreamRequest setup, motion;
  *setup.mutable_setup() = request.setup();
  stream->Write(setup);
  *motion.mutable_motion() = LegMotion(4);
  for (int batch = 0; batch < 2; ++batch) stream->Write(motion);
  stream->WritesDone();
  Session::Replies replies;
  for (v1::SolveStreamResponse reply; stream->Read(&reply);) replies.push_back(reply);
  ASSERT_TRUE(stream->Finish().ok());
  const v1::SolveResponse joined = JoinReplies(std::move(replies));
  EXPECT_EQ(joined.motion().SerializeAsString(), unary.motion().SerializeAsString());
}

TEST_F(RealEngineTest, TheClipGivesTheSameBitsAsTheUnary) {
  const v1::SolveRequest request = Leg(8);
  v1::SolveResponse unary;
  ASSERT_TRUE(testing::Solve(server_.stub(), request, &unary).ok());
  v1::SolveClipRequest clip;
  *clip.mutable_setup() = request.setup();
  *clip.mutable_motion() = request.motion();
  grpc::ClientContext context;
  testing::SetPatience(context);
  auto reader = server_.stub().SolveClip(&context, clip);
  v1::MotionResult motion;
  bool ready = false, summary = false;
  for (v1::SolveClipResponse reply; reader->Read(&reply);) {
    ready |= reply.has_ready();
    motion.MergeFrom(reply.motion());
    summary |= reply.has_summary();
  }
  ASSERT_TRUE(reader->Finish().ok());
  EXPECT_TRUE(ready && summary);
  ASSERT_EQ(motion.local_rotations_size(), unary.motion().local_rotations_size());
  for (int i = 0; i < motion.local_rotations_size(); ++i) {
    EXPECT_EQ(motion.local_rotations(i), unary.motion().local_rotations(i));
  }
}

TEST_F(RealEngineTest, SolversAreLabelsOfTheMetrics) {
  ASSERT_TRUE(testing::Solve(server_.stub(), Leg(5)).ok());
  grpc::ClientContext context;
  v1::GetServerInfoResponse info;
  ASSERT_TRUE(server_.stub().GetServerInfo(&context, {}, &info).ok());
  double frames = 0;
  for (const v1::SolverInfo& solver : info.solvers()) {
    const double count = server_.Metric(
        "ikstream_frames_total{outcome=\"converged\",solver=\"" + solver.name() + "\"}");
    EXPECT_GE(count, 0) << solver.name();
    frames += count;
  }
  EXPECT_EQ(frames, 5);
}

}  // namespace
}  // namespace ikstream
