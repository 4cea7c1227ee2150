// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/field_error.h"
#include "unit/terrain/fixtures.h"

namespace ikstream {
namespace {

using ::testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

TerrainSpec Good() {
  TerrainSpec spec = testing::PlaneTerrain({0, 0, 0}, {0, 1, 0});
  HeightFieldSpec field;
  field.cell_i = field.cell_j = 1;
  field.count_i = 2;
  field.count_j = 3;
  field.heights.assign(6, 0.0f);
  spec.height_fields.push_back(field);
  spec.meshes.push_back({{0, 0, 0, 0, 0, 1, 1, 0, 0}, {0, 1, 2}, ""});
  return spec;
}

template <class Change>
absl::Status After(Change change, const TerrainLimits& limits = {}) {
  TerrainSpec spec = Good();
  change(spec);
  return CheckTerrain(spec, limits);
}

struct Case {
  const char* field;
  void (*change)(TerrainSpec&);
};

TEST(CheckTerrain, NamesTheFieldAtFault) {
  const Case cases[] = {
      {"planes[0].point", [](TerrainSpec& s) { s.planes[0].point.z = kNan; }},
      {"planes[0].normal", [](TerrainSpec& s) { s.planes[0].normal.x = kInf; }},
      {"height_fields[0].origin", [](TerrainSpec& s) { s.height_fields[0].origin.x = kNan; }},
      {"height_fields[0].cell_i", [](TerrainSpec& s) { s.height_fields[0].cell_i = 0; }},
      {"height_fields[0].cell_j", [](TerrainSpec& s) { s.height_fields[0].cell_j = kInf; }},
      {"height_fields[0].count_i", [](TerrainSpec& s) { s.height_fields[0].count_i = 1; }},
      {"height_fields[0].count_j", [](TerrainSpec& s) { s.height_fields[0].count_j = -3; }},
      {"height_fields[0].heights",
       [](TerrainSpec& s) { s.height_fields[0].heights.pop_back(); }},
      {"height_fields[0].heights[4]",
       [](TerrainSpec& s) { s.height_fields[0].heights[4] = kNan; }},
      {"height_fields[0].holes", [](TerrainSpec& s) { s.height_fields[0].holes = {1}; }},
      {"meshes[0].positions", [](TerrainSpec& s) { s.meshes[0].positions.pop_back(); }},
      {"meshes[0].positions[8]", [](TerrainSpec& s) { s.meshes[0].positions[8] = kInf; }},
      {"meshes[0].triangles", [](TerrainSpec& s) { s.meshes[0].triangles.push_back(0); }},
      {"meshes[0].triangles[1]", [](TerrainSpec& s) { s.meshes[0].triangles[1] = 3; }},
      {"meshes[0].triangles[2]", [](TerrainSpec& s) { s.meshes[0].triangles[2] = -1; }},
  };
  EXPECT_TRUE(CheckTerrain(Good(), {}).ok());
  for (const Case& c : cases) {
    const absl::Status status = After(c.change);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << c.field;
    EXPECT_EQ(FieldOf(status), c.field) << status;
  }
}

TEST(CheckTerrain, CountsThatOverflowAreNotMultiplied) {
  const absl::Status status = After([](TerrainSpec& s) {
    s.height_fields[0].count_i = s.height_fields[0].count_j = 65537;  // 2^32 + ... vertices
  });
  EXPECT_EQ(FieldOf(status), "height_fields[0].heights");
}

TEST(CheckTerrain, LimitsTheWholeTerrain) {
  const TerrainLimits few_vertices{.max_vertices = 8};
  absl::Status status = CheckTerrain(Good(), few_vertices);  // 6 of the field + 3 of the mesh
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(FieldOf(status), "meshes[0].positions");
  EXPECT_THAT(status.message(), HasSubstr("limit of 8"));

  status = After([](TerrainSpec& s) { s.meshes[0].triangles.assign(3 * 19, 0); },
                 TerrainLimits{.max_vertices = 9});
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(FieldOf(status), "meshes[0].triangles");

  status = CheckTerrain(Good(), TerrainLimits{.max_surfaces = 2});
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace ikstream
