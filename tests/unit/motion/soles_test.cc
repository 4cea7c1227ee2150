// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Sole offsets of bodies that sink into their ground and slide over it.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>

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
