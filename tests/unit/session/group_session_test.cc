// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Chains that aim, and chains that are solved together, as a call sees them.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/field_error.h"
#include "core/math.h"
#include "session/session.h"
#include "session/trace.h"
#include "unit/convert/builders.h"

namespace ikstream {
namespace {

using testing::MakeJoint;

void AddChain(v1::Rig& rig, const char* solver, int root, int end, const char* group) {
  v1::Chain& chain = *rig.add_chains();
  chain.set_solver(solver);
  chain.set_root_joint(root);
  chain.set_end_joint(end);
  chain.set_group(group);
}

// A pelvis with two legs and a spine; the spine starts at the root.
v1::Setup BodySetup() {
  v1::Setup setup;
  v1::Rig& rig = *setup.mutable_rig();
  v1::Skeleton& skeleton = *rig.mutable_skeleton();
  *skeleton.add_joints() = MakeJoint("pelvis", -1, {0, 0, 0});
  for (float side : {-0.1f, 0.1f}) {
    const int hip = skeleton.joints_size();
    *skeleton.add_joints() = MakeJoint("hip", 0, {side, 0, 0});
    *skeleton.add_joints() = MakeJoint("knee", hip, {0, -0.4f, 0.02f});
    *skeleton.add_joints() = MakeJoint("ankle", hip + 1, {0, -0.4f, -0.02f});
  }
  *skeleton.add_joints() = MakeJoint("chest", 0, {0, 0.4f, 0});
  AddChain(rig, "body", 0, 7, "all");
  AddChain(rig, "body", 1, 3, "all");
  AddChain(rig, "body", 4, 6, "all");
  return setup;
}

// The chest pulled down by 0.1, the feet where they are.
v1::Motion Crouch(int frames) {
  v1::Motion motion;
  for (int f = 0; f < frames; ++f) {
    for (float x : {0.0f, 1.0f, 0.0f}) motion.add_root_positions(x);
    for (int i = 0; i < 4 * 8; ++i) motion.add_local_rotations(i % 4 == 3 ? 1.0f : 0.0f);
  }
  const float targets[3][3] = {{0, 1.3f, 0}, {-0.1f, 0.2f, 0}, {0.1f, 0.2f, 0}};
  for (int c = 0; c < 3; ++c) {
    v1::TargetTrack& track = *motion.add_targets();
    track.set_chain(c);
    for (float x : targets[c]) track.add_positions(x);
  }
  return motion;
}

v1::SolveResponse Answer(const v1::Setup& setup, const v1::Motion& motion) {
  auto session = Session::Open(setup, Limits(), CallShape::kUnary);
  EXPECT_TRUE(session.ok()) << session.status();
  Session::Replies replies;
  const absl::Status pushed = (*session)->Push(motion, Stop(), replies);
  EXPECT_TRUE(pushed.ok()) << pushed;
  EXPECT_TRUE((*session)->Finish(Stop(), replies).ok());
  return JoinReplies(std::move(replies));
}

std::string FaultOf(const v1::Setup& setup) {
  return FieldOf(Session::Open(setup, Limits(), CallShape::kUnary).status());
}

Quatd Rotation(const v1::MotionResult& motion, int joint) {
  return Cast<double>(LoadQuat(motion.local_rotations().data() + 4 * joint));
}

TEST(GroupSession, TheRootMovesAndIsAnswered) {
  const v1::Setup setup = BodySetup();
  const auto session = Session::Open(setup, Limits(), CallShape::kStream);
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_TRUE((*session)->ready().root_moves());
  const v1::MotionResult motion = Answer(setup, Crouch(3)).motion();
  ASSERT_EQ(motion.root_positions_size(), 9);
  ASSERT_EQ(motion.local_rotations_size(), 3 * 4 * 8);  // every joint is driven
  const Vec3d root = Cast<double>(LoadVec3(motion.root_positions().data()));
  EXPECT_LT(root.y, 0.95);
  const Quatd pelvis = Rotation(motion, 0);
  const Vec3d chest = root + Rotate(pelvis, Vec3d{0, 0.4f, 0});
  EXPECT_NEAR(Length(chest - Vec3d{0, 1.3, 0}), 0, 1e-3);
  const Quatd hip = pelvis * Rotation(motion, 1), knee = hip * Rotation(motion, 2);
  const Vec3d ankle = root + Rotate(pelvis, Vec3d{-0.1f, 0, 0}) +
                      Rotate(hip, Vec3d{0, -0.4f, 0.02f}) +
                      Rotate(knee, Vec3d{0, -0.4f, -0.02f});
  EXPECT_NEAR(Length(ankle - Vec3d{-0.1, 0.2, 0}), 0, 1e-3);
  for (int c = 0; c < 3; ++c)
    EXPECT_EQ(motion.chains(c).statuses(0), v1::ChainResult::STATUS_CONVERGED) << c;
}

TEST(GroupSession, TheRootStaysWhereNoChainStartsAtIt) {
  v1::Setup setup = BodySetup();
  setup.mutable_rig()->mutable_chains()->DeleteSubrange(0, 1);
  v1::Motion sent = Crouch(2);
  sent.mutable_targets()->DeleteSubrange(2, 1);
  const auto session = Session::Open(setup, Limits(), CallShape::kStream);
  EXPECT_FALSE((*session)->ready().root_moves());
  EXPECT_EQ(Answer(setup, sent).motion().root_positions_size(), 0);
}

// Of one foot of the crouch: what Solve answers, and the foot by itself beside it.
TEST(GroupSession, ATraceShowsTheWholeGroup) {
  v1::TraceRequest request;
  *request.mutable_setup() = BodySetup();
  *request.mutable_motion() = Crouch(1);
  request.set_chain(1);
  request.add_solvers("body");
  request.add_solvers("two_bone");
  const auto response = TraceFrame(request, Limits(), Stop());
  ASSERT_TRUE(response.ok()) << response.status();
  const v1::SolverTrace& body = response->traces(0);
  const v1::MotionResult answer = Answer(request.setup(), request.motion()).motion();
  EXPECT_EQ(body.errors_size(), answer.chains(1).iterations(0) + 1);
  EXPECT_EQ(body.status(), answer.chains(1).statuses(0));
  EXPECT_NEAR(body.errors(0), 0, 1e-6);  // the foot stands where it shall
  EXPECT_NEAR(*body.errors().rbegin(), answer.chains(1).residuals(0), 1e-6);
  EXPECT_EQ(body.positions_size(), 3 * 3 * body.errors_size());
  EXPECT_LT(body.root_position().y(), 0.95);
  ASSERT_GE(body.joints_size(), 5);
  for (int i = 0; i < body.joints_size(); ++i)
    for (int k = 0; k < 4; ++k)
      EXPECT_EQ(body.local_rotations(4 * i + k),
                answer.local_rotations(4 * body.joints(i) + k));
  EXPECT_NEAR(*response->traces(1).errors().rbegin(), 0, 1e-6);
  EXPECT_EQ(response->traces(1).root_position().y(), 1);
  request.mutable_setup()->mutable_rig()->mutable_chains()->DeleteSubrange(1, 2);
  request.mutable_setup()->mutable_rig()->mutable_chains(0)->clear_group();
  request.mutable_setup()->mutable_rig()->mutable_chains(0)->set_solver("auto");
  request.mutable_motion()->mutable_targets()->DeleteSubrange(1, 2);
  request.set_chain(0);
  EXPECT_EQ(FieldOf(TraceFrame(request, Limits(), Stop()).status()), "solvers[0]");
}

// One leg may lengthen: where its foot is to go too low for it, it does.
TEST(GroupSession, BonesLengthenAndTranslationsAreAnswered) {
  v1::Setup setup = BodySetup();
  v1::Motion motion = Crouch(2);
  setup.mutable_rig()->mutable_chains(1)->set_max_stretch(0.5f);
  EXPECT_EQ(FaultOf(setup), "setup.rig.chains[1].max_stretch");
  for (int joint : {2, 3}) setup.add_translated_joints(joint);
  for (int f = 0; f < 2; ++f)
    for (float x : {0.0f, -0.4f, 0.02f, 0.0f, -0.4f, -0.02f}) motion.add_local_translations(x);
  motion.mutable_targets(1)->set_positions(1, -0.1f);  // a foot goes down by 0.3
  const v1::MotionResult out = Answer(setup, motion).motion();
  ASSERT_EQ(out.local_translations_size(), 2 * 6);
  const auto longer = [&](int k) {
    return Length(LoadVec3(out.local_translations().data() + 3 * k)) /
           Length(LoadVec3(motion.local_translations().data() + 3 * k));
  };
  EXPECT_NEAR(longer(0), 1.25, 0.02);  // the hip is 1 above the foot
  EXPECT_NEAR(longer(0), longer(1), 1e-5);
  EXPECT_EQ(out.chains(1).statuses(0), v1::ChainResult::STATUS_CONVERGED);
  EXPECT_LE(out.chains(1).residuals(0), 1e-3f);
}

TEST(GroupSession, MembersThatDisagreeAreNamed) {
  v1::Setup setup = BodySetup();
  setup.mutable_rig()->mutable_chains(0)->set_solve_every(2);
  setup.mutable_rig()->mutable_chains(2)->set_solve_every(3);
  EXPECT_EQ(FaultOf(setup), "setup.rig.chains[2].solve_every");
}

TEST(GroupSession, ErrorsNameTheField) {
  v1::Setup setup = BodySetup();
  setup.mutable_rig()->mutable_chains(1)->clear_group();
  EXPECT_EQ(FaultOf(setup), "setup.rig.chains[1].group");
  setup = BodySetup();
  setup.mutable_rig()->mutable_chains(2)->set_solver("ccd");
  EXPECT_EQ(FaultOf(setup), "setup.rig.chains[2].group");
  setup = BodySetup();
  setup.mutable_rig()->mutable_chains(0)->set_effector_weight(0);
  EXPECT_EQ(FaultOf(setup), "setup.rig.chains[0].effector_weight");
  setup = BodySetup();
  setup.mutable_rig()->mutable_chains(0)->set_closeness(2);
  EXPECT_EQ(FaultOf(setup), "setup.rig.chains[0].closeness");
  setup = BodySetup();
  setup.mutable_rig()->mutable_chains(0)->mutable_aim_axis()->set_x(1);
  EXPECT_EQ(FaultOf(setup), "setup.rig.chains[0].aim_axis");
}

v1::Setup HeadSetup() {
  v1::Setup setup = testing::LegSetup();
  v1::Chain& chain = *setup.mutable_rig()->mutable_chains(0);
  chain.clear_pole();
  chain.set_solver("aim");
  chain.mutable_aim_axis()->set_z(1);
  return setup;
}

TEST(AimSession, PointsAtTheTargetAndTellsTheAngle) {
  const v1::MotionResult motion =
      Answer(HeadSetup(), testing::LegMotion(1, {2, 1, 1})).motion();
  ASSERT_EQ(motion.chains(0).residual_angles_rad_size(), 1);
  EXPECT_EQ(motion.chains(0).statuses(0), v1::ChainResult::STATUS_CONVERGED);
  const Quatd hip = Rotation(motion, 0), knee = hip * Rotation(motion, 1);
  const Quatd end = knee * Rotation(motion, 2);
  const Vec3d bone{0, -0.5, 0};
  const Vec3d way = Vec3d{2, 1, 1} - Rotate(hip, bone) - Rotate(knee, bone);
  const Vec3d axis = Rotate(end, Vec3d{0, 0, 1});
  EXPECT_LE(std::atan2(Length(Cross(axis, way)), Dot(axis, way)), 1.7e-3);  // 0.1 degrees
  EXPECT_NEAR(Length(Cross(axis, way)), motion.chains(0).residuals(0), 1e-5);
}

TEST(AimSession, ErrorsNameTheField) {
  v1::Setup setup = HeadSetup();
  setup.mutable_rig()->mutable_chains(0)->mutable_aim_axis()->set_z(0);
  EXPECT_EQ(FaultOf(setup), "setup.rig.chains[0].aim_axis");
  setup = HeadSetup();
  setup.mutable_rig()->mutable_chains(0)->clear_aim_axis();  // the ankle has no bone
  EXPECT_EQ(FaultOf(setup), "setup.rig.chains[0].aim_axis");
  setup = HeadSetup();
  setup.mutable_rig()->mutable_chains(0)->mutable_pole()->set_kind(v1::Pole::KIND_POINT);
  EXPECT_EQ(FaultOf(setup), "setup.rig.chains[0].pole.kind");
  v1::Motion motion = testing::LegMotion(1);
  for (float x : {0.0f, 0.0f, 0.0f, 1.0f}) motion.mutable_targets(0)->add_rotations(x);
  auto session = Session::Open(HeadSetup(), Limits(), CallShape::kUnary);
  Session::Replies replies;
  EXPECT_EQ(FieldOf((*session)->Push(motion, Stop(), replies)), "motion.targets[0].rotations");
}

}  // namespace
}  // namespace ikstream
