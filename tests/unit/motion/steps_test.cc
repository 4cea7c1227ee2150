// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Feet on stairs of a body that slid or sank.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "motion/terrain_ground.h"
#include "unit/motion/body.h"

namespace ikstream {
namespace {

using test::BodyPose;

constexpr float kRise = 0.17f, kNose = 0.3f;

// A tread at 0 before z = kNose, one at kRise behind.
std::shared_ptr<const Terrain> OneStep() {
  TriangleMeshSpec mesh;
  mesh.positions = {-2, 0,     -4,    -2, 0,     kNose, 2, 0,     kNose, 2, 0,     -4,
                    -2, kRise, kNose, -2, kRise, 4,     2, kRise, 4,     2, kRise, kNose};
  mesh.triangles = {0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7};
  TerrainSpec spec;
  spec.meshes.push_back(mesh);
  return *Terrain::Create(spec, UpAxis::kY);
}

// Both feet stand with the ankle at z = 0: the toe at 0.15, the tip at 0.21. `slid`: the whole
// body is that much farther ahead.
test::Motion Standing(double slid, double sunk) {
  return test::MakeBody(120, 60, 1, [=](int) {
    BodyPose pose;
    pose.pelvis = {0, 1.0 - sunk, slid};
    for (int side = 0; side < 2; ++side)
      pose.ankle[side] = {side == 0 ? 0.1 : -0.1, test::kAnkleHeight - sunk, slid};
    return pose;
  });
}

Plan PlanOn(const GroundQuery& ground, const test::Motion& motion) {
  PlannerInputs inputs;
  inputs.ground = &ground;
  return test::MakePlan(motion, {}, inputs);
}

TEST(Steps, ToesInARiserAreMovedOutOfIt) {
  const test::Motion motion = Standing(0.13, 0);  // the tip at 0.34, 4 cm behind the nose
  TerrainGround ground(OneStep(), motion.clip);
  const Plan plan = PlanOn(ground, motion);
  for (const FootPlan& foot : plan.feet) {
    ASSERT_EQ(foot.intervals.size(), 1u);
    EXPECT_NEAR(foot.tip_offset, test::kToeHeight, 2e-3) << "over its own tread";
    const Vec3f anchor = *foot.intervals[0].anchors[0].position;
    EXPECT_LT(anchor.z + 0.06, kNose) << "the tip is out of the riser";
    EXPECT_GT(anchor.z + 0.06, kNose - 0.02) << "and not much farther";
    EXPECT_NEAR(anchor.y, test::kToeHeight, 2e-3) << "on the lower tread";
  }
  const test::Cleaned cleaned = test::Clean(motion, plan, {}, &ground);
  for (int i = 0; i < 120; i += 10) {
    const Vec3d toe = cleaned.motion.Position(i, test::kLeftToe);
    EXPECT_NEAR(toe.y, test::kToeHeight, 2e-3) << i;
    EXPECT_LT(toe.z + 0.06, kNose) << i;
  }
}

TEST(Steps, FeetThatAreClearStayWhereTheyStand) {
  const test::Motion motion = Standing(0.05, 0);  // the tip at 0.26
  TerrainGround ground(OneStep(), motion.clip);
  for (const FootPlan& foot : PlanOn(ground, motion).feet)
    EXPECT_NEAR(foot.intervals[0].anchors[0].position->z, 0.20, 1e-5);
}

TEST(Steps, AnAnchorThatIsGivenIsObeyed) {
  const test::Motion motion = Standing(0.13, 0);
  TerrainGround ground(OneStep(), motion.clip);
  ContactInterval given;
  given.end = 120;
  given.anchors = {{0, Anchor::Point::kToe, Vec3f{0.1f, 0.02f, 0.28f}}};
  PlannerInputs inputs;
  inputs.ground = &ground;
  inputs.contacts = {{0, {given}}};
  const Plan plan = test::MakePlan(motion, {}, inputs);
  EXPECT_EQ(plan.feet[0].intervals[0].anchors[0].position->z, 0.28f);
}

// The whole body sinks slowly by 2 cm and comes up again: it is raised, its knees stay nearly
// as they are.
TEST(Sunk, ABodyIsRaisedAndKeepsItsKnees) {
  const auto sunk = [](int i) { return 0.01 - 0.01 * std::cos(i * 0.05); };
  const auto pose = [&](int i) {
    BodyPose at;
    at.pelvis = {0, 1.02 - sunk(i), 0};
    for (int side = 0; side < 2; ++side)
      at.ankle[side] = {side == 0 ? 0.1 : -0.1, test::kAnkleHeight - sunk(i), 0};
    return at;
  };
  const test::Motion motion = test::MakeBody(240, 60, 1, pose);
  TerrainGround ground(OneStep(), motion.clip);
  Plan plan = PlanOn(ground, motion);
  for (FootPlan& foot : plan.feet) {
    foot.heel_offset = static_cast<float>(test::kAnkleHeight);
    foot.toe_offset = foot.tip_offset = static_cast<float>(test::kToeHeight);
  }
  const test::Cleaned cleaned = test::Clean(motion, plan, {}, &ground);
  for (int i = 0; i < 240; i += 8) {
    EXPECT_NEAR(cleaned.motion.Position(i, 0).y, 1.02, 6e-3) << i;
    EXPECT_NEAR(cleaned.motion.Position(i, test::kLeftToe).y, test::kToeHeight, 2e-3) << i;
  }
  EXPECT_LT(cleaned.report.after.feet[0].knee_speed_p99_deg,
            cleaned.report.before.feet[0].knee_speed_p99_deg + 10);
}

}  // namespace
}  // namespace ikstream
