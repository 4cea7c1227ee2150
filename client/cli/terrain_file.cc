// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cli/terrain_file.h"

#include "absl/strings/match.h"
#include "cli/json.h"
#include "cpp/terrain/obj.h"

namespace ikstream::cli {

absl::StatusOr<v1::Terrain> ReadTerrain(const std::string& path) {
  v1::Terrain terrain;
  if (!absl::EndsWithIgnoreCase(path, ".obj")) {
    if (absl::Status status = ReadJson(path, terrain); !status.ok()) return status;
    return terrain;
  }
  auto mesh = ReadObj(path);
  if (!mesh.ok()) return mesh.status();
  v1::TriangleMesh& out = *terrain.add_meshes();
  out.mutable_positions()->Add(mesh->positions.begin(), mesh->positions.end());
  out.mutable_triangles()->Add(mesh->triangles.begin(), mesh->triangles.end());
  return terrain;
}

}  // namespace ikstream::cli
