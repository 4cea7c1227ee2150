// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cpp/terrain/obj.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "terrain/terrain.h"

namespace ikstream {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kThree[] = "v 0 0 0\nv 0 0 1\nv 1 0 0\n";

absl::StatusOr<TriangleMeshSpec> Parse(absl::string_view text) {
  return ParseObj(text, "ground.obj");
}

TerrainSpec TerrainOf(const TriangleMeshSpec& mesh) {
  TerrainSpec spec;
  spec.meshes.push_back(mesh);
  return spec;
}

std::string ErrorOf(absl::string_view text) {
  const auto mesh = Parse(text);
  EXPECT_FALSE(mesh.ok()) << text;
  return std::string(mesh.status().message());
}

TEST(Obj, ReadsVerticesAndFaces) {
  const auto mesh = Parse(
      "\xEF\xBB\xBF# a ramp\r\nmtllib x.mtl\r\no ramp\r\n"
      "v 0 0.5 -1e0\r\nv\t1 0 0 1.0\r\n  v +.25 0 1 0.5 0.5 0.5 # with a colour\r\n\r\n"
      "vn 0 1 0\r\nvt 0 0\r\nusemtl m\r\ns off\r\nf 1/1/1 2//1 3/1");
  ASSERT_TRUE(mesh.ok()) << mesh.status();
  EXPECT_THAT(mesh->positions, ElementsAre(0, 0.5f, -1, 1, 0, 0, 0.25f, 0, 1));
  EXPECT_THAT(mesh->triangles, ElementsAre(0, 1, 2));
}

TEST(Obj, CutsPolygonsAndCountsBackwards) {
  const auto mesh = Parse("v 0 0 0\nv 0 0 1\nv 1 0 1\nf -3 -2 -1\nv 1 0 0\nf 1 2 \\\n 3 4\n");
  ASSERT_TRUE(mesh.ok()) << mesh.status();
  EXPECT_THAT(mesh->triangles, ElementsAre(0, 1, 2, 0, 1, 2, 0, 2, 3));
}

TEST(Obj, ErrorsTellWhere) {
  const auto with_face = [](absl::string_view face) {
    return ErrorOf(absl::StrCat(kThree, face));
  };
  EXPECT_EQ(
      with_face("f 1 2 4"),
      "ground.obj:4:7: vertex 4 does not exist: 3 stand before this line, counted from 1");
  EXPECT_THAT(with_face("f 1 2 -4"), StartsWith("ground.obj:4:7: vertex -4"));
  EXPECT_THAT(with_face("f 0 2 3"), StartsWith("ground.obj:4:3: vertex 0"));
  EXPECT_THAT(with_face("\n  f 1 2"), StartsWith("ground.obj:5:3: a face has at least 3"));
  EXPECT_THAT(with_face("f 1 \\\n two 3"), StartsWith("ground.obj:5:2: expected a vertex"));
  EXPECT_THAT(with_face("f 99999999999 1 2"), StartsWith("ground.obj:4:3: expected a vertex"));
  EXPECT_THAT(ErrorOf("v 1 2"), StartsWith("ground.obj:1:1: a vertex has 3 coordinates"));
  EXPECT_THAT(ErrorOf("v 1,5 2 3"), StartsWith("ground.obj:1:3: expected a number"));
  EXPECT_THAT(ErrorOf("v 1 nan 3"), StartsWith("ground.obj:1:5: the number is not finite"));
  EXPECT_THAT(ErrorOf("v 1 1e99 3"), StartsWith("ground.obj:1:5: the number is not finite"));
  EXPECT_THAT(ErrorOf(kThree), HasSubstr("has no face"));
  EXPECT_THAT(ErrorOf(""), StartsWith("ground.obj:1:1: the file has no face"));
  EXPECT_LT(ErrorOf(absl::StrCat("v 1 2 ", std::string(5000, 'x'))).size(), 100u);
}

TEST(Obj, IsBounded) {
  const std::string text = absl::StrCat(kThree, "f 1 2 3\nf 1 2 3 1 2\n");
  const auto code = [&](ObjLimits limits) {
    return ParseObj(text, "g", limits).status().code();
  };
  EXPECT_EQ(code({}), absl::StatusCode::kOk);
  EXPECT_EQ(code({.max_bytes = 10}), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(code({.max_vertices = 2}), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(code({.max_triangles = 3}), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(code({.max_triangles = 4}), absl::StatusCode::kOk);
}

TEST(Obj, AnyCutOfAFileIsReadOrRefused) {
  const std::string text = absl::StrCat(kThree, "f 1/1 2/2 3/3\n# end \\\nf -1 -2 -3 \\");
  for (size_t n = 0; n <= text.size(); ++n) {
    const auto mesh = Parse(text.substr(0, n));
    if (!mesh.ok()) continue;
    EXPECT_TRUE(CheckTerrain(TerrainOf(*mesh), {}).ok()) << n;
  }
}

TEST(Obj, ReadsFiles) {
  const auto path = std::filesystem::path(::testing::TempDir()) /
                    ("ikstream_ground_" + std::to_string(getpid()) + ".obj");
  std::ofstream(path) << kThree << "f 1 2 3\n";
  const auto mesh = ReadObj(path.string());
  ASSERT_TRUE(mesh.ok()) << mesh.status();
  const auto terrain = Terrain::Create(TerrainOf(*mesh), UpAxis::kY);
  ASSERT_TRUE(terrain.ok());
  EXPECT_TRUE((*terrain)->FirstHit({{0.2, 1, 0.2}, {0, -1, 0}, 2}, {}));
  std::filesystem::remove(path);
  EXPECT_EQ(ReadObj(path.string()).status().code(), absl::StatusCode::kNotFound);
  EXPECT_FALSE(ReadObj(::testing::TempDir()).ok()) << "a folder";
}

}  // namespace
}  // namespace ikstream
