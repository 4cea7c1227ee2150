// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Shapes of a solve as a call sees them: chains that share joints, shares of rotation targets,
// bones that lengthen; judged by forward kinematics of the answers.
#include <gtest/gtest.h>

#include <cmath>

#include "core/field_error.h"
#include "unit/convert/builders.h"
#include "unit/session/calls.h"

namespace ikstream {
namespace {

using testing::Call;
using testing::LegMotion;
using testing::LegSetup;
using testing::MakeJoint;
using testing::PoseOf;

constexpr int kJoints = 6;  // hips, three of a spine, elbow, hand: 0.3 apart

// A spine (hips to chest, joints 0..2, its end at 3) and an arm (hips to hand) over it.
v1::Setup SpineAndArm(int spine_priority, int arm_priority) {
  v1::Setup setup;
  v1::Rig& rig = *setup.mutable_rig();
  for (int i = 0; i < kJoints; ++i)
    *rig.mutable_skeleton()->add_joints() =
        MakeJoint(i == 3 ? "chest" : "", i - 1, {0, i == 0 ? 0 : 0.3f, 0});
  v1::Chain& spine = *rig.add_chains();
  spine.set_end_joint(3);
  spine.set_priority(spine_priority);
  v1::Chain& arm = *rig.add_chains();
  arm.set_end_joint(5);
  arm.set_priority(arm_priority);
  for (v1::Chain& chain : *rig.mutable_chains()) chain.set_max_iterations(200);
  return setup;
}

v1::Motion Reach(const Vec3f& chest, const Vec3f& hand) {
  v1::Motion motion;
  for (int k = 0; k < 3; ++k) motion.add_root_positions(0);
  for (int j = 0; j < kJoints; ++j)
    for (float x : {0.1f, 0.0f, 0.0f, std::sqrt(0.99f)}) motion.add_local_rotations(x);
  for (const Vec3f& at : {chest, hand}) {
    v1::TargetTrack& track = *motion.add_targets();
    track.set_chain(motion.targets_size() - 1);
    for (float x : {at.x, at.y, at.z}) track.add_positions(x);
  }
  return motion;
}

double Miss(const v1::Setup& setup, const v1::SolveResponse& out, int joint, Vec3f target) {
  return Length(PoseOf(setup, out).positions[joint] - Cast<double>(target));
}

TEST(SharedJoints, TheLowerNumberWins) {
  const Vec3f chest{0.3f, 0.75f, 0}, hand{0.5f, 0.9f, 0.3f};
  v1::Setup setup = SpineAndArm(0, 1);
  setup.set_all_joints(true);
  const v1::SolveResponse out = Call(setup, Reach(chest, hand));
  // The spine is where it wants to be, and the arm reaches with what is left to it.
  EXPECT_LE(Miss(setup, out, 3, chest), 1e-3);
  EXPECT_LE(Miss(setup, out, 5, hand), 1e-3);
  EXPECT_LE(out.motion().chains(0).residuals(0), 1e-3f);
}

TEST(SharedJoints, WhatTheWinnerNeedsIsNotTaken) {
  const Vec3f chest{0.3f, 0.75f, 0}, far{-1.3f, 0.2f, 0};
  v1::Setup setup = SpineAndArm(0, 1);
  setup.set_all_joints(true);
  const v1::SolveResponse out = Call(setup, Reach(chest, far));
  EXPECT_LE(Miss(setup, out, 3, chest), 1e-3);
  EXPECT_EQ(out.motion().chains(1).statuses(0), v1::ChainResult::STATUS_UNREACHABLE);
  EXPECT_NEAR(out.motion().chains(1).residuals(0), Miss(setup, out, 5, far), 1e-4);
}

TEST(SharedJoints, AmongEqualNumbersTheLaterTurnsThemAgain) {
  const Vec3f chest{0.3f, 0.75f, 0}, hand{-0.9f, 0.6f, 0.3f};
  v1::Setup setup = SpineAndArm(0, 0);
  setup.set_all_joints(true);
  const v1::SolveResponse out = Call(setup, Reach(chest, hand));
  EXPECT_LE(Miss(setup, out, 5, hand), 1.6e-3);
  EXPECT_GT(Miss(setup, out, 3, chest), 0.05);
}

TEST(SharedJoints, WhatCannotGiveWayIsRefused) {
  const auto fault = [](const v1::Setup& setup) {
    return FieldOf(Session::Open(setup, Limits(), CallShape::kUnary).status());
  };
  v1::Setup setup = SpineAndArm(1, 0);  // the arm drives all that the spine has
  EXPECT_EQ(fault(setup), "setup.rig.chains[0].priority");
  setup = SpineAndArm(0, 1);
  setup.mutable_rig()->mutable_chains(0)->set_root_joint(1);  // joint 0 would move it again
  EXPECT_EQ(fault(setup), "setup.rig.chains[1].priority");
}

// Of the way from where the end is turned to where it shall be.
TEST(RotationWeight, TakesAShareOfTheTurn) {
  v1::Motion motion = LegMotion(1);
  const Quatf goal = FromAxisAngle(Vec3f{1, 0, 0}, 0.8f);
  for (float x : {goal.x, goal.y, goal.z, goal.w}) motion.mutable_targets(0)->add_rotations(x);
  for (float weight : {1.0f, 0.5f, 0.25f, 0.0f}) {
    v1::Setup setup = LegSetup();
    setup.set_all_joints(true);
    setup.mutable_rig()->mutable_chains(0)->set_rotation_weight(weight);
    const v1::SolveResponse out = Call(setup, motion);
    const Quatd end = PoseOf(setup, out).rotations[2];
    EXPECT_NEAR(AngleBetween(end, Quatd{}), 0.8 * weight, 2e-3);
    EXPECT_NEAR(AngleBetween(end, Cast<double>(goal)), 0.8 * (1 - weight), 2e-3);
    EXPECT_NEAR(out.motion().chains(0).residual_angles_rad(0), 0.8 * (1 - weight), 2e-3);
    EXPECT_EQ(out.motion().chains(0).statuses(0), v1::ChainResult::STATUS_CONVERGED);
    EXPECT_LE(Miss(setup, out, 2, {0, -0.8f, 0}), 1e-3);
  }
}

TEST(MaxStretch, AnswersTranslations) {
  v1::Setup setup = LegSetup();
  setup.mutable_rig()->mutable_chains(0)->set_max_stretch(0.25f);
  EXPECT_EQ(FieldOf(Session::Open(setup, Limits(), CallShape::kUnary).status()),
            "setup.rig.chains[0].max_stretch");
  setup.add_translated_joints(2);
  setup.add_translated_joints(1);
  v1::Motion motion = LegMotion(40, {0, -1.2f, 0});
  for (int i = 0; i < 80; ++i)
    for (float x : {0.0f, -0.5f, 0.0f}) motion.add_local_translations(x);
  const v1::SolveResponse out = Call(setup, motion);
  EXPECT_EQ(out.motion().root_positions_size(), 0);
  ASSERT_EQ(out.motion().local_translations_size(), 40 * 6);
  for (int i = 0; i < 80; ++i)
    EXPECT_NEAR(Length(LoadVec3(out.motion().local_translations().data() + 3 * i)), 0.6, 1e-6);
  EXPECT_EQ(out.motion().chains(0).statuses(39), v1::ChainResult::STATUS_CONVERGED);
  EXPECT_LE(out.motion().chains(0).residuals(39), 1e-3f);
  for (int batch : {1, 7})
    EXPECT_EQ(Call(setup, motion, batch).motion().SerializeAsString(),
              out.motion().SerializeAsString());
}

// The pull of a chain's null space: nearer to the input pose, the target met all the same.
TEST(Closeness, PullsToTheInputAndLeavesTheTargetMet) {
  v1::Setup setup = SpineAndArm(0, 0);
  setup.set_all_joints(true);
  setup.mutable_rig()->mutable_chains()->DeleteSubrange(0, 1);
  v1::Chain& arm = *setup.mutable_rig()->mutable_chains(0);
  arm.set_solver("jacobian");
  const Vec3f hand{0.9f, 0.5f, 0.4f};
  v1::Motion motion = Reach({}, hand);
  motion.mutable_targets()->DeleteSubrange(0, 1);
  motion.mutable_targets(0)->set_chain(0);
  const auto turned = [&](const v1::SolveResponse& out) {
    double sum = 0;
    for (int j = 0; j < kJoints; ++j)
      sum += AngleBetween(testing::AnswerAt(out, 0, j),
                          Cast<double>(LoadQuat(motion.local_rotations().data() + 4 * j)));
    return sum;
  };
  const v1::SolveResponse unset = Call(setup, motion);
  arm.set_closeness(0);
  EXPECT_EQ(Call(setup, motion).motion().SerializeAsString(),
            unset.motion().SerializeAsString());
  arm.set_closeness(1);
  const v1::SolveResponse close = Call(setup, motion);
  for (const v1::SolveResponse* out : {&unset, &close}) {
    EXPECT_EQ(out->motion().chains(0).statuses(0), v1::ChainResult::STATUS_CONVERGED);
    EXPECT_LE(Miss(setup, *out, 5, hand), 1.5e-3);
  }
  EXPECT_LT(turned(close), 0.99 * turned(unset));
  arm.set_closeness(1.5f);
  EXPECT_EQ(FieldOf(Session::Open(setup, Limits(), CallShape::kUnary).status()),
            "setup.rig.chains[0].closeness");
}

}  // namespace
}  // namespace ikstream
