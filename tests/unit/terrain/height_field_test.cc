// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "terrain/height_field.h"

#include <gtest/gtest.h>

#include "unit/terrain/fixtures.h"

namespace ikstream {
namespace {

using testing::Random;
using testing::Uniform;

HeightFieldSpec RandomField(Random& random, int ni, int nj) {
  HeightFieldSpec spec;
  spec.origin = {-1.5f, 0.25f, 2.0f};
  spec.cell_i = 0.3f;
  spec.cell_j = 0.2f;
  spec.count_i = ni;
  spec.count_j = nj;
  for (int k = 0; k < ni * nj; ++k)
    spec.heights.push_back(static_cast<float>(Uniform(random, -0.4, 0.4)));
  return spec;
}

// The field's vertex by the layout of the protocol, written out anew.
Vec3d VertexOf(const HeightFieldSpec& spec, UpAxis up, int i, int j) {
  const double u = i * static_cast<double>(spec.cell_i),
               v = j * static_cast<double>(spec.cell_j);
  const double h = spec.heights[static_cast<size_t>(i * spec.count_j + j)];
  const Vec3d o = Cast<double>(spec.origin);
  if (up == UpAxis::kY) return {o.x + u, o.y + h, o.z + v};
  return {o.x + u, o.y + v, o.z + h};
}

// Both triangles of each cell, from both sides, so that the winding is not taken from the code.
std::optional<testing::ReferenceHit> BruteForce(const HeightFieldSpec& spec, UpAxis up,
                                                const Ray& ray) {
  std::optional<testing::ReferenceHit> best;
  const auto consider = [&](Vec3d a, Vec3d b, Vec3d c) {
    const Vec3d normal = Cross(b - a, c - a);
    const bool faces_up = Dot(normal, UpVector(up)) > 0;
    const auto hit = faces_up ? testing::ReferenceTriangle(ray, a, b, c)
                              : testing::ReferenceTriangle(ray, a, c, b);
    if (hit && (!best || hit->distance < best->distance)) best = hit;
  };
  for (int i = 0; i + 1 < spec.count_i; ++i)
    for (int j = 0; j + 1 < spec.count_j; ++j) {
      const Vec3d low = VertexOf(spec, up, i, j), high = VertexOf(spec, up, i + 1, j + 1);
      consider(low, VertexOf(spec, up, i + 1, j), high);
      consider(low, VertexOf(spec, up, i, j + 1), high);
    }
  return best;
}

TEST(HeightField, FindsWhatBruteForceFinds) {
  Random random(21);
  for (UpAxis up : {UpAxis::kY, UpAxis::kZ}) {
    const HeightFieldSpec spec = RandomField(random, 9, 13);
    const HeightField field(spec, up);
    int hits = 0;
    for (int k = 0; k < 6000; ++k) {
      const Vec3d target =
          VertexOf(spec, up, static_cast<int>(random() % 9), static_cast<int>(random() % 13));
      // A third straight down, the others any way.
      const Vec3d d = k % 3 == 0 ? -UpVector(up) : testing::UnitVector(random);
      const Vec3d beside{Uniform(random, -0.3, 0.3), Uniform(random, -0.3, 0.3),
                         Uniform(random, -0.3, 0.3)};
      const Ray ray{target + beside - d * 1.0, d, 2.5};
      const auto wanted = BruteForce(spec, up, ray);
      if (wanted && wanted->margin < 1e-7) continue;
      const auto got = field.FirstHit(ray);
      ASSERT_EQ(got.has_value(), wanted.has_value()) << "ray " << k;
      if (!got) continue;
      ++hits;
      EXPECT_NEAR(got->distance, wanted->distance, 1e-9);
      EXPECT_GT(Dot(got->normal, UpVector(up)), 0);
    }
    EXPECT_GT(hits, 2000);
  }
}

TEST(HeightField, TellsHeightAndNormalOfASlope) {
  HeightFieldSpec spec;
  spec.cell_i = spec.cell_j = 0.5f;
  spec.count_i = spec.count_j = 5;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j)
      spec.heights.push_back(static_cast<float>(0.5 * (0.25 * i - 0.5 * j)));
  const HeightField field(spec, UpAxis::kY);
  Random random(22);
  const Vec3d normal = Vec3d{-0.25, 1, 0.5} / Length(Vec3d{-0.25, 1, 0.5});
  for (int k = 0; k < 1000; ++k) {
    const double x = Uniform(random, 0, 2), z = Uniform(random, 0, 2);
    const auto hit = field.FirstHit({{x, 3, z}, {0, -1, 0}, 6});
    ASSERT_TRUE(hit);
    EXPECT_NEAR(3 - hit->distance, 0.25 * x - 0.5 * z, 1e-6);
    EXPECT_LT(Length(hit->normal - normal), 1e-6);
  }
}

TEST(HeightField, IsCutAlongTheSettledDiagonal) {
  HeightFieldSpec spec;
  spec.cell_i = spec.cell_j = 1;
  spec.count_i = spec.count_j = 2;
  spec.heights = {0, 0, 0, 1};  // only (1, 1) is raised
  const HeightField field(spec, UpAxis::kY);
  const auto height = [&](double x, double z) {
    return 3 - field.FirstHit({{x, 3, z}, {0, -1, 0}, 6}).value().distance;
  };
  EXPECT_NEAR(height(0.5, 0.5), 0.5, 1e-12) << "on the diagonal (0,0)-(1,1)";
  EXPECT_NEAR(height(0.75, 0.25), 0.25, 1e-12);
  EXPECT_NEAR(height(0.25, 0.75), 0.25, 1e-12);
}

TEST(HeightField, HasNoCracksAndEndsAtItsBorder) {
  Random random(23);
  const HeightFieldSpec spec = RandomField(random, 12, 12);
  const HeightField field(spec, UpAxis::kY);
  const double cell_i = spec.cell_i, cell_j = spec.cell_j;
  for (double i = 0; i <= 11; i += 0.25)
    for (double j = 0; j <= 11; j += 0.25) {
      const Vec3d at{spec.origin.x + cell_i * i, 2, spec.origin.z + cell_j * j};
      EXPECT_TRUE(field.FirstHit({at, {0, -1, 0}, 4})) << i << " " << j;
    }
  const double end = spec.origin.x + cell_i * 11;
  EXPECT_FALSE(field.FirstHit({{end + 1e-3, 2, 3}, {0, -1, 0}, 4}));
  EXPECT_FALSE(field.FirstHit({{spec.origin.x - 1e-3, 2, 3}, {0, -1, 0}, 4}));
}

TEST(HeightField, HolesHaveNoGround) {
  HeightFieldSpec spec;
  spec.cell_i = spec.cell_j = 1;
  spec.count_i = 3;
  spec.count_j = 4;
  spec.heights.assign(12, 0.0f);
  spec.holes = {0, 0, 0, 0, 1, 0};  // the cell i 1, j 1
  const HeightField field(spec, UpAxis::kZ);
  const auto hit = [&](double x, double y) {
    return field.FirstHit({{x, y, 1}, {0, 0, -1}, 2}).has_value();
  };
  EXPECT_FALSE(hit(1.5, 1.5));
  EXPECT_TRUE(hit(0.5, 1.5));
  EXPECT_TRUE(hit(1.5, 0.5));
  EXPECT_TRUE(hit(1.5, 2.5));
}

}  // namespace
}  // namespace ikstream
