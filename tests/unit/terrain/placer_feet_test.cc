// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Known faults of foot placement, as small inputs with the right outcome; judged by forward
// kinematics of the answer.
#include <gtest/gtest.h>

#include "terrain/arcs.h"
#include "unit/terrain/place_fixtures.h"

namespace ikstream::testing {
namespace {

constexpr double kDt = 1.0 / 30;
constexpr double kPi = 3.14159265358979323846;

bool SameBits(const Body& body, const Clip& clip, const Placed& placed, int frame, int joint) {
  const size_t at = 4 * static_cast<size_t>(frame * body.joints() + joint);
  return std::equal(&clip.rotations[at], &clip.rotations[at] + 4, &placed.rotations[at]);
}

PlaneUnder LeftOnly(double height) {
  return
      [height](int, int leg) { return leg == 0 ? std::optional(Level(height)) : std::nullopt; };
}

// F01: a ledge. The left foot's ground is lower, the right one's is missing.
TEST(PlaceFeet, AFootWithoutGroundHasNoVote) {
  const Body body;
  const Clip clip(body, 1);
  const Placed placed = Place(body, clip, {.ground = LeftOnly(-0.10)});
  EXPECT_NEAR(placed.pelvis[0], -0.10, 1e-5);
  EXPECT_NEAR(placed.roots[1], 0.90, 1e-5);
  EXPECT_NEAR(placed.Pose(0).positions[body.ankle(0)].y, -0.10, 1e-4);
  EXPECT_LT(placed.residuals[0][0], 1e-4);
  EXPECT_EQ(placed.weights[1][0], 0);
  for (int joint : {body.hip(1), body.knee(1), body.ankle(1)})
    EXPECT_TRUE(SameBits(body, clip, placed, 0, joint)) << joint;
}

TEST(PlaceFeet, ThePelvisIsClampedAndTheRestIsTold) {
  const Body body;
  const Placed placed = Place(body, Clip(body, 1), {.ground = LeftOnly(-0.30)});
  EXPECT_NEAR(placed.pelvis[0], -0.15, 1e-6);
  EXPECT_NEAR(placed.residuals[0][0], 0.15, 1e-4);
  EXPECT_NEAR(placed.Pose(0).positions[body.ankle(0)].y, -0.15, 1e-4);
}

TEST(PlaceFeet, TheOutcomeDoesNotDependOnTheApproach) {
  const Body body;
  const int frames = 90;
  const Clip clip(body, frames);
  for (double last : {-0.10, -0.30}) {
    const Placed wanted = Place(body, Clip(body, 1), {.ground = LeftOnly(last)});
    for (double first : {0.0, -0.30, -0.05, 0.15}) {
      const Placed placed = Place(body, clip, {.ground = [&](int f, int leg) {
                                    return LeftOnly(f < 30 ? first : last)(f, leg);
                                  }});
      EXPECT_NEAR(placed.pelvis[frames - 1], wanted.pelvis[0], 1e-6) << first;
      const ModelPose got = placed.Pose(frames - 1), want = wanted.Pose(0);
      for (int j = 0; j < body.joints(); ++j)
        EXPECT_LT(Length(got.positions[j] - want.positions[j]), 1e-4) << first << " " << j;
    }
  }
}

// F02
TEST(PlaceFeet, GroundAboveTheSoleLiftsTheFoot) {
  const Body body;
  const Placed placed =
      Place(body, Clip(body, 1),
            {.ground = [](int, int leg) { return Level(leg == 0 ? 0.20 : 0.0); }});
  EXPECT_NEAR(placed.Pose(0).positions[body.ankle(0)].y, 0.20, 1e-4);
  EXPECT_NEAR(placed.Pose(0).positions[body.ankle(1)].y, 0.0, 1e-4);
  EXPECT_GT(placed.Pose(0).positions[body.knee(0)].z, 0.1) << "the knee bends to the front";
  EXPECT_LT(placed.residuals[0][0], 1e-4);
}

// F03
TEST(PlaceFeet, GroundFarAboveTheFootIsRejected) {
  const Body body;
  const Clip clip(body, 1);
  const Placed placed = Place(body, clip, {.ground = LevelAt(1.0)});
  EXPECT_EQ(placed.rotations, clip.rotations);
  EXPECT_EQ(placed.roots, clip.roots);
  EXPECT_EQ(placed.weights[0][0], 0);
}

// F04
TEST(PlaceFeet, SolesLieOnASlope) {
  Body body({.toes = true});
  const double slope = 20 * kPi / 180;
  const Vec3d normal{0, std::cos(slope), std::sin(slope)};  // down towards +Z
  body.StandOn(PlaneTerrain({0, -0.02f, 0}, Cast<float>(normal)));
  Clip clip(body, 1);
  for (int leg : {0, 1}) clip.Bend(0, leg, 0.3);
  clip.roots[1] -= static_cast<float>(body.leg_length() * (1 - std::cos(0.3)));
  const ModelPose pose = Place(body, clip).Pose(0);
  for (int leg : {0, 1}) {
    const Vec3d sole = Rotate(pose.rotations[body.ankle(leg)], Vec3d{0, 1, 0});
    EXPECT_LT(AngleOf(sole, normal), kPi / 180);
    const auto height = [&](int joint) {
      return Dot(pose.positions[joint] - Vec3d{0, -0.02, 0}, normal);
    };
    // It turns about the point of the sole that is under the ankle.
    const Vec3d sent = clip.Pose(0).positions[body.ankle(leg)];
    const Vec3d under = pose.positions[body.ankle(leg)] - normal * kAnkleHeight;
    EXPECT_LT(std::hypot(under.x - sent.x, under.z - sent.z), 1e-3);
    EXPECT_NEAR(height(body.ankle(leg)), kAnkleHeight, 0.005);
    EXPECT_NEAR(height(body.toe(leg)), kToeHeight, 0.005);
    EXPECT_LT(AngleOf(Rotate(pose.rotations[body.toe(leg)], Vec3d{0, 1, 0}), normal),
              kPi / 180);
  }
}

// Heel and toe apart: the heel on level ground, the toe on a ramp that starts between them.
TEST(PlaceFeet, TheToeHasGroundOfItsOwn) {
  Body body({.legs = 1, .toes = true});
  const double slope = 25 * kPi / 180;
  const Vec3d normal{0, std::cos(slope), -std::sin(slope)};  // up towards +Z
  TerrainSpec ground = PlaneTerrain({0, 0, 0}, {0, 1, 0});
  ground.planes.push_back({{0, 0, 0.10f}, Cast<float>(normal), ""});
  body.StandOn(ground);
  Clip clip(body, 1);
  clip.Bend(0, 0, 0.3);
  clip.roots[1] -= static_cast<float>(body.leg_length() * (1 - std::cos(0.3)));
  const ModelPose pose = Place(body, clip).Pose(0);
  const Vec3d toe_up = Rotate(pose.rotations[body.toe(0)], Vec3d{0, 1, 0});
  EXPECT_LT(AngleOf(toe_up, normal), kPi / 180);
  const double toe = Dot(pose.positions[body.toe(0)] - Vec3d{0, 0, 0.10}, normal);
  EXPECT_NEAR(toe, kToeHeight, 0.002) << "stands on the ramp";
  EXPECT_NEAR(pose.positions[body.ankle(0)].y, kAnkleHeight, 0.002) << "on the level ground";
}

TEST(PlaceFeet, AToeWithALimitKeepsItsRotation) {
  Body body({.legs = 1, .toes = true});
  body.StandOn(PlaneTerrain({0, -0.02f, 0}, {0, 1, 0.4f}));
  body.spec.rig.limits.resize(body.joints());
  body.spec.rig.limits[body.toe(0)] = HingeLimit{{1, 0, 0}, -0.1f, 0.1f};
  Clip clip(body, 1);
  clip.Bend(0, 0, 0.3);
  clip.SetRotation(0, body.toe(0), FromAxisAngle(Vec3d{1, 0, 0}, 0.05));
  const Placed placed = Place(body, clip);
  EXPECT_TRUE(SameBits(body, clip, placed, 0, body.toe(0)));
  EXPECT_FALSE(SameBits(body, clip, placed, 0, body.ankle(0)));
}

// F08: a swing over a step of 15 cm.
TEST(PlaceFeet, TheVerticalCorrectionIsBounded) {
  const Body body;
  const int frames = 40;
  Clip clip(body, frames);
  for (int f = 0; f < frames; ++f) clip.Bend(f, 0, 0.35 * std::sin(kPi * f / (frames - 1)));
  const Placed placed =
      Place(body, clip,
            {.ground = [](int f, int leg) { return Level(leg == 0 && f >= 15 ? 0.15 : 0.0); }});
  double before = 0, most = 0;
  for (int f = 0; f < frames; ++f) {
    const int ankle = body.ankle(0);
    const double now = placed.Pose(f).positions[ankle].y - clip.Pose(f).positions[ankle].y;
    if (f > 0) {
      EXPECT_LE(std::abs(now - before), 1.0 * kDt + 1e-5) << f;
    }
    most = std::max(most, now);
    before = now;
  }
  EXPECT_NEAR(before, 0.15, 1e-4) << "it stands on the step at last";
  EXPECT_LE(most, 0.15 + 1e-4);
}

// F09
TEST(PlaceFeet, TheUnitDoesNotMatter) {
  for (double scale : {1.0, 100.0, 0.01}) {
    const Body body({.legs = 1, .scale = scale});
    const Placed placed = Place(body, Clip(body, 1), {.ground = LevelAt(-0.10 * scale)});
    EXPECT_NEAR(placed.pelvis[0] / scale, -0.10, 1e-5) << scale;
    EXPECT_NEAR(placed.Pose(0).positions[body.ankle(0)].y / scale, -0.10, 1e-4) << scale;
  }
}

}  // namespace
}  // namespace ikstream::testing
