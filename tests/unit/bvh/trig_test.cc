// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

#include "cpp/bvh/trig.h"
#include "cpp/bvh/trig_lanes.h"

namespace ikstream::bvh {
namespace {

std::uint64_t Bits(double x) { return std::bit_cast<std::uint64_t>(x); }

// Angles of any size, and those about which quarters change.
std::vector<double> SomeDegrees(std::size_t count, std::mt19937_64& random) {
  std::vector<double> out(count);
  for (double& x : out) {
    const double unit = static_cast<double>(random() % 2000001) / 1000000 - 1;
    const double large = std::exp2(static_cast<double>(random() % 40)) * unit;
    const double corner = 45 * static_cast<double>(random() % 17) - 360 + 1e-9 * unit;
    x = random() % 2 == 0 ? large : corner;
  }
  if (count > 1) out[0] = 0, out[1] = -0.0;
  return out;
}

TEST(Trig, LanesHaveTheBitsOfOneByOne) {
  std::mt19937_64 random(1);
  for (std::size_t count : {0, 1, 3, 8, 17, 96, 1000}) {
    const std::vector<double> a = SomeDegrees(count, random), b = SomeDegrees(count, random);
    std::vector<double> sines(count), cosines(count), angles(count);
    SinesAndCosines(a, sines, cosines);
    AnglesOf(a, b, angles);
    for (std::size_t i = 0; i < count; ++i) {
      const auto [sine, cosine] = SineCosineOf(a[i]);
      ASSERT_EQ(Bits(sines[i]), Bits(sine)) << a[i];
      ASSERT_EQ(Bits(cosines[i]), Bits(cosine)) << a[i];
      ASSERT_EQ(Bits(angles[i]), Bits(AngleOf(a[i], b[i]))) << a[i] << " " << b[i];
    }
  }
}

TEST(Trig, IsThatOfTheCLibrary) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 20000; ++i) {
    const double degrees = static_cast<double>(random() % 1440001) / 1000 - 720;
    const double radians = degrees * (std::numbers::pi / 180);
    const auto [sine, cosine] = SineCosineOf(degrees);
    ASSERT_NEAR(sine, std::sin(radians), 2e-15) << degrees;
    ASSERT_NEAR(cosine, std::cos(radians), 2e-15) << degrees;
    const double x = cosine * 3, y = sine * 3;
    ASSERT_NEAR(AngleOf(y, x), std::atan2(y, x) * (180 / std::numbers::pi), 1e-13) << degrees;
  }
  EXPECT_EQ(AngleOf(0, 0), 0);
  EXPECT_EQ(AngleOf(0, -1), 180);
  EXPECT_EQ(AngleOf(-1, 0), -90);
}

}  // namespace
}  // namespace ikstream::bvh
