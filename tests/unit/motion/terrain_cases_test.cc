// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Clean-up on ground that the caller brings: slopes and moving platforms.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "motion/terrain_ground.h"
#include "unit/motion/body.h"

namespace ikstream {
namespace {

using test::BodyPose;

constexpr double kPi = std::numbers::pi;

BodyPose Standing() {
  BodyPose pose;
  pose.pelvis.y = 1.0;
  for (Vec3d& ankle : pose.ankle) ankle.y = 0.08;
  return pose;
}

// A level animation on a slope of 10 degrees: soles lie on the slope.
TEST(TerrainCases, SolesAreTurnedToTheSlope) {
  const test::Motion motion = test::MakeBody(90, 30, 1, [](int) { return Standing(); });
  const double slope = 10 * kPi / 180;
  const Vec3d normal{0, std::cos(slope), std::sin(slope)};
  const PlaneGround ground({0, 0, 0.05}, normal, {0, 1, 0});
  PlannerInputs inputs;
  inputs.ground = &ground;
  Plan plan = test::MakePlan(motion, {}, inputs);
  EXPECT_EQ(plan.floor.kind, Floor::Kind::kTerrain);
  ASSERT_EQ(plan.feet[0].intervals.size(), 1u);
  for (FootPlan& foot : plan.feet) {
    foot.heel_offset = 0.08f;
    foot.toe_offset = foot.tip_offset = 0.02f;
  }
  const test::Cleaned cleaned = test::Clean(motion, plan, {}, &ground);
  for (int joint : {test::kLeftAnkle, test::kLeftToe}) {
    const double over = Dot(cleaned.motion.Position(45, joint) - Vec3d{0, 0, 0.05}, normal);
    EXPECT_NEAR(over, joint == test::kLeftAnkle ? 0.08 : 0.02, 5e-3);
  }
  CleanupSettings level;
  level.sole.align = false;
  const test::Cleaned kept = test::Clean(motion, plan, level, &ground);
  const Vec3d foot =
      kept.motion.Position(45, test::kLeftToe) - kept.motion.Position(45, test::kLeftAnkle);
  EXPECT_NEAR(foot.y, -0.06, 1e-3) << "without alignment the foot stays level";
}

// A plane that a platform carries to and fro and turns; the body rides on it and slides.
class PlatformTest : public ::testing::Test {
 protected:
  static constexpr int kFrames = 240;

  static Placement At(int frame) {
    const double t = frame / 60.0;
    return {{0.6 * std::sin(t), 0.05 * std::sin(2 * t), 0.3 * t},
            FromAxisAngle(Vec3d{0, 1, 0}, 0.1 * std::sin(t))};
  }

  PlatformTest() {
    TerrainSpec spec;
    spec.planes = {{{0, 0, 0}, {0, 1, 0}, "lift"}};
    terrain_ = *Terrain::Create(spec, UpAxis::kY);
    for (int i = 0; i < kFrames; ++i) {
      const Placement at = At(i);
      const Vec3f p = Cast<float>(at.position);
      const Quatf q = Cast<float>(at.rotation);
      positions_.insert(positions_.end(), {p.x, p.y, p.z});
      rotations_.insert(rotations_.end(), {q.x, q.y, q.z, q.w});
    }
    motion_ = test::MakeBody(kFrames, 60, 1, [](int i) {
      BodyPose pose = Standing();
      const double slide = 0.02 * std::sin(2 * kPi * 0.4 * i / 60);
      const Placement at = At(i);
      pose.pelvis = at.ToWorld(pose.pelvis);
      for (Vec3d& ankle : pose.ankle) ankle = at.ToWorld(ankle + Vec3d{0, 0, slide});
      return pose;
    });
    ground_ = std::make_unique<TerrainGround>(terrain_, motion_.clip);
    ground_->SetFrames(0, {{{positions_.data(), 3}, {rotations_.data(), 4}}});
  }

  std::shared_ptr<const Terrain> terrain_;
  std::vector<float> positions_, rotations_;
  test::Motion motion_;
  std::unique_ptr<TerrainGround> ground_;
};

TEST_F(PlatformTest, FeetStandStillInItsFrame) {
  PlannerInputs inputs;
  inputs.ground = ground_.get();
  const Plan plan = test::MakePlan(motion_, {}, inputs);
  ASSERT_EQ(plan.feet[0].intervals.size(), 1u);
  EXPECT_EQ(plan.feet[0].intervals[0].platform, "lift");
  const test::Cleaned cleaned = test::Clean(motion_, plan, {}, ground_.get());
  const Vec3d first = At(10).FromWorld(cleaned.motion.Position(10, test::kLeftToe));
  for (int i = 10; i < kFrames; i += 5) {
    const Vec3d now = At(i).FromWorld(cleaned.motion.Position(i, test::kLeftToe));
    EXPECT_LT(std::hypot(now.x - first.x, now.z - first.z), 1e-3) << i;
    EXPECT_NEAR(now.y, first.y, 2e-3) << i;
  }
}

TEST_F(PlatformTest, BatchesDoNotMatter) {
  PlannerInputs inputs;
  inputs.ground = ground_.get();
  const Plan plan = test::MakePlan(motion_, {}, inputs);
  const test::Cleaned whole = test::Clean(motion_, plan, {}, ground_.get());
  auto cleaner = *Cleaner::Create(motion_.clip, plan, {}, ground_.get());
  CleanBatch batch;
  for (int i = 0; i < kFrames; i += 7) {
    ground_->SetFrames(i, {{{positions_.data() + 3 * i, 3}, {rotations_.data() + 4 * i, 4}}});
    ASSERT_TRUE(cleaner->Push(motion_.View(i, std::min(7, kFrames - i)), batch).ok());
  }
  ASSERT_TRUE(cleaner->Finish(batch).ok());
  EXPECT_EQ(batch.local_rotations, whole.batch.local_rotations);
  EXPECT_EQ(batch.root_positions, whole.batch.root_positions);
}

// No ground under a foot: its anchor holds it, the other leg alone moves the pelvis.
TEST(TerrainCases, SamplesThatMissAreNoGround) {
  const test::Motion motion = test::MakeBody(90, 30, 1, [](int) { return Standing(); });
  SampleGround ground(motion.clip);
  const std::vector<float> hit = {0.1f, 0, 0};
  const bool missed[] = {false};
  SampledFoot left, right;
  left.heel.positions = hit;
  left.toe.positions = hit;
  right.heel.hits = missed;
  ground.SetFrames(0, {left, right}, {}, {});
  PlannerInputs inputs;
  inputs.ground = &ground;
  inputs.ground_kind = Floor::Kind::kSamples;
  const Plan plan = test::MakePlan(motion, {}, inputs);
  EXPECT_EQ(plan.feet[0].intervals.size(), 1u);
  EXPECT_TRUE(plan.feet[1].intervals.empty());
}

}  // namespace
}  // namespace ikstream
