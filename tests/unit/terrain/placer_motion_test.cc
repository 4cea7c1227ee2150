// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Foot placement over time: what is held, what is bounded, what does not depend on batches.
#include <gtest/gtest.h>

#include "terrain/arcs.h"
#include "unit/terrain/place_fixtures.h"

namespace ikstream::testing {
namespace {

constexpr double kDt = 1.0 / 30;
constexpr double kPi = 3.14159265358979323846;

// The farthest that an ankle goes from where it was in the first frame.
double Drift(const Body& body, const Placed& placed, int leg, int frames) {
  const Vec3d start = placed.Pose(0).positions[body.ankle(leg)];
  double drift = 0;
  for (int f = 0; f < frames; ++f)
    drift = std::max(drift, Length(placed.Pose(f).positions[body.ankle(leg)] - start));
  return drift;
}

void Sway(Clip& clip, Vec3d by, double hertz) {
  for (int f = 0; f < clip.frames; ++f) {
    const Vec3d at = by * std::sin(2 * kPi * hertz * f * kDt);
    Store(LoadVec3(&clip.roots[3 * f]) + Cast<float>(at), &clip.roots[3 * f]);
  }
}

// F05 and F13: straight legs, feet that go with the hips; they are to stay.
TEST(PlaceMotion, PlantedFeetStayWhileTheHipsSway) {
  const Body body;
  const int frames = 90;
  for (Vec3d sway : {Vec3d{0.02, 0, 0}, Vec3d{0.03, 0, 0}, Vec3d{0, 0, 0.03}, Vec3d{0, 0.03, 0},
                     Vec3d{0.02, 0.02, 0.01}}) {
    Clip clip(body, frames);
    Sway(clip, sway, 1);
    const Placed placed = Place(body, clip, {.ground = LevelAt(0)});
    for (int leg : {0, 1})
      EXPECT_LT(Drift(body, placed, leg, frames), 0.001) << sway.x << " " << sway.y;
  }
}

TEST(PlaceMotion, AFootOnAPlatformStaysOnIt) {
  Body body;
  body.StandOn(Floor(0, "ferry"));
  const int frames = 60;
  Clip clip(body, frames);
  PlaceSetup setup;
  for (int f = 0; f < frames; ++f) {
    const double t = f * kDt;
    const RigidPose pose{{3 + 0.8 * t, 0.1 * std::sin(2 * t), 0.3 * t * t},
                         FromAxisAngle(Vec3d{0, 1, 0}, 1 + 0.5 * t)};
    setup.platforms.push_back({pose});
    const Vec3d sway{0.02 * std::sin(2 * kPi * t), 0, 0};
    Store(Cast<float>(pose.Apply(Vec3d{0, 1, 0} + sway)), &clip.roots[3 * f]);
    clip.SetRotation(f, 0, pose.rotation);
  }
  const Placed placed = Place(body, clip, setup);
  for (int leg : {0, 1}) {
    const auto on_platform = [&](int f) {
      return setup.platforms[f][0].Unapply(placed.Pose(f).positions[body.ankle(leg)]);
    };
    for (int f = 0; f < frames; ++f) {
      EXPECT_LT(Length(on_platform(f) - on_platform(0)), 0.001) << f;
      EXPECT_EQ(placed.contacts[leg][f], 1) << f;
    }
  }
}

TEST(PlaceMotion, AVelocityAloneCarriesAFootToo) {
  const Body body;
  const int frames = 60;
  Clip clip(body, frames);
  const Vec3d velocity{1.0, 0, 0.5};
  for (int f = 0; f < frames; ++f)
    Store(LoadVec3(&clip.roots[3 * f]) + Cast<float>(velocity * (f * kDt)), &clip.roots[3 * f]);
  Sway(clip, {0, 0, 0.02}, 1);
  const Placed placed = Place(body, clip, {.ground = [&](int, int) {
                                GroundHit hit = Level(0);
                                hit.velocity = velocity;
                                return std::optional(hit);
                              }});
  const Vec3d start = placed.Pose(0).positions[body.ankle(0)];
  for (int f = 0; f < frames; ++f) {
    const Vec3d wanted = start + velocity * (f * kDt);
    EXPECT_LT(Length(placed.Pose(f).positions[body.ankle(0)] - wanted), 0.001) << f;
  }
}

TEST(PlaceMotion, ALockIsGivenUpFarFromTheAnimation) {
  const Body body;
  const int frames = 120;
  Clip clip(body, frames);
  for (int f = 0; f < frames; ++f) clip.roots[3 * f] = static_cast<float>(0.1 * f * kDt);
  const Placed placed = Place(body, clip, {.ground = LevelAt(0)});
  double before = 0;
  int at_home = 0;
  for (int f = 0; f < frames; ++f) {
    const int ankle = body.ankle(0);
    const double x = placed.Pose(f).positions[ankle].x;
    const double off = std::abs(x - clip.Pose(f).positions[ankle].x);
    EXPECT_LT(off, 0.101) << f;
    if (f > 10 && off < 0.001) ++at_home;
    if (f > 0) {
      EXPECT_LT(std::abs(x - before), 0.05) << "no pop at frame " << f;
    }
    before = x;
  }
  EXPECT_GE(at_home, 3) << "each step ends where the animation is";
}

// K26, the half of foot placement.
TEST(PlaceMotion, NoFlipWhateverTheGroundsNormal) {
  // With toes the samples stay where they are, whatever their normals say.
  for (bool toes : {false, true}) {
    Body body({.legs = 1, .toes = toes});
    body.spec.settings.max_tilt = kPi;
    const double offset = toes ? kAnkleHeight : 0.0;
    const int frames = 1800;
    Clip clip(body, frames);
    for (int f = 0; f < frames; ++f) clip.Bend(f, 0, 0.5);
    const double sole = clip.Pose(0).positions[body.ankle(0)].y - offset;
    const Placed placed = Place(
        body, clip,
        {.ground =
             [&](int f, int) {
               const double angle = 0.1 * f * kPi / 180;
               return GroundHit{{0, sole, 0}, {0, std::cos(angle), std::sin(angle)}, -1, {}};
             },
         .level_points = true});
    for (int f = 1; f < frames; ++f) {
      const ModelPose pose = placed.Pose(f), before = placed.Pose(f - 1);
      for (int j = 0; j < body.joints(); ++j) {
        // Toes on samples that contradict their normals push the leg about as well.
        const double most = toes && j < body.ankle(0) ? 1 : 0.15;
        EXPECT_LT(AngleBetween(before.rotations[j], pose.rotations[j]), most * kPi / 180)
            << "joint " << j << " frame " << f << " toes " << toes;
      }
    }
    const Vec3d up = Rotate(placed.Pose(frames - 1).rotations[body.ankle(0)], Vec3d{0, 1, 0});
    // Toes may pitch the sole by ten degrees to where the samples are.
    EXPECT_NEAR(AngleOf(up, {0, 1, 0}), 179.9 * kPi / 180, toes ? 0.18 : 1e-3);
  }
}

TEST(PlaceMotion, ThePelvisIsBounded) {
  const Body body;
  const int frames = 60;
  const Placed placed =
      Place(body, Clip(body, frames),
            {.ground = [](int f, int) { return Level(f >= 10 && f < 30 ? -0.12 : 0.0); }});
  for (int f = 1; f < frames; ++f)
    EXPECT_LE(std::abs(placed.pelvis[f] - placed.pelvis[f - 1]), 0.5 * kDt + 1e-6) << f;
  EXPECT_NEAR(placed.pelvis[29], -0.12, 1e-5);
  EXPECT_EQ(placed.pelvis[frames - 1], 0);
}

TEST(PlaceMotion, AFootThatStandsAlreadyComesBackAsSent) {
  Body body({.toes = true});
  body.StandOn(Floor(0));
  const Clip clip(body, 20);
  const Placed placed = Place(body, clip);
  EXPECT_EQ(placed.rotations, clip.rotations);
  EXPECT_EQ(placed.roots, clip.roots);
  for (int leg : {0, 1}) EXPECT_EQ(placed.weights[leg][19], 1);
}

// A walk over hills, one stride a second.
Clip Walk(const Body& body, int frames) {
  Clip clip(body, frames);
  for (int f = 0; f < frames; ++f) {
    const double phase = 2 * kPi * f * kDt;
    clip.roots[3 * f] = 5;
    clip.roots[3 * f + 2] = static_cast<float>(1 + 1.2 * f * kDt);
    for (int leg : {0, 1}) {
      const double p = phase + kPi * leg, knee = 0.35 * (1 - std::cos(p + 0.6));
      const double hip = -0.35 * std::sin(p) - knee / 3;
      clip.SetRotation(f, body.hip(leg), FromAxisAngle(Vec3d{1, 0, 0}, hip));
      clip.SetRotation(f, body.knee(leg), FromAxisAngle(Vec3d{1, 0, 0}, knee));
      clip.SetRotation(f, body.ankle(leg), FromAxisAngle(Vec3d{1, 0, 0}, -hip - knee));
    }
  }
  return clip;
}

TEST(PlaceMotion, BatchesOfAnySizeGiveTheSameBits) {
  Random random(61);
  Body body({.toes = true});
  const Grid hills = HillyGrid(random, 40, 10.0, 0.25);
  TerrainSpec spec;
  spec.meshes.emplace_back();
  for (Vec3f v : hills.vertices)
    for (float x : {v.x, v.y, v.z}) spec.meshes[0].positions.push_back(x);
  for (const auto& t : hills.triangles)
    spec.meshes[0].triangles.insert(spec.meshes[0].triangles.end(), t.begin(), t.end());
  body.StandOn(spec);
  body.spec.feet[0].sole_radius_m = 0.05f;
  const Clip clip = Walk(body, 150);
  const Placed whole = Place(body, clip);
  EXPECT_NE(whole.rotations, clip.rotations);
  for (int batch : {1, 7, 64}) {
    const Placed parts = Place(body, clip, {.batch = batch});
    EXPECT_EQ(parts.rotations, whole.rotations) << batch;
    EXPECT_EQ(parts.roots, whole.roots) << batch;
    EXPECT_EQ(parts.weights, whole.weights) << batch;
    EXPECT_EQ(parts.residuals, whole.residuals) << batch;
    EXPECT_EQ(parts.contacts, whole.contacts) << batch;
  }
  for (float x : whole.rotations) ASSERT_TRUE(std::isfinite(x));
}

}  // namespace
}  // namespace ikstream::testing
