// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// What holds for any clip on any ground, on seeded random ones.
#include <gtest/gtest.h>

#include "terrain/arcs.h"
#include "unit/terrain/place_fixtures.h"

namespace ikstream::testing {
namespace {

constexpr double kPi = 3.14159265358979323846;

// Joints that wander smoothly, a root that travels.
Clip Wander(Random& random, const Body& body, int frames) {
  Clip clip(body, frames);
  const double travel = Uniform(random, 0, 1.5);
  for (int j = 0; j < body.joints(); ++j) {
    const Vec3d axis = UnitVector(random);
    const double size = Uniform(random, 0, 0.7), pace = Uniform(random, 0.5, 8);
    for (int f = 0; f < frames; ++f)
      clip.SetRotation(f, j, FromAxisAngle(axis, size * std::sin(pace * f / 30)));
  }
  for (int f = 0; f < frames; ++f)
    Store(LoadVec3(&clip.roots[3 * f]) +
              Vec3f{0, static_cast<float>(-0.1 + 0.1 * std::sin(f * 0.1)),
                    static_cast<float>(travel * f / 30)},
          &clip.roots[3 * f]);
  return clip;
}

// Ground that jumps, tilts any way, and is missing at times.
PlaneUnder WildGround(Random& random, int frames) {
  std::vector<std::optional<GroundHit>> hits;
  GroundHit hit = Level(0);
  for (int k = 0; k < 2 * frames; ++k) {
    if (random() % 12 == 0) hit.point.y = Uniform(random, -0.7, 0.6);
    if (random() % 12 == 0) hit.normal = UnitVector(random);
    if (random() % 20 == 0) hit.velocity = UnitVector(random) * Uniform(random, 0, 2);
    hits.push_back(random() % 10 == 0 ? std::nullopt : std::optional(hit));
  }
  return [hits](int f, int leg) { return hits[2 * f + leg]; };
}

class PlaceInvariants : public ::testing::TestWithParam<bool> {};

TEST_P(PlaceInvariants, HoldOnAnyGround) {
  Random random(71);
  for (int round = 0; round < 40; ++round) {
    Body body({.toes = GetParam()});
    body.spec.frames_per_second = Uniform(random, 20, 120);
    const double dt = 1 / body.spec.frames_per_second;
    const int frames = 80;
    const Clip clip = Wander(random, body, frames);
    const Placed placed = Place(body, clip, {.ground = WildGround(random, frames)});
    std::vector<double> correction(2);
    for (int f = 0; f < frames; ++f) {
      const ModelPose in = clip.Pose(f), out = placed.Pose(f);
      for (int j = 0; j < body.joints(); ++j) {
        const Quatf q = LoadQuat(&placed.rotations[4 * (f * body.joints() + j)]);
        ASSERT_NEAR(Dot(q, q), 1, 1e-4) << "round " << round << " frame " << f;
      }
      ASSERT_EQ(LoadQuat(&placed.rotations[4 * f * body.joints()]),
                LoadQuat(&clip.rotations[4 * f * body.joints()]))
          << "the pelvis does not turn";
      ASSERT_GE(placed.pelvis[f], -0.15f - 1e-6f);
      ASSERT_LE(placed.pelvis[f], 0.05f + 1e-6f);
      ASSERT_NEAR(placed.roots[3 * f + 1], clip.roots[3 * f + 1] + placed.pelvis[f], 1e-5);
      if (f > 0) {
        ASSERT_LE(std::abs(placed.pelvis[f] - placed.pelvis[f - 1]), 0.5 * dt + 1e-6);
      }
      for (int leg : {0, 1}) {
        const float weight = placed.weights[leg][f];
        ASSERT_GE(weight, 0);
        ASSERT_LE(weight, 1);
        ASSERT_TRUE(std::isfinite(placed.residuals[leg][f]));
        const double now = (out.positions[body.ankle(leg)] - in.positions[body.ankle(leg)]).y;
        // Where the target is met, the correction is the target's.
        const bool met =
            f > 0 && placed.residuals[leg][f] < 1e-5 && placed.residuals[leg][f - 1] < 1e-5;
        if (met) {
          ASSERT_LE(std::abs(now - correction[leg]), 1.0 * dt + 1e-4)
              << "round " << round << " frame " << f << " leg " << leg;
        }
        correction[leg] = now;
        if (f == 0) continue;
        ASSERT_LE(weight - placed.weights[leg][f - 1], 5 * dt + 1e-5);
        ASSERT_LE(placed.weights[leg][f - 1] - weight, 10 * dt + 1e-5);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Toes, PlaceInvariants, ::testing::Bool());

// The same body and ground with +Z up: everything turned by a quarter about X.
TEST(PlaceUpAxis, DoesNotMatter) {
  const Quatd quarter = FromAxisAngle(Vec3d{1, 0, 0}, kPi / 2);
  const auto turned = [&](Vec3f v) { return Cast<float>(Rotate(quarter, Cast<double>(v))); };
  Random random(72);
  for (int round = 0; round < 10; ++round) {
    Body upright({.toes = true});
    Body lying = upright;
    lying.spec.rig.up = UpAxis::kZ;
    for (Joint& joint : lying.spec.rig.joints) {
      joint.offset = turned(joint.offset);
      if (joint.tip) joint.tip = turned(*joint.tip);
    }
    const Vec3f normal = Cast<float>(
        NormalizedOr(Vec3d{Uniform(random, -0.5, 0.5), 1, Uniform(random, -0.5, 0.5)}, {}));
    upright.StandOn(PlaneTerrain({0, -0.05f, 0}, normal));
    lying.StandOn(PlaneTerrain({0, 0, -0.05f}, turned(normal)));
    const int frames = 40;
    const Clip clip = Wander(random, upright, frames);
    Clip clip_z(lying, frames);
    for (int f = 0; f < frames; ++f) {
      Store(turned(LoadVec3(&clip.roots[3 * f])), &clip_z.roots[3 * f]);
      for (int j = 0; j < upright.joints(); ++j)
        clip_z.SetRotation(f, j, quarter * clip.Rotation(f, j) * Conjugate(quarter));
    }
    const Placed a = Place(upright, clip), b = Place(lying, clip_z);
    for (int f = 0; f < frames; ++f)
      for (int j = 0; j < upright.joints(); ++j)
        EXPECT_LT(Length(Rotate(quarter, a.Pose(f).positions[j]) - b.Pose(f).positions[j]),
                  1e-4)
            << "round " << round << " frame " << f << " joint " << j;
  }
}

}  // namespace
}  // namespace ikstream::testing
