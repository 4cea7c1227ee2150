// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Ground as the caller gives it: planes, height fields, triangle meshes, each at rest or
// carried by a moving platform. The plain form of ikstream.v1.Terrain. Rig units.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "core/math.h"
#include "core/rig.h"

namespace ikstream {

// An infinite plane. `normal` points away from the ground; zero: up, with a warning.
struct PlaneSpec {
  Vec3f point;
  Vec3f normal;
  std::string platform;  // the platform that carries it; empty: it rests
};

// Heights at the vertices of a grid: heights[i * count_j + j], i along +X, j along +Z (up +Y)
// or +Y (up +Z). Each cell is cut by the diagonal from (i, j) to (i + 1, j + 1).
struct HeightFieldSpec {
  Vec3f origin;  // vertex (0, 0); its component along up is added to every height
  float cell_i = 0, cell_j = 0;
  int count_i = 0, count_j = 0;
  std::vector<float> heights;
  std::vector<std::uint8_t> holes;  // by cell: holes[i * (count_j - 1) + j]; empty: none
  std::string platform;
};

// Triangles, counter-clockwise seen from above: a ray meets them from that side only.
struct TriangleMeshSpec {
  std::vector<float> positions;         // 3 per vertex
  std::vector<std::int32_t> triangles;  // 3 vertex indices per triangle
  std::string platform;
};

struct TerrainSpec {
  std::vector<PlaneSpec> planes;
  std::vector<HeightFieldSpec> height_fields;
  std::vector<TriangleMeshSpec> meshes;
};

// What is too much.
struct TerrainLimits {
  int max_vertices = 1'000'000;  // of all height fields and meshes; twice as many triangles
  int max_surfaces = 1024;       // planes, height fields and meshes: each ray asks all of them
};

// Something odd about the input that was accepted, and how it was taken.
struct TerrainWarning {
  std::string field;
  std::string message;
  std::int64_t frame = -1;  // the first frame it was seen at, -1: of no frame
  std::int64_t count = 1;   // how often it was seen
};

// OK, or RESOURCE_EXHAUSTED (too many vertices, triangles or surfaces) or INVALID_ARGUMENT
// (sizes that disagree, indices out of range, values that are not finite). Errors name
// `meshes[0].triangles[7]` and so on. Time: linear in the size of the input.
absl::Status CheckTerrain(const TerrainSpec& spec, const TerrainLimits& limits);

// The unit vector that points away from the ground.
constexpr Vec3d UpVector(UpAxis up) {
  return up == UpAxis::kY ? Vec3d{0, 1, 0} : Vec3d{0, 0, 1};
}

}  // namespace ikstream
