// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Sole offsets of bodies that sink into their ground and slide over it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <vector>

#include "motion/drift.h"
#include "motion/terrain_ground.h"
#include "unit/motion/body.h"

namespace ikstream {
namespace {

using test::BodyPose;

constexpr double kSlope = 0.15;  // rise per unit along z

std::shared_ptr<const Terrain> Slope() {
  TerrainSpec spec;
  spec.planes.push_back({{0, 0, 0}, {0, 1, static_cast<float>(-kSlope)}, ""});
  return *Terrain::Create(spec, UpAxis::kY);
}

// Stands on the slope; slides along it by `slide` in 4 s and bobs into it by 0 to 2 cm. Toes
// would stand kToeHeight over it.
test::Motion Sliding(double slide) {
  return test::MakeBody(240, 60, 1, [=](int i) {
    const double sink = 0.01 * (1 - std::cos(2 * std::numbers::pi * i / 90.0));
    const double z = slide * i / 240;
    const double normal = std::hypot(1.0, kSlope);
    BodyPose pose;
    pose.pelvis = {0, 1.0 - sink, z};
    for (int side = 0; side < 2; ++side) {
      const double toe = kSlope * 0.15 + test::kToeHeight * normal;
      pose.ankle[side] = {side == 0 ? 0.1 : -0.1,
                          toe + test::kAnkleHeight - test::kToeHeight - sink, z};
    }
    return pose;
  });
}

TEST(Soles, ABodyThatSlidesOnASlopeHasTheSolesOfOneThatDoesNot) {
  for (const double slide : {0.0, 0.05, -0.05}) {
    const test::Motion motion = Sliding(slide);
    TerrainGround ground(Slope(), motion.clip);
    PlannerInputs inputs;
    inputs.ground = &ground;
    const Plan plan = test::MakePlan(motion, {}, inputs);
    for (const FootPlan& foot : plan.feet)
      EXPECT_NEAR(foot.toe_offset, test::kToeHeight, 7e-4) << slide;
  }
}

// The same slope as the deck of a tilted platform, which cannot be asked again.
TEST(Soles, ABodyThatSlidesOverATiltedPlatformHasTheSolesOfOneThatDoesNot) {
  TerrainSpec spec;
  spec.planes.push_back({{0, 0, 0}, {0, 1, 0}, "deck"});
  const std::shared_ptr<const Terrain> terrain = *Terrain::Create(spec, UpAxis::kY);
  const double half = 0.5 * std::atan(-kSlope);  // about +X
  const float position[3] = {}, rotation[4] = {static_cast<float>(std::sin(half)), 0, 0,
                                               static_cast<float>(std::cos(half))};
  for (const double slide : {0.0, 0.05, -0.05}) {
    const test::Motion motion = Sliding(slide);
    TerrainGround ground(terrain, motion.clip);
    ground.SetFrames(0, {{{position, 0}, {rotation, 0}}});
    ASSERT_FALSE(ground.AnyTime());
    PlannerInputs inputs;
    inputs.ground = &ground;
    const Plan plan = test::MakePlan(motion, {}, inputs);
    for (const FootPlan& foot : plan.feet)
      EXPECT_NEAR(foot.toe_offset, test::kToeHeight, 7e-4) << slide;
  }
}

// Sole offsets of two feet on level ground, whose ankles are `ankle(frame, side)` over flat.
std::vector<FootPlan> OnLevel(int frames, double fps,
                              const std::function<double(int frame, int side)>& ankle) {
  const test::Motion motion = test::MakeBody(frames, fps, 1, [&](int i) {
    BodyPose pose;
    for (int side = 0; side < 2; ++side)
      pose.ankle[side] = {side == 0 ? 0.1 : -0.1, test::kAnkleHeight + ankle(i, side), 0};
    return pose;
  });
  const PlaneGround ground({0, 0, 0}, {0, 1, 0}, {0, 1, 0});
  PlannerInputs inputs;
  inputs.ground = &ground;
  return test::MakePlan(motion, {}, inputs).feet;
}

double Lifted(int i, int begin, int end) {
  return i > begin && i < end ? 0.3 * std::sin(std::numbers::pi * (i - begin) / (end - begin))
                              : 0;
}

// One foot stands while the body is up, too, the other one only while it is down by 7 to 9 mm.
TEST(Soles, FeetOfOneSizeHaveTheSameSole) {
  const auto sink = [](int i) { return 0.01 * (1 - std::cos(2 * std::numbers::pi * i / 240)); };
  const std::vector<FootPlan> feet = OnLevel(240, 60, [&](int i, int side) {
    return -sink(i) + (side == 0 ? 0 : Lifted(i, -90, 50) + Lifted(i, 55, 300));
  });
  EXPECT_NEAR(feet[0].toe_offset, test::kToeHeight, 5e-4);
  EXPECT_NEAR(feet[1].toe_offset, test::kToeHeight, 5e-4);
}

// The body comes up at the end of the clip, when both feet have left.
TEST(Soles, TheBodyGoesOnToRiseAfterTheLastStep) {
  const std::vector<FootPlan> feet = OnLevel(200, 60, [](int i, int) {
    return -0.0003 * std::min(199 - i, 60) + Lifted(i, 190, 230);
  });
  for (const FootPlan& foot : feet) EXPECT_NEAR(foot.toe_offset, test::kToeHeight, 7e-4);
}

// At 30 frames/s a foot is slow in the frame before it stands, but not down.
TEST(Soles, AFootThatComesIsNotYetDown) {
  const std::vector<FootPlan> feet = OnLevel(120, 30, [](int i, int) {
    const double sink = 0.016 - 0.015 * std::sin(std::numbers::pi * i / 120);
    const int step = i % 40;
    const double lift = step == 0 ? 0.0045 : step > 30 ? 0.3 * std::sin(0.3 * (step - 30)) : 0;
    return -sink + lift;
  });
  for (const FootPlan& foot : feet)
    EXPECT_NEAR(foot.toe_offset, test::kToeHeight - 0.001, 1e-3);
}

TEST(Drift, IsWhatStandingFeetSlideSummedUp) {
  ClipSpec clip;
  FootShape shape;
  shape.has_toe = true;
  std::vector<FootTrack> tracks;
  for (int foot = 0; foot < 2; ++foot) tracks.emplace_back(shape);
  const auto at = [](int i) { return Vec3d{0.001 * i, 0.3 * i, -0.002 * i}; };
  for (int i = 0; i < 100; ++i)
    for (FootTrack& track : tracks) {
      LegPose leg;
      leg.points[1] = at(i);
      track.Add(leg);
    }
  std::vector<DetectInput> inputs(2);
  for (DetectInput& input : inputs) input.clip = &clip;
  // One foot, then the other, both for a while, and nobody from 60 on.
  const std::vector<std::vector<ikstream::Run>> standing = {{{0, 30}}, {{20, 60}}};
  const std::vector<Vec3f> drift = BodyDrift(tracks, inputs, standing);
  ASSERT_EQ(drift.size(), 100u);
  for (int i = 0; i < 100; ++i) {
    EXPECT_NEAR(drift[static_cast<std::size_t>(i)].x, at(i).x, 1e-5) << i;
    EXPECT_NEAR(drift[static_cast<std::size_t>(i)].z, at(i).z, 1e-5) << i;
    EXPECT_EQ(drift[static_cast<std::size_t>(i)].y, 0) << i;
  }
}

}  // namespace
}  // namespace ikstream
