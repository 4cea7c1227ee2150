// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Colliders and planar chains over the wire.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/field_error.h"
#include "core/math.h"
#include "session/session.h"
#include "unit/convert/builders.h"

namespace ikstream {
namespace {

using testing::LegMotion;
using testing::LegSetup;

v1::SolveResponse Solved(const v1::Setup& setup, const v1::Motion& motion) {
  auto session = Session::Open(setup, Limits(), CallShape::kUnary);
  EXPECT_TRUE(session.ok()) << session.status();
  Session::Replies replies;
  EXPECT_TRUE((*session)->Push(motion, Stop(), replies).ok());
  EXPECT_TRUE((*session)->Finish(Stop(), replies).ok());
  return JoinReplies(std::move(replies));
}

struct LegPoints {
  Vec3d knee, ankle;
};
LegPoints PointsOf(const v1::MotionResult& motion, int frame) {
  const float* q = motion.local_rotations().data() + 12 * frame;
  const Quatd hip = Cast<double>(LoadQuat(q)), knee = Cast<double>(LoadQuat(q + 4));
  const Vec3d bone{0, -0.5, 0}, at = Rotate(hip, bone);
  return {at, at + Rotate(hip * knee, bone)};
}

double ToSegment(Vec3d c, Vec3d a, Vec3d b) {
  const Vec3d v = b - a;
  return Length(c - (a + v * std::clamp(Dot(c - a, v) / Dot(v, v), 0.0, 1.0)));
}

// The leg with a ball on a joint beside it, as a rig would carry one on its other thigh.
v1::Setup BallSetup(float z) {
  v1::Setup setup = LegSetup();
  v1::Rig& rig = *setup.mutable_rig();
  rig.mutable_chains(0)->set_root_joint(1);
  rig.mutable_chains(0)->set_end_joint(3);
  rig.mutable_chains(0)->clear_pole();
  rig.mutable_skeleton()->clear_joints();
  *rig.mutable_skeleton()->add_joints() = testing::MakeJoint("pelvis", -1, {0, 0, 0});
  *rig.mutable_skeleton()->add_joints() = testing::MakeJoint("hip", 0, {0, 0, 0});
  *rig.mutable_skeleton()->add_joints() = testing::MakeJoint("knee", 1, {0, -0.5f, 0});
  *rig.mutable_skeleton()->add_joints() = testing::MakeJoint("ankle", 2, {0, -0.5f, 0});
  v1::Collider& ball = *rig.add_colliders();
  ball.mutable_a()->set_y(-0.5f);
  ball.mutable_a()->set_z(z);
  ball.set_radius(0.2f);
  ball.set_skin(0.05f);
  return setup;
}

// The straight leg under a bent pelvis that does not turn.
v1::Motion BallMotion(std::array<float, 3> target, float weight) {
  v1::Motion motion = LegMotion(1, target);
  const v1::Motion leg = motion;
  motion.clear_local_rotations();
  for (float v : {0.0f, 0.0f, 0.0f, 1.0f}) motion.add_local_rotations(v);
  motion.mutable_local_rotations()->MergeFrom(leg.local_rotations());
  motion.mutable_targets(0)->add_weights(weight);
  return motion;
}

TEST(ColliderSession, TheLegGoesRoundTheBall) {
  const v1::SolveResponse out = Solved(BallSetup(0.1f), BallMotion({0, -0.8f, 0}, 1));
  const v1::ChainResult& chain = out.motion().chains(0);
  EXPECT_EQ(chain.statuses(0), v1::ChainResult::STATUS_CONVERGED);
  ASSERT_EQ(chain.collider_depths_size(), 1);
  EXPECT_EQ(chain.collider_depths(0), 0);
  const LegPoints leg = PointsOf(out.motion(), 0);
  const Vec3d ball{0, -0.5, 0.1};
  EXPECT_GE(ToSegment(ball, {}, leg.knee), 0.25 - 1e-5);
  EXPECT_GE(ToSegment(ball, leg.knee, leg.ankle), 0.25 - 1e-5);
  EXPECT_LE(Length(leg.ankle - Vec3d{0, -0.8, 0}), 1e-3);
}

TEST(ColliderSession, ATargetInsideIsLimitedAndToldWithItsResidual) {
  const v1::SolveResponse out = Solved(BallSetup(0.1f), BallMotion({0, -0.5f, 0.1f}, 1));
  const v1::ChainResult& chain = out.motion().chains(0);
  EXPECT_EQ(chain.statuses(0), v1::ChainResult::STATUS_LIMITED);
  EXPECT_LE(chain.collider_depths(0), 1e-3);
  EXPECT_GE(chain.residuals(0), 0.249);
  EXPECT_LE(chain.residuals(0), 0.27);
}

TEST(ColliderSession, DepthsAreThoseOfTheOutput) {
  const v1::SolveResponse out = Solved(BallSetup(0.1f), BallMotion({0, -0.8f, 0}, 0));
  EXPECT_NEAR(out.motion().chains(0).collider_depths(0), 0.15, 1e-5);
  v1::Setup ignored = BallSetup(0.1f);
  ignored.mutable_rig()->mutable_colliders(0)->add_ignored_by(0);
  const v1::SolveResponse free = Solved(ignored, BallMotion({0, -0.8f, 0}, 0));
  EXPECT_EQ(free.motion().chains(0).collider_depths(0), 0);
  EXPECT_EQ(Solved(LegSetup(), LegMotion(1)).motion().chains(0).collider_depths_size(), 0);
}

TEST(PlanarSession, TheLegBendsInItsPlane) {
  v1::Setup setup = LegSetup();
  v1::Chain& chain = *setup.mutable_rig()->mutable_chains(0);
  chain.mutable_plane_normal()->set_x(2);
  for (const char* solver : {"auto", "two_bone", "fabrik", "ccd", "jacobian"}) {
    chain.set_solver(solver);
    const v1::SolveResponse out = Solved(setup, LegMotion(1, {0.1f, -0.7f, 0.2f}));
    const LegPoints leg = PointsOf(out.motion(), 0);
    EXPECT_NEAR(leg.knee.x, 0, 1e-6) << solver;
    EXPECT_NEAR(leg.ankle.x, 0, 1e-6) << solver;
    EXPECT_NEAR(Length(leg.ankle - Vec3d{0, -0.7, 0.2}), 0, 1e-3) << solver;
    EXPECT_GT(leg.knee.z, leg.ankle.z) << solver;  // the pole's side
    EXPECT_NEAR(out.motion().chains(0).residuals(0), 0.1, 1e-3) << solver;
    EXPECT_EQ(out.motion().chains(0).statuses(0), v1::ChainResult::STATUS_UNREACHABLE);
  }
}

}  // namespace
}  // namespace ikstream
