// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cli/terrain_file.h"

#include <cmath>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/exit_code.h"
#include "cli/files.h"
#include "cli/json.h"

namespace ikstream::cli {
namespace {

using Words = std::vector<absl::string_view>;

// "v x y z [w or colours]".
bool AddVertex(const Words& words, v1::TriangleMesh& mesh) {
  if (words.size() < 4) return false;
  for (int axis = 0; axis < 3; ++axis) {
    float value = 0;
    if (!absl::SimpleAtof(words[1 + axis], &value) || !std::isfinite(value)) return false;
    mesh.add_positions(value);
  }
  return true;
}

// "7", "7/1", "7//2": the vertex, from 1, or counted back from the last one if negative.
bool VertexIndex(absl::string_view word, int count, int& index) {
  const Words parts = absl::StrSplit(word, '/');
  if (!absl::SimpleAtoi(parts[0], &index) || index == 0) return false;
  index = index > 0 ? index - 1 : count + index;
  return index >= 0 && index < count;
}

bool AddFace(const Words& words, v1::TriangleMesh& mesh) {
  if (words.size() < 4) return false;
  std::vector<int> corners;
  for (std::size_t i = 1; i < words.size(); ++i) {
    int index = 0;
    if (!VertexIndex(words[i], mesh.positions_size() / 3, index)) return false;
    corners.push_back(index);
  }
  for (std::size_t i = 2; i < corners.size(); ++i) {
    mesh.add_triangles(corners[0]);
    mesh.add_triangles(corners[i - 1]);
    mesh.add_triangles(corners[i]);
  }
  return true;
}

}  // namespace

absl::StatusOr<v1::TriangleMesh> ParseObj(const std::string& text, const std::string& name) {
  v1::TriangleMesh mesh;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    const Words words = absl::StrSplit(line, absl::ByAnyChar(" \t\r"), absl::SkipEmpty());
    if (words.empty()) continue;
    const bool good = words[0] == "v"   ? AddVertex(words, mesh)
                      : words[0] == "f" ? AddFace(words, mesh)
                                        : true;
    if (!good) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, ":", number, ": not a ",
                       words[0] == "v" ? "vertex: expected `v X Y Z`"
                                       : "face: expected 3 or more vertices defined above"));
    }
  }
  if (mesh.triangles_size() == 0) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": holds no face"));
  }
  return mesh;
}

absl::StatusOr<v1::Terrain> ReadTerrain(const std::string& path) {
  v1::Terrain terrain;
  if (!absl::EndsWithIgnoreCase(path, ".obj")) {
    if (absl::Status status = ReadJson(path, terrain); !status.ok()) return status;
    return terrain;
  }
  auto text = ReadText(path);
  if (!text.ok()) return text.status();
  auto mesh = ParseObj(*text, path);
  if (!mesh.ok()) return mesh.status();
  *terrain.add_meshes() = *std::move(mesh);
  return terrain;
}

}  // namespace ikstream::cli
