// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Faults that clean-ups have shipped, as small inputs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "unit/motion/body.h"

namespace ikstream {
namespace {

using test::BodyPose;

constexpr double kPi = std::numbers::pi;

double Wave(int frame, double fps, double hz) { return std::sin(2 * kPi * hz * frame / fps); }

// Horizontal distance of a joint between the frame and frame `from`, metres of a unit of 1.
double Drift(const test::Motion& motion, int joint, std::int64_t from, std::int64_t i) {
  const Vec3d step = motion.Position(i, joint) - motion.Position(from, joint);
  return std::hypot(step.x, step.z);
}

double WorstDrift(const test::Motion& motion, int joint, std::int64_t begin, std::int64_t end) {
  double worst = 0;
  for (std::int64_t i = begin; i < end; ++i)
    worst = std::max(worst, Drift(motion, joint, begin, i));
  return worst;
}

CleanupSettings FlatAtZero() {
  CleanupSettings settings;
  settings.floor.mode = FloorSettings::Mode::kFlat;
  settings.floor.height = 0;
  return settings;
}

// F05: straight legs, the body sways by 2 cm and takes the feet along a little.
TEST(FootCases, IdleSwayOverStraightLegs) {
  const test::Motion motion = test::MakeBody(240, 60, 1, [](int i) {
    BodyPose pose;
    const double sway = 0.02 * Wave(i, 60, 0.4);
    pose.pelvis = {sway, 1.08, 0};
    pose.ankle[0] = {0.1 + 0.3 * sway, 0.08, 0};
    pose.ankle[1] = {-0.1 + 0.3 * sway, 0.08, 0};
    return pose;
  });
  const Plan plan = test::MakePlan(motion);
  ASSERT_EQ(plan.feet[0].intervals.size(), 1u);
  const test::Cleaned cleaned = test::Clean(motion, plan);
  EXPECT_GT(WorstDrift(motion, test::kLeftToe, 0, 240), 5e-3);
  EXPECT_LT(WorstDrift(cleaned.motion, test::kLeftToe, 0, 240), 1e-3);
  EXPECT_LT(WorstDrift(cleaned.motion, test::kRightToe, 0, 240), 1e-3);
}

// F12: a planted foot is 4 cm under a floor that is given, for ten frames.
TEST(FootCases, SinkingForTenFrames) {
  const test::Motion motion = test::MakeBody(240, 60, 1, [](int i) {
    BodyPose pose;
    pose.pelvis.y = 1.0;
    for (Vec3d& ankle : pose.ankle) ankle.y = 0.08;
    const double t = (i - 100) / 10.0;
    if (t > 0 && t < 1) pose.ankle[0].y -= 0.04 * std::sin(kPi * t);
    return pose;
  });
  const Plan plan = test::MakePlan(motion, FlatAtZero());
  EXPECT_NEAR(plan.feet[0].toe_offset, test::kToeHeight, 1e-3);
  const test::Cleaned cleaned = test::Clean(motion, plan);
  for (std::int64_t i = 1; i + 1 < 240; ++i) {
    const Vec3d before = cleaned.motion.Position(i - 1, test::kLeftToe),
                now = cleaned.motion.Position(i, test::kLeftToe),
                after = cleaned.motion.Position(i + 1, test::kLeftToe);
    EXPECT_GE(now.y, test::kToeHeight - 0.002) << i;
    EXPECT_LT(Length(after - now * 2.0 + before), 1.5e-3) << "a pop at " << i;
  }
}

// The same while the foot swings: too short for a contact, still no penetration and no pop.
TEST(FootCases, SinkingInSwing) {
  const test::Motion motion = test::MakeBody(240, 60, 1, [](int i) {
    BodyPose pose;
    pose.pelvis = {0, 1.0, 0.02 * i};
    for (int side = 0; side < 2; ++side)
      pose.ankle[side] = {side == 0 ? 0.1 : -0.1, 0.28, 0.02 * i};
    const double t = (i - 100) / 40.0;
    if (t > 0 && t < 1) pose.ankle[0].y -= 0.24 * std::sin(kPi * t) * std::sin(kPi * t);
    return pose;
  });
  Plan plan = test::MakePlan(motion, FlatAtZero());
  plan.feet[0].heel_offset = 0.08f;
  plan.feet[0].toe_offset = plan.feet[0].tip_offset = 0.02f;
  const test::Cleaned cleaned = test::Clean(motion, plan);
  double lowest = 1;
  for (std::int64_t i = 0; i < 240; ++i)
    lowest = std::min(lowest, motion.Position(i, test::kLeftToe).y);
  EXPECT_LT(lowest, 0);
  for (std::int64_t i = 1; i + 1 < 240; ++i) {
    const Vec3d before = cleaned.motion.Position(i - 1, test::kLeftToe),
                now = cleaned.motion.Position(i, test::kLeftToe),
                after = cleaned.motion.Position(i + 1, test::kLeftToe);
    EXPECT_GE(now.y, test::kToeHeight - 0.002) << i;
    EXPECT_LT(Length(after - now * 2.0 + before), 5e-3) << "a pop at " << i;
  }
}

// F13: the whole body shakes by 3 cm, feet and all.
TEST(FootCases, ShakenSideways) {
  const test::Motion motion = test::MakeBody(300, 60, 1, [](int i) {
    BodyPose pose;
    const double shake = 0.03 * Wave(i, 60, 0.5);
    pose.pelvis = {shake, 1.03, 0};
    pose.ankle[0] = {0.1 + shake, 0.08, 0};
    pose.ankle[1] = {-0.1 + shake, 0.08, 0};
    return pose;
  });
  const Plan plan = test::MakePlan(motion);
  ASSERT_EQ(plan.feet[0].intervals.size(), 1u);
  const test::Cleaned cleaned = test::Clean(motion, plan);
  EXPECT_LT(WorstDrift(cleaned.motion, test::kLeftToe, 0, 300), 1e-3);
  EXPECT_LT(WorstDrift(cleaned.motion, test::kRightToe, 0, 300), 1e-3);
}

TEST(FootCases, ShakenUpAndDownNeedsThePelvis) {
  const test::Motion motion = test::MakeBody(300, 60, 1, [](int i) {
    BodyPose pose;
    const double shake = 0.015 + 0.015 * Wave(i, 60, 0.5);
    pose.pelvis.y = 1.06 + shake;
    pose.ankle[0] = {0.1, 0.08 + shake, 0};
    pose.ankle[1] = {-0.1, 0.08 + shake, 0};
    return pose;
  });
  const Plan plan = test::MakePlan(motion, FlatAtZero());
  ASSERT_EQ(plan.feet[0].intervals.size(), 1u);
  const test::Cleaned cleaned = test::Clean(motion, plan);
  EXPECT_LT(WorstDrift(cleaned.motion, test::kLeftToe, 0, 300), 1e-3);
  for (std::int64_t i = 0; i < 300; ++i)
    EXPECT_NEAR(cleaned.motion.Position(i, test::kLeftToe).y, test::kToeHeight, 1e-3) << i;
  EXPECT_LT(*std::min_element(cleaned.batch.pelvis_offsets.begin(),
                              cleaned.batch.pelvis_offsets.end()),
            -0.01f);
}

// F15: an anchor that is farther away than the source's leg ever reaches.
TEST(FootCases, NoLegReachesFartherThanTheSource) {
  const test::Motion motion = test::MakeBody(120, 60, 1, [](int) {
    BodyPose pose;
    pose.pelvis.y = 1.05;
    for (Vec3d& ankle : pose.ankle) ankle.y = 0.08;
    return pose;
  });
  Plan plan = test::MakePlan(motion);
  plan.feet[0].intervals[0].anchors[0].position->z += 0.35f;
  CleanupSettings settings;
  settings.pelvis.max_down_m = settings.pelvis.max_horizontal_m = 0;
  const test::Cleaned cleaned = test::Clean(motion, plan, settings);
  for (std::int64_t i = 0; i < 120; ++i)
    EXPECT_LE(
        Length(cleaned.motion.Position(i, test::kLeftAnkle) - cleaned.motion.Position(i, 1)),
        0.985 + 1e-4);
  EXPECT_GT(cleaned.batch.feet[0].residuals[60], 0.02f);
  EXPECT_GT(cleaned.report.unreachable_max_mm, 20);
}

// Knees keep their side where the source's leg is all but straight.
TEST(FootCases, StraightKneesBendForward) {
  const test::Motion motion = test::MakeBody(120, 60, 1, [](int i) {
    BodyPose pose;
    pose.pelvis = {0, 1.08, 0.01 * Wave(i, 60, 0.5)};
    for (Vec3d& ankle : pose.ankle) ankle.y = 0.08;
    return pose;
  });
  Plan plan = test::MakePlan(motion);
  plan.feet[0].intervals[0].anchors[0].position->x += 0.05f;
  const test::Cleaned cleaned = test::Clean(motion, plan);
  for (std::int64_t i = 0; i < 120; ++i) {
    const Vec3d hip = cleaned.motion.Position(i, 1), knee = cleaned.motion.Position(i, 2),
                ankle = cleaned.motion.Position(i, 3);
    EXPECT_GE((knee - (hip + ankle) * 0.5).z, -1e-3) << i;
  }
  EXPECT_EQ(cleaned.report.sign_flips, 0);
}

}  // namespace
}  // namespace ikstream
