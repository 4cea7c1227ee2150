// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "terrain/leg_reach.h"

#include <gtest/gtest.h>

#include "terrain/foot_weights.h"
#include "unit/terrain/fixtures.h"

namespace ikstream {
namespace {

using testing::Random;
using testing::Uniform;

TEST(LegReach, TheSoftZoneIsSmoothAndNeverPassesItsEnd) {
  const LegReach reach{0.975, 0.985, 0};
  EXPECT_EQ(reach.Soften(0.9), 0.9);
  EXPECT_EQ(reach.Soften(0.975), 0.975);
  double before = reach.Soften(0.97), slope = 1;
  for (double d = 0.971; d < 1.5; d += 0.001) {
    const double now = reach.Soften(d);
    EXPECT_LE(now, 0.985);
    EXPECT_GE(now, before);
    EXPECT_LE((now - before) / 0.001, slope + 1e-9) << "slows down";
    slope = (now - before) / 0.001;
    before = now;
  }
  const LegReach hard{1, 1, 0};
  EXPECT_EQ(hard.Soften(1.2), 1);
}

TEST(LegReach, IntervalsHoldWhatReaches) {
  Random random(51);
  const Vec3d up{0, 1, 0};
  for (int k = 0; k < 2000; ++k) {
    const LegReach reach{Uniform(random, 0.6, 1), 1, Uniform(random, 0.1, 0.4)};
    const Vec3d hip{Uniform(random, -1, 1), Uniform(random, -1, 1), Uniform(random, -1, 1)};
    const Vec3d target = hip + Vec3d{Uniform(random, -0.5, 0.5), Uniform(random, -1.3, -0.2),
                                     Uniform(random, -0.3, 0.3)};
    const ReachInterval legs = OffsetsThatReach(reach, hip, target, up);
    ASSERT_LE(legs.low, legs.high);
    const auto distance = [&](double offset) { return Length(target - hip - up * offset); };
    EXPECT_NEAR(distance(legs.high), reach.start, 1e-9);
    for (double share : {0.0, 0.3, 0.8, 1.0}) {
      const double d = distance(legs.low + share * (legs.high - legs.low));
      EXPECT_LE(d, reach.start + 1e-9);
      EXPECT_GE(d, reach.nearest - 1e-9);
    }
    EXPECT_GT(distance(legs.high + 1e-3), reach.start);
  }
}

TEST(LegReach, ThePelvisMovesAsLittleAsLegsAllow) {
  const auto offset = [](std::vector<ReachInterval> legs) {
    return PelvisOffset(legs, -0.15, 0.05);
  };
  EXPECT_EQ(offset({}), 0);
  EXPECT_EQ(offset({{-0.4, 0.1}}), 0);
  EXPECT_EQ(offset({{-0.4, -0.1}, {-0.5, 0.2}}), -0.1);
  EXPECT_EQ(offset({{-0.4, -0.3}}), -0.15) << "no lower than allowed";
  EXPECT_EQ(offset({{0.02, 0.5}}), 0.02) << "a folded leg raises it";
  EXPECT_EQ(offset({{0.2, 0.5}}), 0.05);
  EXPECT_EQ(offset({{0.02, 0.5}, {-0.4, -0.1}}), -0.1) << "reaching wins over folding";
}

FootMotion Standing() {
  FootMotion motion;
  motion.grounded = true;
  return motion;
}

TEST(FootWeights, SpeedPlantsWithHysteresis) {
  const PlaceSettings settings;
  FootWeights weights;
  const auto planted_at = [&](double speed) {
    FootMotion motion = Standing();
    motion.speed = speed;
    weights.Update(motion, settings, 1.0 / 30);
    return weights.planted();
  };
  EXPECT_TRUE(planted_at(0));
  EXPECT_EQ(weights.weight(), 1) << "the first frame is at its goal";
  EXPECT_TRUE(planted_at(0.34));
  EXPECT_FALSE(planted_at(0.36));
  EXPECT_FALSE(planted_at(0.16));
  EXPECT_TRUE(planted_at(0.14));
}

TEST(FootWeights, RiseAndFallAreBounded) {
  const PlaceSettings settings;
  FootWeights weights;
  FootMotion motion = Standing();
  const double dt = 1.0 / 60;
  weights.Update(motion, settings, dt);
  motion.grounded = false;
  for (double w = 1; w > 0; w = weights.weight()) {
    weights.Update(motion, settings, dt);
    EXPECT_NEAR(weights.weight(), std::max(0.0, w - 10 * dt), 1e-12);
  }
  motion.grounded = true;
  for (double w = 0; w < 1; w = weights.weight()) {
    weights.Update(motion, settings, dt);
    EXPECT_NEAR(weights.weight(), std::min(1.0, w + 5 * dt), 1e-12);
  }
}

TEST(FootWeights, AirborneFeetStandOnNothing) {
  const PlaceSettings settings;
  const auto first_weight = [&](double height, double over_feet, double rising) {
    FootMotion motion = Standing();
    motion.height = height;
    motion.height_over_feet = over_feet;
    motion.rising = motion.speed = rising;
    FootWeights weights;
    weights.Update(motion, settings, 0.02);
    return weights.weight();
  };
  EXPECT_EQ(first_weight(0.25, 0.25, 0), 0) << "a leg held up beside the other";
  EXPECT_EQ(first_weight(0.25, 0, 0.12), 0) << "rising with both feet";
  EXPECT_EQ(first_weight(0.30, 0, 0), 1) << "ground that lies lower under both feet";
  EXPECT_EQ(first_weight(0, 0.25, 0), 1) << "a foot on a higher step";
}

}  // namespace
}  // namespace ikstream
