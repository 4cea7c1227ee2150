// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "terrain/terrain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/terrain/fixtures.h"

namespace ikstream {
namespace {

using ::testing::HasSubstr;
using testing::PlaneTerrain;
using testing::Random;
using testing::Uniform;

std::shared_ptr<const Terrain> Make(TerrainSpec spec, UpAxis up = UpAxis::kY,
                                    std::vector<TerrainWarning>* warnings = nullptr) {
  auto terrain = Terrain::Create(std::move(spec), up, {}, warnings);
  EXPECT_TRUE(terrain.ok()) << terrain.status();
  return *terrain;
}

Ray Down(double x, double y, double z) { return {{x, y, z}, {0, -1, 0}, 10}; }

TEST(Terrain, TheHighestSurfaceWins) {
  TerrainSpec spec = PlaneTerrain({0, 0, 0}, {0, 1, 0});
  spec.planes.push_back({{0, 0.5f, 0}, {0, 1, 0}, ""});
  spec.meshes.push_back({{0, 0.7f, 0, 0, 0.7f, 1, 1, 0.7f, 0}, {0, 1, 2}, ""});
  const auto terrain = Make(spec);
  EXPECT_NEAR(terrain->FirstHit(Down(0.2, 2, 0.2), {})->point.y, 0.7, 1e-6);
  EXPECT_NEAR(terrain->FirstHit(Down(3, 2, 3), {})->point.y, 0.5, 1e-6);
  EXPECT_NEAR(terrain->FirstHit(Down(3, 0.3, 3), {})->point.y, 0, 1e-6) << "starts below";
}

TEST(Terrain, ASlopedPlaneIsMetWhereItIs) {
  Random random(31);
  for (int k = 0; k < 2000; ++k) {
    const Vec3d n = testing::UnitVector(random);
    if (n.y < 0.1) continue;
    const auto terrain = Make(PlaneTerrain({0.1f, 0.2f, 0.3f}, Cast<float>(n * 3.0)));
    const double x = Uniform(random, -1, 1), z = Uniform(random, -1, 1);
    const double wanted = 0.2 - (n.x * (x - 0.1) + n.z * (z - 0.3)) / n.y;
    const auto hit = terrain->FirstHit({{x, 30, z}, {0, -1, 0}, 60}, {});
    ASSERT_TRUE(hit);
    EXPECT_NEAR(hit->point.y, wanted, 1e-5);
    EXPECT_LT(Length(hit->normal - n), 1e-6);
  }
}

TEST(Terrain, OddInputIsTakenWithAWarning) {
  std::vector<TerrainWarning> warnings;
  TerrainSpec spec = PlaneTerrain({0, 1, 0}, {0, 0, 0});
  spec.meshes.push_back({{0, 0, 0, 0, 0, 1, 1, 0, 0}, {0, 2, 1, 0, 0, 1, 0, 1, 1}, ""});
  const auto terrain = Make(spec, UpAxis::kY, &warnings);
  ASSERT_EQ(warnings.size(), 3u);
  EXPECT_EQ(warnings[0].field, "planes[0].normal");
  EXPECT_EQ(warnings[1].field, "meshes[0].triangles");
  EXPECT_EQ(warnings[1].count, 2) << "two triangles have no area";
  EXPECT_THAT(warnings[2].message, HasSubstr("face down"));
  EXPECT_EQ(terrain->FirstHit(Down(0, 2, 0), {})->normal, (Vec3d{0, 1, 0}));
}

TEST(Terrain, ThinTrianglesAreDroppedByShapeNotBySize) {
  std::vector<TerrainWarning> warnings;
  TerrainSpec spec;
  // A needle on a line, and a proper triangle of a tenth of a millimetre.
  spec.meshes.push_back(
      {{0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 0, 1e-4f, 1e-4f, 0, 0}, {0, 1, 2, 0, 3, 4}, ""});
  Make(spec, UpAxis::kY, &warnings);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].count, 1);
}

TEST(Terrain, AFieldOnAPlatformMovesWithIt) {
  Random random(32);
  TerrainSpec rest, moved;
  const auto grid = testing::HillyGrid(random, 8, 2.0, 0.5);
  TriangleMeshSpec mesh;
  for (Vec3f v : grid.vertices)
    for (float f : {v.x, v.y, v.z}) mesh.positions.push_back(f);
  for (const auto& t : grid.triangles)
    mesh.triangles.insert(mesh.triangles.end(), t.begin(), t.end());
  rest.meshes.push_back(mesh);
  mesh.platform = "ferry";
  moved.meshes.push_back(mesh);
  const auto still = Make(rest), carried = Make(moved);
  ASSERT_EQ(carried->platforms().size(), 1u);
  EXPECT_EQ(carried->platforms()[0], "ferry");
  EXPECT_FALSE(carried->FirstHit(Down(1, 2, 1), {})) << "a platform without a pose";
  for (int k = 0; k < 500; ++k) {
    const Vec3d axis = testing::UnitVector(random);
    const RigidPose pose{{Uniform(random, -9, 9), Uniform(random, -9, 9), 3},
                         FromAxisAngle(axis, Uniform(random, -3, 3))};
    const Ray ray{{Uniform(random, 0, 2), 2, Uniform(random, 0, 2)},
                  NormalizedOr(Vec3d{Uniform(random, -1, 1), -1, 0}, {}),
                  4};
    const Ray turned{pose.Apply(ray.origin), pose.Turn(ray.direction), ray.length};
    const auto wanted = still->FirstHit(ray, {});
    const auto got = carried->FirstHit(turned, {.now = {&pose, 1}});
    ASSERT_EQ(got.has_value(), wanted.has_value());
    if (!got) continue;
    EXPECT_EQ(got->platform, 0);
    EXPECT_LT(Length(got->point - pose.Apply(wanted->point)), 1e-9);
    EXPECT_LT(Length(got->normal - pose.Turn(wanted->normal)), 1e-9);
  }
}

TEST(Terrain, AHitTellsThePlatformsVelocity) {
  const auto terrain = Make(PlaneTerrain({0, 0, 0}, {0, 1, 0}, "disc"));
  const double turn = 0.01, dt = 0.02;
  const RigidPose before{{1, 0, 0}, {}};
  const RigidPose now{{1, 0.004, 0}, FromAxisAngle(Vec3d{0, 1, 0}, turn)};
  const auto hit = terrain->FirstHit(Down(2, 1, 0),
                                     {.now = {&now, 1}, .before = {&before, 1}, .seconds = dt});
  ASSERT_TRUE(hit);
  // Rises, and turns about +Y one metre from the axis: towards -Z.
  EXPECT_NEAR(hit->velocity.y, 0.004 / dt, 1e-9);
  EXPECT_NEAR(hit->velocity.z, -turn / dt, 1e-3);
  EXPECT_NEAR(hit->velocity.x, 0, 1e-2);
}

}  // namespace
}  // namespace ikstream
