// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Reads the ground of a Wavefront OBJ file: its vertices and faces. Everything else (texture
// coordinates, normals, materials, groups, lines, curves) is passed over. Faces with more than
// three corners are cut into a fan from their first corner. Coordinates are taken as they are:
// the caller says which way is up and what a unit is.
//
// Errors are INVALID_ARGUMENT, `file:line:column: what`, or RESOURCE_EXHAUSTED beyond the
// limits; NOT_FOUND or UNAVAILABLE where a file cannot be read. Thread-safe.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "terrain/terrain_spec.h"

namespace ikstream {

struct ObjLimits {
  std::int64_t max_bytes = 256LL << 20;
  int max_vertices = 1'000'000;
  int max_triangles = 2'000'000;
};

// `file` is the name that errors tell.
absl::StatusOr<TriangleMeshSpec> ParseObj(absl::string_view text, absl::string_view file,
                                          const ObjLimits& limits = {});

absl::StatusOr<TriangleMeshSpec> ReadObj(const std::string& path, const ObjLimits& limits = {});

}  // namespace ikstream
