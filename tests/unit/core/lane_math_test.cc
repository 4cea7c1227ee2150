// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Accuracy of what the lanes compute themselves, against the standard library in double.
#include <cmath>
#include <random>

#include "core/lanes/targets.h"

#define HWY_COMPILE_ONLY_STATIC 1
#include "core/lanes/trig-inl.h"
#include "gtest/gtest.h"

namespace ikstream {
namespace HWY_NAMESPACE {
namespace {

using One = Lane<hn::CappedTag<float, 4>>;

float First(const One& v) {
  HWY_ALIGN float out[One::kWidth];
  v.Store(out);
  return out[0];
}

TEST(LaneMathTest, ReciprocalSquareRoot) {
  double worst = 0;
  for (float x = 1e-12f; x < 1e12f; x *= 1.0007f)
    worst = std::max(worst, std::abs(First(RSqrt(One::Set(x))) * std::sqrt(double{x}) - 1));
  EXPECT_LE(worst, 8e-7);
  EXPECT_TRUE(std::isfinite(First(RSqrt(One::Set(0)))));
}

TEST(LaneMathTest, Atan2) {
  double worst = 0;
  for (double a = -3.14159; a <= 3.14159; a += 1e-4)
    for (double r : {1e-6, 1.0, 1e6}) {
      const auto y = static_cast<float>(r * std::sin(a)),
                 x = static_cast<float>(r * std::cos(a));
      worst = std::max(worst, std::abs(First(Atan2(One::Set(y), One::Set(x))) -
                                       std::atan2(double{y}, double{x})));
    }
  EXPECT_LE(worst, 5e-7);
  EXPECT_EQ(First(Atan2(One::Set(0), One::Set(0))), 0);
}

TEST(LaneMathTest, SineAndCosine) {
  double worst = 0;
  for (float a = -8; a <= 8; a += 1e-3f) {
    const auto part = SinCos(One::Set(a));
    worst = std::max({worst, std::abs(First(part.sin) - std::sin(double{a})),
                      std::abs(First(part.cos) - std::cos(double{a}))});
  }
  EXPECT_LE(worst, 5e-7);
}

TEST(LaneMathTest, ArcCosine) {
  for (double c = -1; c <= 1; c += 1e-4)
    EXPECT_NEAR(First(Acos(One::Set(static_cast<float>(c)))),
                std::acos(std::clamp<double>(static_cast<float>(c), -1, 1)), 6e-7);
}

TEST(LaneMathTest, ShortestArcTurnsAToB) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (int i = 0; i < 3000; ++i) {
    Vec3f a = NormalizedOr(Vec3f{normal(random), normal(random), normal(random)}, {1, 0, 0});
    Vec3f b = NormalizedOr(Vec3f{normal(random), normal(random), normal(random)}, {1, 0, 0});
    if (i % 3 == 0) b = -a;
    if (i % 3 == 1) b = NormalizedOr(Vec3f{1e-3f * b.x, 1e-3f * b.y, 1e-3f * b.z} - a, a);
    const Q4<One> q = ShortestArc(V3<One>::Set(a), V3<One>::Set(b));
    const V3<One> turned = Rotate(q, V3<One>::Set(a));
    EXPECT_LE(Length(Vec3f{First(turned.x), First(turned.y), First(turned.z)} - b), 3e-4f) << i;
    EXPECT_NEAR(First(Dot(q, q)), 1, 1e-6);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace ikstream
