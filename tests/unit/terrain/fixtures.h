// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// What the tests of terrain share: seeded surfaces and a plain reference for rays, written in
// another way than the code under test (Moeller-Trumbore in long double, no tree).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "core/math.h"
#include "terrain/ray.h"
#include "terrain/terrain_spec.h"

namespace ikstream::testing {

using Random = std::mt19937_64;

inline double Uniform(Random& random, double lo, double hi) {
  return std::uniform_real_distribution<double>(lo, hi)(random);
}

inline Vec3d UnitVector(Random& random) {
  Vec3d v;
  do {
    v = {Uniform(random, -1, 1), Uniform(random, -1, 1), Uniform(random, -1, 1)};
  } while (Dot(v, v) > 1 || Dot(v, v) < 1e-3);
  return v / Length(v);
}

using Vec3l = Vec3<long double>;

// The distance to the front of one triangle; `margin` is the least barycentric coordinate, so
// that hits too near to an edge to be judged can be told apart.
struct ReferenceHit {
  double distance = 0;
  double margin = 0;
};

inline std::optional<ReferenceHit> ReferenceTriangle(const Ray& ray, Vec3d a, Vec3d b,
                                                     Vec3d c) {
  const Vec3l e1 = Cast<long double>(b - a), e2 = Cast<long double>(c - a);
  const Vec3l d = Cast<long double>(ray.direction);
  const Vec3l s = Cast<long double>(ray.origin) - Cast<long double>(a);
  const Vec3l p = Cross(d, e2);
  const long double det = Dot(e1, p);
  if (!(det > 0)) return std::nullopt;
  const Vec3l q = Cross(s, e1);
  const long double u = Dot(s, p) / det, v = Dot(d, q) / det, t = Dot(e2, q) / det;
  const long double margin = std::min(std::min(u, v), 1 - u - v);
  if (margin < -1e-9L || t < 0 || t > static_cast<long double>(ray.length)) return std::nullopt;
  return ReferenceHit{static_cast<double>(t), static_cast<double>(margin)};
}

// The nearest hit of all triangles; none where only an edge, too near to be judged, is hit.
inline std::optional<ReferenceHit> ReferenceMesh(
    const Ray& ray, std::span<const Vec3f> vertices,
    std::span<const std::array<std::int32_t, 3>> triangles) {
  std::optional<ReferenceHit> best;
  for (const auto& t : triangles) {
    const auto hit =
        ReferenceTriangle(ray, Cast<double>(vertices[t[0]]), Cast<double>(vertices[t[1]]),
                          Cast<double>(vertices[t[2]]));
    if (hit && (!best || hit->distance < best->distance)) best = hit;
  }
  return best;
}

// A hilly grid of n x n cells over [0, size]^2 (x and z, up +Y), as a mesh.
struct Grid {
  std::vector<Vec3f> vertices;
  std::vector<std::array<std::int32_t, 3>> triangles;
};

inline Grid HillyGrid(Random& random, int n, double size, double height) {
  Grid grid;
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= n; ++j)
      grid.vertices.push_back({static_cast<float>(size * i / n),
                               static_cast<float>(Uniform(random, 0, height)),
                               static_cast<float>(size * j / n)});
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const int a = i * (n + 1) + j, b = a + n + 1;
      grid.triangles.push_back({a, a + 1, b + 1});
      grid.triangles.push_back({a, b + 1, b});
    }
  return grid;
}

// A plane through `point`.
inline TerrainSpec PlaneTerrain(Vec3f point, Vec3f normal, std::string platform = "") {
  TerrainSpec spec;
  spec.planes.push_back({point, normal, std::move(platform)});
  return spec;
}

}  // namespace ikstream::testing
