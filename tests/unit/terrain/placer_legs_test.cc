// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Known faults of foot placement: feet that rise or sink, legs near full extension.
#include <gtest/gtest.h>

#include "unit/terrain/place_fixtures.h"

namespace ikstream::testing {
namespace {

constexpr double kPi = 3.14159265358979323846;

// F11
TEST(PlaceLegs, ARisingFootHasNoWeight) {
  const Body body;
  const int frames = 30;
  Clip clip(body, frames);
  // The left foot goes up to 0.4 m in a second; the right one stands.
  for (int f = 0; f < frames; ++f) clip.Bend(f, 0, std::acos(1 - 0.4 * f / (frames - 1)));
  const Placed placed = Place(body, clip, {.ground = LevelAt(0)});
  for (int f = 0; f < frames; ++f) {
    const double height = clip.Pose(f).positions[body.ankle(0)].y;
    if (height >= 0.25) {
      EXPECT_EQ(placed.weights[0][f], 0) << f;
    }
    EXPECT_EQ(placed.weights[1][f], 1) << f;
  }
  const int last = frames - 1;
  EXPECT_NEAR(placed.Pose(last).positions[body.ankle(0)].y, 0.4, 1e-4);
}

// F12
TEST(PlaceLegs, ASoleThatSinksStaysUp) {
  Body body({.toes = true});
  body.StandOn(Floor(0));
  const int frames = 40;
  Clip clip(body, frames);
  for (int f = 0; f < frames; ++f) {
    const double t = std::clamp((f - 15) / 10.0, 0.0, 1.0);
    for (int leg : {0, 1}) clip.Bend(f, leg, 0.2);
    clip.roots[3 * f + 1] = static_cast<float>(
        kAnkleHeight + body.leg_length() * std::cos(0.2) - 0.02 * (1 - std::cos(2 * kPi * t)));
  }
  const Placed placed = Place(body, clip);
  ModelPose before;
  for (int f = 0; f < frames; ++f) {
    const ModelPose pose = placed.Pose(f);
    for (int leg : {0, 1}) {
      EXPECT_GE(pose.positions[body.ankle(leg)].y, kAnkleHeight - 0.002) << f;
      EXPECT_GE(pose.positions[body.toe(leg)].y, kToeHeight - 0.002) << f;
      if (f > 0) {
        EXPECT_LT(Length(pose.positions[body.ankle(leg)] - before.positions[body.ankle(leg)]),
                  0.002)
            << "no pop at frame " << f;
      }
    }
    before = pose;
  }
}

// F15
TEST(PlaceLegs, ALegNeverExtendsBeyondItsSourceOrTheCap) {
  for (double bend : {0.0, 0.05, 0.15, 0.3}) {
    Body body({.legs = 1});
    body.spec.settings.pelvis_down = 0;  // so that the leg has to reach
    Clip clip(body, 1);
    clip.Bend(0, 0, bend);
    const double source = std::cos(bend);
    const Placed placed = Place(body, clip, {.ground = LevelAt(1 - source * 1.015)});
    const ModelPose pose = placed.Pose(0);
    const double reach = Length(pose.positions[body.ankle(0)] - pose.positions[body.hip(0)]);
    EXPECT_LE(reach, std::max(0.985, source) + 1e-5) << bend;
    if (source * 1.015 < 0.975) {
      EXPECT_NEAR(reach, source * 1.015, 1e-4) << bend;
    }
  }
}

}  // namespace
}  // namespace ikstream::testing
