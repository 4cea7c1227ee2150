// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Limits in a clean-up: those of the rig hold to the letter, those of ankles are widened to
// what the source does. Judged by angles between bones.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "motion/ankle_limit.h"
#include "unit/motion/body.h"

namespace ikstream {
namespace {

using test::BodyPose;

constexpr double kDegree = std::numbers::pi / 180;
constexpr int kLeftHip = 1, kLeftKnee = 2;

double AngleAt(const test::Motion& motion, std::int64_t frame, int a, int b, int c) {
  const Vec3d u = motion.Position(frame, b) - motion.Position(frame, a);
  const Vec3d v = motion.Position(frame, c) - motion.Position(frame, b);
  return std::atan2(Length(Cross(u, v)), Dot(u, v));
}

// Stands on knees bent by about 74 degrees; the left foot creeps by a millimetre a frame.
test::Motion Crouching() {
  return test::MakeBody(120, 60, 1, [](int i) {
    BodyPose pose;
    pose.pelvis = {0, 0.88, 0};
    pose.ankle[0] = {0.1, 0.08, 0.001 * i};
    pose.ankle[1] = {-0.1, 0.08, 0};
    return pose;
  });
}

// The left foot is asked to stand higher, so that the knee has to bend more.
Plan RaisedPlan(const test::Motion& motion, float by) {
  Plan plan = test::MakePlan(motion);
  EXPECT_GE(plan.feet[0].intervals.size(), 1u);
  plan.feet[0].heel_offset += by;
  plan.feet[0].toe_offset += by;
  plan.feet[0].tip_offset += by;
  return plan;
}

TEST(Limits, TheRigsOwnHoldToTheLetter) {
  test::Motion motion = Crouching();
  const Plan plan = RaisedPlan(motion, 0.1f);
  CleanupSettings settings;
  settings.limits.ankle_up_rad = 1.5f;
  const test::Cleaned free = test::Clean(motion, plan, settings);
  const double own = AngleAt(motion, 60, kLeftHip, kLeftKnee, test::kLeftAnkle);
  EXPECT_GT(AngleAt(free.motion, 60, kLeftHip, kLeftKnee, test::kLeftAnkle), own + 0.1);
  EXPECT_EQ(free.report.limit_hits, 0);

  const double most = own + 0.05;
  motion.clip.limits.resize(static_cast<std::size_t>(motion.clip.skeleton->size()));
  motion.clip.limits[kLeftKnee] = HingeLimit{{1, 0, 0}, 0, static_cast<float>(most)};
  const test::Cleaned strict = test::Clean(motion, plan, settings);
  int moved = 0;
  for (std::int64_t i = 0; i < 120; ++i) {
    EXPECT_LT(AngleAt(strict.motion, i, kLeftHip, kLeftKnee, test::kLeftAnkle), most + 1e-4)
        << i;
    moved += strict.batch.feet[0].weights[static_cast<std::size_t>(i)] > 0;
  }
  EXPECT_GT(moved, 60);
  EXPECT_GT(strict.report.limit_hits, 0);
  EXPECT_GT(strict.batch.feet[0].residuals[60], 0.01f) << "what is missing is told";
}

class AnkleLimitTest : public ::testing::Test {
 protected:
  AnkleLimit Made() const {
    return AnkleLimit(motion.clip, motion.clip.feet[0], WithDefaults(settings).limits);
  }
  // The foot's local rotation, toes down by an angle from the rest pose.
  static Quatf Pointed(double down) { return Cast<float>(FromAxisAngle(Vec3d{1, 0, 0}, down)); }
  // The angle by which a solved foot points down once it is clamped.
  double Clamped(double sent, double solved, bool hits) const {
    const Quatf from = Pointed(sent);
    Quatf to = Pointed(solved);
    const float a[4] = {from.x, from.y, from.z, from.w};
    float b[4] = {to.x, to.y, to.z, to.w};
    EXPECT_EQ(Made().Clamp(a, b), hits) << sent << " " << solved;
    return 2 * std::atan2(static_cast<double>(b[0]), static_cast<double>(b[3]));
  }

  const test::Motion motion = Crouching();
  CleanupSettings settings;
};

TEST_F(AnkleLimitTest, FeetPointDownByFiftyDegreesAndUpByThirty) {
  EXPECT_NEAR(Clamped(0, 0.5, false), 0.5, 1e-6);
  EXPECT_NEAR(Clamped(0, 70 * kDegree, true), 50 * kDegree, 1e-5);
  EXPECT_NEAR(Clamped(0, -45 * kDegree, true), -30 * kDegree, 1e-5);
}

TEST_F(AnkleLimitTest, TheSourcesOwnRangeIsAllowed) {
  EXPECT_NEAR(Clamped(62 * kDegree, 70 * kDegree, false), 70 * kDegree, 1e-5);
  EXPECT_NEAR(Clamped(62 * kDegree, 80 * kDegree, true), 72 * kDegree, 1e-5);
}

TEST_F(AnkleLimitTest, SettingsHold) {
  settings.limits.ankle_down_rad = 0.3f;
  EXPECT_NEAR(Clamped(0, 0.5, true), 0.3, 1e-5);
  settings.limits.enabled = false;
  EXPECT_NEAR(Clamped(0, 2, false), 2, 1e-5);
}

// In a clip: the shin leans forward over a foot that stays level.
TEST(Limits, AnAnkleThatBendsTooFarGivesWay) {
  const test::Motion motion = Crouching();
  const Plan plan = RaisedPlan(motion, 0.2f);
  CleanupSettings settings;
  const test::Cleaned cleaned = test::Clean(motion, plan, settings);
  settings.limits.enabled = false;
  const test::Cleaned free = test::Clean(motion, plan, settings);
  const auto up = [](const test::Motion& m, std::int64_t i) {
    // 90 degrees less the angle between foot and shin, from the rest pose's.
    const double rest = std::atan2(0.15, test::kAnkleHeight - test::kToeHeight);
    return AngleAt(m, i, kLeftKnee, test::kLeftAnkle, test::kLeftToe) - rest;
  };
  EXPECT_GT(up(free.motion, 60), up(motion, 60) + 12 * kDegree);
  EXPECT_LE(up(cleaned.motion, 60), up(motion, 60) + 10 * kDegree + 1e-3);
  EXPECT_GT(cleaned.report.limit_hits, 0);
}

}  // namespace
}  // namespace ikstream
