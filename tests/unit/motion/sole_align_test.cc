// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// How planted feet are laid on ground that is bent otherwise where their anchor is.
#include "motion/sole_align.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "unit/motion/body.h"

namespace ikstream {
namespace {

using test::BodyPose;

constexpr double kDegree = std::numbers::pi / 180;

// The turn after `frames` of a contact whose foot is pitched by `pitch(frame)` degrees; the toe
// comes down in frame `down`.
template <class Pitch>
double Settled(int frames, const Pitch& pitch, int down = 0) {
  SoleSettler settler(1 / 60.0);
  double turn = 0;
  for (int i = 0; i < frames; ++i)
    turn = settler.Next(i == 0, (i < down ? i : i - down) / 60.0, pitch(i) * kDegree);
  return turn / kDegree;
}

TEST(SoleSettler, AFootThatLiesStillIsLaidFlat) {
  for (const double pitch : {1.3, -1.3, 1.9})
    EXPECT_NEAR(Settled(7, [&](int) { return pitch; }), pitch, 0.03 * std::abs(pitch));
}

TEST(SoleSettler, WhatIsFlatButForNoiseStaysAsItIs) {
  EXPECT_EQ(Settled(60, [](int i) { return 0.4 * std::sin(i); }), 0);
}

TEST(SoleSettler, AFootOnItsHeelOrToesStaysAsItIs) {
  EXPECT_EQ(Settled(60, [](int) { return 4.5; }), 0);
  EXPECT_EQ(Settled(60, [](int) { return -4.5; }), 0);
}

// Comes down heel first within 0.05 s, rolls off after 0.3 s.
TEST(SoleSettler, AFootThatRollsIsLeftToIt) {
  const auto roll = [](double flat) {
    return
        [flat](int i) { return flat + std::max(0, 3 - i) * 5.0 - std::max(0, i - 18) * 2.0; };
  };
  EXPECT_EQ(Settled(40, roll(0)), 0);
  EXPECT_NEAR(Settled(18, roll(1)), 1, 0.1);
  EXPECT_NEAR(Settled(40, roll(1)), Settled(18, roll(1)), 1e-3)
      << "it keeps the turn it had when flat";
}

TEST(SoleSettler, AFootThatComesDownOnItsHeelIsLaidFlatWhenItsToesAreDown) {
  const auto strike = [](int i) { return 1.4 + std::max(0, 12 - i) * 2.0; };
  EXPECT_EQ(Settled(40, strike), 0) << "as one contact it was over before";
  EXPECT_NEAR(Settled(40, strike, 12), 1.4, 0.15);
}

// Level up to z = 1, from there on a rise of 3 %.
class BentGround : public GroundQuery {
 public:
  static constexpr double kRise = 0.03;

  static double Height(double z) { return std::max(0.0, z - 1) * kRise; }
  std::optional<GroundHit> Hit(std::int64_t, int, FootPoint, const Vec3d& p) const override {
    GroundHit hit;
    hit.point = {p.x, Height(p.z), p.z};
    hit.normal = p.z < 1 ? Vec3d{0, 1, 0} : Vec3d{0, 1, -kRise} / std::hypot(1.0, kRise);
    return hit;
  }
  bool AnyTime() const override { return true; }
};

// A foot that stands on the level is brought to an anchor on the rise.
TEST(SoleSettler, HeelAndToeLieOnTheGroundWhereTheAnchorIs) {
  const test::Motion motion = test::MakeBody(120, 60, 1, [](int) {
    BodyPose pose;
    pose.pelvis = {0, 0.95, 0.9};
    for (int side = 0; side < 2; ++side)
      pose.ankle[side] = {side == 0 ? 0.1 : -0.1, test::kAnkleHeight, 0.8};
    return pose;
  });
  const BentGround ground;
  PlannerInputs inputs;
  inputs.ground = &ground;
  Plan plan = test::MakePlan(motion, {}, inputs);
  ASSERT_EQ(plan.feet[0].intervals.size(), 1u);
  ASSERT_EQ(plan.feet[0].intervals[0].anchors.size(), 1u);
  plan.feet[0].intervals[0].anchors[0].position->z = 1.25;
  const test::Cleaned cleaned = test::Clean(motion, plan, {}, &ground);
  for (const auto& [joint, height] :
       {std::pair{test::kLeftAnkle, test::kAnkleHeight}, {test::kLeftToe, test::kToeHeight}}) {
    const Vec3d at = cleaned.motion.Position(60, joint);
    EXPECT_GT(at.z, 1.05);
    EXPECT_NEAR(at.y - BentGround::Height(at.z), height, 5e-4) << joint;
  }
}

}  // namespace
}  // namespace ikstream
