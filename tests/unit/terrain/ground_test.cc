// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "terrain/ground.h"

#include <gtest/gtest.h>

#include "unit/terrain/fixtures.h"

namespace ikstream {
namespace {

using testing::PlaneTerrain;
using testing::Random;
using testing::Uniform;

Ground GroundOf(TerrainSpec spec, double units_per_metre = 1, UpAxis up = UpAxis::kY) {
  auto terrain = Terrain::Create(std::move(spec), up);
  EXPECT_TRUE(terrain.ok()) << terrain.status();
  return Ground(*terrain, units_per_metre);
}

double AngleTo(Vec3d a, Vec3d b) { return std::atan2(Length(Cross(a, b)), Dot(a, b)); }

TEST(Ground, RejectsWhatIsTooFarUpOrDown) {
  const Ground ground = GroundOf(PlaneTerrain({0, 0, 0}, {0, 1, 0}));
  const auto found = [&](double height) {
    return ground.Query({}, {0, height, 0}).has_value();
  };
  EXPECT_TRUE(found(0.59));
  EXPECT_FALSE(found(0.61));
  EXPECT_TRUE(found(-0.44));
  EXPECT_FALSE(found(-0.46));
  EXPECT_FALSE(found(-0.52)) << "above the ray's start";
}

TEST(Ground, MeasuresInMetres) {
  const Ground ground = GroundOf(PlaneTerrain({0, 0, 0}, {0, 0, 1}), 100, UpAxis::kZ);
  EXPECT_TRUE(ground.Query({}, {0, 0, 59}));
  EXPECT_FALSE(ground.Query({}, {0, 0, 61}));
  EXPECT_NEAR(ground.Query({}, {3, 4, 10})->point.z, 0, 1e-9);
}

TEST(Ground, ADiscOnASlopeIsExact) {
  Random random(41);
  for (int k = 0; k < 300; ++k) {
    const Vec3d n = testing::UnitVector(random);
    if (n.y < 0.7) continue;
    const Ground ground = GroundOf(PlaneTerrain({0, 0, 0}, Cast<float>(n)));
    const auto ray = ground.Query({}, {0.1, 0.05, 0.1});
    const auto disc = ground.Query({}, {0.1, 0.05, 0.1}, 0.08);
    ASSERT_TRUE(ray && disc);
    EXPECT_LT(Length(ray->point - disc->point), 1e-6);
    EXPECT_LT(AngleTo(disc->normal, n), 1e-5);
  }
}

TerrainSpec Mesh(const testing::Grid& grid) {
  TerrainSpec spec;
  spec.meshes.emplace_back();
  for (Vec3f v : grid.vertices)
    for (float f : {v.x, v.y, v.z}) spec.meshes[0].positions.push_back(f);
  for (const auto& t : grid.triangles)
    spec.meshes[0].triangles.insert(spec.meshes[0].triangles.end(), t.begin(), t.end());
  return spec;
}

TEST(Ground, ADiscIsSteadierOnRoughGround) {
  Random random(42);
  // Level ground with 1 cm of roughness, cells of 2 cm.
  const Ground ground = GroundOf(Mesh(testing::HillyGrid(random, 100, 2.0, 0.01)));
  double ray_tilt = 0, disc_tilt = 0, ray_off = 0, disc_off = 0;
  for (int k = 0; k < 500; ++k) {
    const Vec3d at{Uniform(random, 0.2, 1.8), 0.1, Uniform(random, 0.2, 1.8)};
    const auto ray = ground.Query({}, at), disc = ground.Query({}, at, 0.08);
    ASSERT_TRUE(ray && disc);
    ray_tilt += AngleTo(ray->normal, {0, 1, 0});
    disc_tilt += AngleTo(disc->normal, {0, 1, 0});
    ray_off += std::abs(ray->point.y - 0.005);
    disc_off += std::abs(disc->point.y - 0.005);
  }
  EXPECT_LT(disc_tilt, ray_tilt / 4);
  EXPECT_LT(disc_off, ray_off / 2);
}

// A step of 15 cm at x = 0, higher towards +X.
TerrainSpec Step() {
  TerrainSpec spec;
  spec.meshes.push_back({{-5, 0, -5, -5, 0, 5, 0, 0, 5, 0, 0, -5},  //
                         {0, 1, 2, 0, 2, 3},
                         ""});
  spec.meshes.push_back(
      {{0, 0.15f, -5, 0, 0.15f, 5, 5, 0.15f, 5, 5, 0.15f, -5}, {0, 1, 2, 0, 2, 3}, ""});
  return spec;
}

TEST(Ground, ADiscOverAnEdgeTakesTheGreaterPart) {
  const Ground ground = GroundOf(Step());
  for (double x = -0.2; x <= 0.2; x += 0.01) {
    if (std::abs(x) < 0.015) continue;
    const auto hit = ground.Query({}, {x, 0.05, 0}, 0.06);
    ASSERT_TRUE(hit) << x;
    EXPECT_NEAR(hit->point.y, x > 0 ? 0.15 : 0, 1e-6) << x;
    EXPECT_LT(AngleTo(hit->normal, {0, 1, 0}), 1e-6) << x;
  }
}

TEST(Ground, ADiscNeedsGroundUnderSomeOfIt) {
  TerrainSpec ledge = Step();
  ledge.meshes.erase(ledge.meshes.begin());  // only the higher part, x >= 0
  const Ground ground = GroundOf(ledge);
  EXPECT_TRUE(ground.Query({}, {-0.01, 0.15, 0}, 0.06)) << "most of it is on the ledge";
  EXPECT_FALSE(ground.Query({}, {-0.05, 0.15, 0}, 0.06));
  EXPECT_FALSE(ground.Query({}, {-0.01, 0.15, 0})) << "one ray misses";
}

TEST(Ground, ADiscStandsOnOnePlatformOnly) {
  TerrainSpec spec = PlaneTerrain({0, 0, 0}, {0, 1, 0});
  spec.meshes.push_back(
      {{0, 0.02f, -5, 0, 0.02f, 5, 5, 0.02f, 5, 5, 0.02f, -5}, {0, 1, 2, 0, 2, 3}, "tray"});
  const Ground ground = GroundOf(spec);
  const RigidPose pose;
  const PlatformPoses platforms{.now = {&pose, 1}};
  const auto on = ground.Query(platforms, {0.03, 0, 0}, 0.06);
  const auto off = ground.Query(platforms, {-0.03, 0, 0}, 0.06);
  ASSERT_TRUE(on && off);
  EXPECT_EQ(on->platform, 0);
  EXPECT_NEAR(on->point.y, 0.02, 1e-6);
  EXPECT_EQ(off->platform, -1);
  EXPECT_NEAR(off->point.y, 0, 1e-6);
}

}  // namespace
}  // namespace ikstream
