// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Sine, cosine and their inverse for degrees, to a few units of the last place. Rows are full
// of them; the C library's take several times as long, and differ from one library to another.
// Sums of the Taylor series: the arguments are brought so near to 0 that few terms are needed.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace ikstream::bvh {

// The nearest whole number. REQUIRES: |x| < 2^51. Adding this number leaves no bits for a
// fraction.
inline double RoundToWhole(double x) {
  constexpr double kNoFraction = 6755399441055744.0;  // 1.5 * 2^52
  return (x + kNoFraction) - kNoFraction;
}

struct SineCosine {
  double sine, cosine;
};

// REQUIRES: |degrees| < 2^51.
inline SineCosine SineCosineOf(double degrees) {
  const double quarter = RoundToWhole(degrees * (1.0 / 90));
  // The difference is exact; at most an eighth of a turn is left.
  const double r = (degrees - 90 * quarter) * (std::numbers::pi / 180);
  const double s = r * r;
  const double sine =
      r * (1 + s * (-1.0 / 6 +
                    s * (1.0 / 120 +
                         s * (-1.0 / 5040 +
                              s * (1.0 / 362880 +
                                   s * (-1.0 / 39916800 + s * (1.0 / 6227020800 -
                                                               s * (1.0 / 1307674368000))))))));
  const double cosine =
      1 + s * (-1.0 / 2 +
               s * (1.0 / 24 +
                    s * (-1.0 / 720 +
                         s * (1.0 / 40320 +
                              s * (-1.0 / 3628800 + s * (1.0 / 479001600 +
                                                         s * (-1.0 / 87178291200 +
                                                              s * (1.0 / 20922789888000))))))));
  const auto turn = static_cast<std::uint64_t>(static_cast<std::int64_t>(quarter)) & 3;
  const double a = (turn & 1) != 0 ? cosine : sine, b = (turn & 1) != 0 ? sine : cosine;
  return {turn >= 2 ? -a : a, turn == 1 || turn == 2 ? -b : b};
}

// The angle of (x, y) in degrees, -180 to 180, as std::atan2(y, x) has it; 0 at the origin.
inline double AngleOf(double y, double x) {
  // The arc tangents of 0/8 to 8/8.
  constexpr std::array<double, 9> kEighths = {0.0,
                                              0.12435499454676144,
                                              0.24497866312686414,
                                              0.35877067027057225,
                                              0.4636476090008061,
                                              0.5585993153435624,
                                              0.6435011087932844,
                                              0.7188299996216245,
                                              0.7853981633974483};
  const double ax = std::abs(x), ay = std::abs(y);
  const double large = std::max(ax, ay);
  if (!(large > 0)) return 0;
  const double ratio = std::min(ax, ay) / large;
  const int eighths = static_cast<int>(8 * ratio + 0.5);
  const double near = eighths / 8.0;
  const double t = (ratio - near) / (1 + ratio * near);
  const double s = t * t;
  double angle =
      kEighths[static_cast<std::size_t>(eighths)] +
      t * (1 + s * (-1.0 / 3 +
                    s * (1.0 / 5 +
                         s * (-1.0 / 7 + s * (1.0 / 9 + s * (-1.0 / 11 + s * (1.0 / 13)))))));
  if (ay > ax) angle = std::numbers::pi / 2 - angle;
  if (x < 0) angle = std::numbers::pi - angle;
  return std::copysign(angle * (180 / std::numbers::pi), y);
}

}  // namespace ikstream::bvh
