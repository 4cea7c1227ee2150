// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// terrain_bench: how fast ground is found and feet are placed, on seeded hills of 100,352
// triangles. Prints one line per figure.
#include <chrono>
#include <cstdio>
#include <vector>

#include "unit/terrain/place_fixtures.h"

namespace ikstream::testing {
namespace {

using Clock = std::chrono::steady_clock;

double Since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

constexpr int kCells = 224;
constexpr double kSize = 50, kHills = 0.3;

std::shared_ptr<const Terrain> Hills(Random& random) {
  const Grid grid = HillyGrid(random, kCells, kSize, kHills);
  TerrainSpec spec;
  spec.meshes.emplace_back();
  for (Vec3f v : grid.vertices)
    for (float x : {v.x, v.y, v.z}) spec.meshes[0].positions.push_back(x);
  for (const auto& t : grid.triangles)
    spec.meshes[0].triangles.insert(spec.meshes[0].triangles.end(), t.begin(), t.end());
  const auto start = Clock::now();
  auto terrain = *Terrain::Create(spec, UpAxis::kY);
  std::printf("build %zu triangles: %.0f ms\n", grid.triangles.size(), Since(start) * 1e3);
  return terrain;
}

void Rays(Random& random, const std::shared_ptr<const Terrain>& terrain, double radius) {
  const Ground ground(terrain, 1);
  std::vector<Vec3d> soles(200'000);
  for (Vec3d& p : soles) p = {Uniform(random, 0, kSize), 0.2, Uniform(random, 0, kSize)};
  int hits = 0;
  const auto start = Clock::now();
  for (const Vec3d& p : soles) hits += ground.Query({}, p, radius).has_value();
  std::printf("%s queries: %.2f M/s (%d hits)\n", radius > 0 ? "disc" : "ray",
              static_cast<double>(soles.size()) / Since(start) / 1e6, hits);
}

void PlaceWalk(const std::shared_ptr<const Terrain>& terrain, float radius) {
  Body body({.toes = true});
  body.spec.terrain = terrain;
  for (PlaceFoot& foot : body.spec.feet) foot.sole_radius_m = radius;
  const int frames = 20'000;
  Clip clip(body, frames);
  for (int f = 0; f < frames; ++f) {
    clip.roots[3 * f] = 25;
    clip.roots[3 * f + 2] = 1 + static_cast<float>(f) * 0.002f;
    for (int leg : {0, 1}) clip.Bend(f, leg, 0.2 + 0.2 * std::sin(f * 0.2 + leg * 3.14));
  }
  auto placer = *Placer::Create(body.spec);
  std::vector<float> roots(clip.roots.size()), rotations(clip.rotations.size());
  const auto start = Clock::now();
  placer->Place({{frames, clip.roots.data(), clip.rotations.data(), nullptr}, {}, {}},
                {roots.data(), nullptr, rotations.data(), nullptr, {}});
  std::printf("placer, two legs with toes, %s: %.2f us per frame\n",
              radius > 0 ? "discs" : "rays", Since(start) / frames * 1e6);
}

int Run() {
  Random random(1);
  const auto terrain = Hills(random);
  Rays(random, terrain, 0);
  Rays(random, terrain, 0.05);
  PlaceWalk(terrain, 0);
  PlaceWalk(terrain, 0.05f);
  return 0;
}

}  // namespace
}  // namespace ikstream::testing

int main() { return ikstream::testing::Run(); }
