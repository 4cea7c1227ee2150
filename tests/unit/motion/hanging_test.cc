// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// A foot that hangs beside a ledge, into whose side a sliding body has pushed it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "motion/curves.h"
#include "motion/terrain_ground.h"
#include "unit/motion/body.h"

namespace ikstream {
namespace {

using test::BodyPose;

constexpr int kFrames = 240, kOut = 60, kBack = 170, kStep = 40;
constexpr double kInside = 0.02;  // how far the heel is behind the edge, which is at z = 0

std::shared_ptr<const Terrain> Ledge() {
  TriangleMeshSpec mesh;
  mesh.positions = {-2, 0, -4, -2, 0, 0, 2, 0, 0, 2, 0, -4};
  mesh.triangles = {0, 1, 2, 0, 2, 3};
  TerrainSpec spec;
  spec.meshes.push_back(mesh);
  return *Terrain::Create(spec, UpAxis::kY);
}

// The left foot steps out over the edge, hangs 6 cm below its level, and comes back.
test::Motion Hanging() {
  return test::MakeBody(kFrames, 60, 1, [](int i) {
    BodyPose pose;
    pose.pelvis = {0, 1, -0.2};
    for (int side = 0; side < 2; ++side)
      pose.ankle[side] = {side == 0 ? 0.1 : -0.1, test::kAnkleHeight, -0.35};
    const double share = EaseQuintic((i - kOut) / static_cast<double>(kStep)) -
                         EaseQuintic((i - kBack) / static_cast<double>(kStep));
    pose.ankle[0].z += share * (0.35 - kInside);
    pose.ankle[0].y += 0.8 * share * (1 - share) - 0.06 * share;
    return pose;
  });
}

Plan PlanOn(const test::Motion& motion, const GroundQuery& ground) {
  PlannerInputs inputs;
  inputs.ground = &ground;
  Plan plan = test::MakePlan(motion, {}, inputs);
  for (FootPlan& foot : plan.feet) {
    foot.heel_offset = static_cast<float>(test::kAnkleHeight);
    foot.toe_offset = foot.tip_offset = static_cast<float>(test::kToeHeight);
  }
  return plan;
}

TEST(Hanging, AFootBesideALedgeIsMovedOutOfItNotOntoIt) {
  const test::Motion motion = Hanging();
  TerrainGround ground(Ledge(), motion.clip);
  const Plan plan = PlanOn(motion, ground);
  ASSERT_EQ(plan.feet[0].intervals.size(), 2u);
  const test::Cleaned cleaned = test::Clean(motion, plan, {}, &ground);
  for (std::int64_t i = kOut + kStep; i < kBack; ++i) {
    const Vec3d before = motion.Position(i, test::kLeftAnkle),
                after = cleaned.motion.Position(i, test::kLeftAnkle);
    EXPECT_GE(after.z, 0) << i;
    EXPECT_LE(after.z, 0.015) << "and not much farther, at " << i;
    EXPECT_LT(after.y, before.y + 0.01) << i;
  }
  for (std::int64_t i = 0; i < kFrames; ++i) {
    const Vec3d heel = cleaned.motion.Position(i, test::kLeftAnkle);
    EXPECT_TRUE(heel.z > -1e-4 || heel.y > test::kAnkleHeight - 2e-3)
        << "in the ledge at " << i;
  }
}

TEST(Hanging, TheWayOutComesAndGoesSmoothly) {
  const test::Motion motion = Hanging();
  TerrainGround ground(Ledge(), motion.clip);
  const test::Cleaned cleaned = test::Clean(motion, PlanOn(motion, ground), {}, &ground);
  const auto moved = [&](std::int64_t i) {
    return cleaned.motion.Position(i, test::kLeftAnkle) - motion.Position(i, test::kLeftAnkle);
  };
  for (std::int64_t i = 1; i + 1 < kFrames; ++i)
    EXPECT_LT(Length(moved(i + 1) - moved(i) * 2.0 + moved(i - 1)), 3e-3) << "a pop at " << i;
}

}  // namespace
}  // namespace ikstream
