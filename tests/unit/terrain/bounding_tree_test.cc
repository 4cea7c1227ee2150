// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "terrain/bounding_tree.h"

#include <gtest/gtest.h>

#include "unit/terrain/fixtures.h"

namespace ikstream {
namespace {

using testing::Grid;
using testing::Random;
using testing::Uniform;

Vec3d RandomPoint(Random& random, double size) {
  return {Uniform(random, -size, size), Uniform(random, -size, size),
          Uniform(random, -size, size)};
}

Grid Soup(Random& random, int count) {
  Grid soup;
  for (int k = 0; k < count; ++k) {
    const Vec3d at = RandomPoint(random, 1);
    for (int c = 0; c < 3; ++c)
      soup.vertices.push_back(Cast<float>(at + RandomPoint(random, 0.2)));
    soup.triangles.push_back({3 * k, 3 * k + 1, 3 * k + 2});
  }
  return soup;
}

BoundingTree TreeOf(const Grid& grid) {
  BoundingTree tree;
  tree.Build(grid.vertices, grid.triangles);
  return tree;
}

TEST(BoundingTree, FindsTheTriangleThatBruteForceFinds) {
  Random random(11);
  int hits = 0;
  for (int round = 0; round < 5; ++round) {
    const Grid soup = Soup(random, 400);
    const BoundingTree tree = TreeOf(soup);
    for (int k = 0; k < 2000; ++k) {
      const Ray ray{RandomPoint(random, 1.5), testing::UnitVector(random), 2.5};
      const auto wanted = testing::ReferenceMesh(ray, soup.vertices, soup.triangles);
      if (wanted && wanted->margin < 1e-7) continue;  // on an edge: either may be right
      const auto got = tree.FirstHit(ray);
      ASSERT_EQ(got.has_value(), wanted.has_value()) << "round " << round << " ray " << k;
      if (!got) continue;
      ++hits;
      EXPECT_NEAR(got->distance, wanted->distance, 1e-9);
      EXPECT_NEAR(Length(got->normal), 1, 1e-12);
      EXPECT_LT(Dot(got->normal, ray.direction), 0);
    }
  }
  EXPECT_GT(hits, 1000);
}

TEST(BoundingTree, HasNoCracksAtVerticesAndEdges) {
  Random random(12);
  const Grid grid = testing::HillyGrid(random, 24, 2.0, 0.3);
  const BoundingTree tree = TreeOf(grid);
  const auto expect_hit = [&](Vec3d at, Vec3d direction) {
    const Ray ray{at - direction * 2.0, direction, 4};
    EXPECT_TRUE(tree.FirstHit(ray)) << at.x << " " << at.y << " " << at.z;
  };
  // A slanted ray near the border may come in under the surface.
  const auto inside = [](Vec3d p, double margin) {
    return p.x > margin && p.x < 2 - margin && p.z > margin && p.z < 2 - margin;
  };
  for (const auto& t : grid.triangles)
    for (int c = 0; c < 3; ++c) {
      const Vec3d p = Cast<double>(grid.vertices[t[c]]);
      const Vec3d q = Cast<double>(grid.vertices[t[(c + 1) % 3]]);
      const Vec3d slanted = Vec3d{0.31, -0.9, -0.2} / Length(Vec3d{0.31, -0.9, -0.2});
      for (double s : {0.0, 0.5, 1.0 / 3, 0.1}) {
        const Vec3d at = p + (q - p) * s;
        if (inside(at, 0)) expect_hit(at, {0, -1, 0});
        if (inside(at, 0.2)) expect_hit(at, slanted);
      }
    }
}

TEST(BoundingTree, MeetsTrianglesFromTheirFrontOnly) {
  BoundingTree tree;
  tree.Build({{0, 0, 0}, {0, 0, 1}, {1, 0, 0}}, {{0, 1, 2}});  // counter-clockwise from above
  EXPECT_TRUE(tree.FirstHit({{0.2, 1, 0.2}, {0, -1, 0}, 2}));
  EXPECT_FALSE(tree.FirstHit({{0.2, -1, 0.2}, {0, 1, 0}, 2}));
  EXPECT_FALSE(tree.FirstHit({{0.2, 1, 0.2}, {0, -1, 0}, 0.9})) << "beyond the ray's end";
  EXPECT_FALSE(tree.FirstHit({{0.2, -0.1, 0.2}, {0, -1, 0}, 2})) << "behind its start";
  EXPECT_FALSE(tree.FirstHit({{-1, 0, 0.2}, {1, 0, 0}, 3})) << "edge-on";
}

TEST(BoundingTree, StaysShallowOnHostileMeshes) {
  Grid same, growing;
  for (int k = 0; k < 5000; ++k) {
    const int v = 3 * k;
    for (Vec3f p : {Vec3f{0, 0, 0}, Vec3f{0, 0, 1}, Vec3f{1, 0, 0}}) same.vertices.push_back(p);
    same.triangles.push_back({v, v + 1, v + 2});
    // Each ten times farther out than the last: cuts by area peel off one at a time.
    const float s = std::pow(10.0f, static_cast<float>(k % 30));
    for (Vec3f p : {Vec3f{s, 0, 0}, Vec3f{s, 0, s}, Vec3f{2 * s, 0, 0}})
      growing.vertices.push_back(p);
    growing.triangles.push_back({v, v + 1, v + 2});
  }
  for (const Grid& grid : {same, growing}) {
    const BoundingTree tree = TreeOf(grid);
    EXPECT_LE(tree.depth(), 79);
    EXPECT_EQ(tree.triangles().size(), grid.triangles.size());
  }
  const auto hit = TreeOf(same).FirstHit({{0.2, 1, 0.2}, {0, -1, 0}, 2});
  ASSERT_TRUE(hit);
  EXPECT_NEAR(hit->distance, 1, 1e-12);
}

TEST(BoundingTree, WithoutTrianglesIsNeverHit) {
  const BoundingTree tree = TreeOf({});
  EXPECT_FALSE(tree.FirstHit({{0, 1, 0}, {0, -1, 0}, 10}));
}

}  // namespace
}  // namespace ikstream
