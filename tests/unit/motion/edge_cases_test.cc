// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Where contacts begin and end between two frames or with the clip, and what planted feet do
// there and while they roll.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "motion/ground.h"
#include "unit/motion/body.h"

namespace ikstream {
namespace {

using test::BodyPose;

constexpr double kPi = std::numbers::pi;

const PlaneGround& Level() {
  static const PlaneGround* const ground = new PlaneGround({0, 0, 0}, {0, 1, 0}, {0, 1, 0});
  return *ground;
}

// The left foot as `pose` has it, the right one at rest.
test::Motion Body(int frames, double fps, const std::function<void(int, BodyPose&)>& pose) {
  return test::MakeBody(frames, fps, 1, [&](int i) {
    BodyPose body;
    for (Vec3d& ankle : body.ankle) ankle.y = test::kAnkleHeight;
    pose(i, body);
    return body;
  });
}

Plan PlanOnLevel(const test::Motion& motion) {
  PlannerInputs inputs;
  inputs.ground = &Level();
  Plan plan = test::MakePlan(motion, {}, inputs);
  for (FootPlan& foot : plan.feet) {
    foot.heel_offset = static_cast<float>(test::kAnkleHeight);
    foot.toe_offset = foot.tip_offset = static_cast<float>(test::kToeHeight);
  }
  return plan;
}

// Heights of the left foot's lowest point over its sole.
double LowestOver(const test::Motion& motion, std::int64_t i) {
  const double heel = motion.Position(i, test::kLeftAnkle).y - test::kAnkleHeight;
  const double toe = motion.Position(i, test::kLeftToe).y - test::kToeHeight;
  return std::min(heel, toe);
}

// A heel that rises about the toe's point.
void Roll(double pitch, Vec3d& ankle, double& angle) {
  const Vec3d toe = ankle + Vec3d{0, test::kToeHeight - test::kAnkleHeight, 0.15};
  angle = pitch;
  ankle = toe + Rotate(FromAxisAngle(Vec3d{1, 0, 0}, pitch), ankle - toe);
}

// The foot comes down in the last 0.08 s of the clip: too short a run for a contact elsewhere.
TEST(EdgeCases, AContactThatTheClipCutsOffIsFound) {
  const test::Motion motion = Body(120, 60, [](int i, BodyPose& body) {
    if (i > 60 && i < 115) body.ankle[0].y += 0.2 * std::sin(kPi * (i - 60) / 55.0);
  });
  const Plan plan = PlanOnLevel(motion);
  ASSERT_EQ(plan.feet[0].intervals.size(), 2u);
  EXPECT_NEAR(static_cast<double>(plan.feet[0].intervals[1].begin), 115, 2);
  EXPECT_EQ(plan.feet[0].intervals[1].end, 120);
}

// At 30 frames/s: 3 mm over the ground and slow, and down a frame later. The body slides.
TEST(EdgeCases, AContactBeginsWhenTheFootIsDown) {
  const test::Motion motion = Body(90, 30, [](int i, BodyPose& body) {
    for (Vec3d& ankle : body.ankle) ankle.z = 0.0004 * i;
    if (i > 20 && i < 50) body.ankle[0].y += 0.003 + 0.2 * std::sin(kPi * (i - 20) / 29.0);
  });
  const Plan plan = PlanOnLevel(motion);
  ASSERT_EQ(plan.feet[0].intervals.size(), 2u);
  EXPECT_EQ(plan.feet[0].intervals[1].begin, 50);
}

// At 30 frames/s: down and slow, but it comes forward by 4 mm before it rests. The body slides.
TEST(EdgeCases, AContactBeginsWhenTheFootRests) {
  const test::Motion motion = Body(90, 30, [](int i, BodyPose& body) {
    for (Vec3d& ankle : body.ankle) ankle.z = 0.0004 * i;
    if (i > 20 && i < 49) body.ankle[0].y += 0.2 * std::sin(kPi * (i - 20) / 29.0);
    if (i > 20 && i < 50) body.ankle[0].z -= 0.004 * std::min(50 - i, 5) * (50 - i);
  });
  const Plan plan = PlanOnLevel(motion);
  ASSERT_EQ(plan.feet[0].intervals.size(), 2u);
  EXPECT_EQ(plan.feet[0].intervals[1].begin, 50);
}

// The body comes up by 6 mm while the heel is up: the toes stay down all the same.
TEST(EdgeCases, ARollingFootIsPulledDownToItsGround) {
  const test::Motion motion = Body(120, 60, [](int i, BodyPose& body) {
    Roll(0.5 * std::clamp((i - 40) / 20.0, 0.0, 1.0), body.ankle[0], body.pitch[0]);
    const double up = 0.006 * std::clamp((i - 60) / 40.0, 0.0, 1.0);
    for (Vec3d& ankle : body.ankle) ankle.y += up;
    body.pelvis.y += up;
  });
  const Plan plan = PlanOnLevel(motion);
  ASSERT_EQ(plan.feet[0].intervals.size(), 1u);
  const test::Cleaned cleaned = test::Clean(motion, plan, {}, &Level());
  EXPECT_GT(LowestOver(motion, 110), 5e-3);
  for (std::int64_t i = 0; i < 120; ++i)
    EXPECT_NEAR(LowestOver(cleaned.motion, i), 0, 1e-3) << i;
}

// A foot that stands well sinks by 12 mm within 0.1 s.
TEST(EdgeCases, AFootThatSinksFastIsLiftedAtOnce) {
  const test::Motion motion = Body(60, 60, [](int i, BodyPose& body) {
    const double down = 0.012 * std::clamp((i - 20) / 6.0, 0.0, 1.0);
    for (Vec3d& ankle : body.ankle) ankle.y -= down;
    body.pelvis.y -= down;
  });
  const Plan plan = PlanOnLevel(motion);
  ASSERT_EQ(plan.feet[0].intervals.size(), 1u);
  const test::Cleaned cleaned = test::Clean(motion, plan, {}, &Level());
  const test::Cleaned again = test::Clean(cleaned.motion, plan, {}, &Level());
  for (std::int64_t i = 0; i < 60; ++i) {
    EXPECT_GT(LowestOver(cleaned.motion, i), -1.1e-3) << i;
    EXPECT_NEAR(LowestOver(again.motion, i), LowestOver(cleaned.motion, i), 5e-4) << i;
  }
}

// A body that sank by 10 mm comes up by 8 within 0.05 s, long before the foot leaves: it stays
// on the ground meanwhile.
TEST(EdgeCases, AFootWhoseBodyComesUpFastStaysDown) {
  const test::Motion motion = Body(120, 60, [](int i, BodyPose& body) {
    const double down = 0.010 - 0.008 * std::clamp((i - 60) / 3.0, 0.0, 1.0);
    for (Vec3d& ankle : body.ankle) ankle.y -= down;
    body.pelvis.y -= down + 0.05;
  });
  const Plan plan = PlanOnLevel(motion);
  ASSERT_EQ(plan.feet[0].intervals.size(), 1u);
  const test::Cleaned cleaned = test::Clean(motion, plan, {}, &Level());
  for (std::int64_t i = 0; i < 120; ++i)
    EXPECT_NEAR(LowestOver(cleaned.motion, i), 0, 1e-3) << i;
}

// The body is sinking when the clip begins, or rising when it ends: legs that stand keep their
// bend there, too.
TEST(EdgeCases, LegsKeepTheirBendWhereTheClipCutsIntoASinkingBody) {
  constexpr int kFrames = 120;
  const test::Motion motion = Body(kFrames, 60, [](int i, BodyPose& body) {
    const double down = 0.005 + 0.0003 * std::min(i, kFrames - 1 - i);
    for (Vec3d& ankle : body.ankle) ankle.y -= down;
    body.pelvis.y -= down + 0.05;
  });
  const Plan plan = PlanOnLevel(motion);
  const test::Cleaned cleaned = test::Clean(motion, plan, {}, &Level());
  const auto leg = [&](std::int64_t i) {
    return cleaned.motion.Position(i, 0).y - cleaned.motion.Position(i, test::kLeftAnkle).y;
  };
  for (const std::int64_t edge : {0, kFrames - 11})
    for (std::int64_t i = edge; i < edge + 10; ++i)
      EXPECT_NEAR(leg(i + 1), leg(i), 1.2e-4) << i << ": the body sinks by 3e-4 a frame";
}

}  // namespace
}  // namespace ikstream
