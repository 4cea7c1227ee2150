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

// Adding this number leaves no bits for a fraction; the last bits of the sum count.
inline constexpr double kNoFraction = 6755399441055744.0;  // 1.5 * 2^52

// The nearest whole number. REQUIRES: |x| < 2^51.
inline double RoundToWhole(double x) { return (x + kNoFraction) - kNoFraction; }

// Coefficients of s = x^2: sin x = x (c0 + c1 s + ...) and so on.
inline constexpr std::array<double, 8> kSineSeries = {1,
                                                      -1.0 / 6,
                                                      1.0 / 120,
                                                      -1.0 / 5040,
                                                      1.0 / 362880,
                                                      -1.0 / 39916800,
                                                      1.0 / 6227020800,
                                                      -1.0 / 1307674368000};
inline constexpr std::array<double, 9> kCosineSeries = {1,
                                                        -1.0 / 2,
                                                        1.0 / 24,
                                                        -1.0 / 720,
                                                        1.0 / 40320,
                                                        -1.0 / 3628800,
                                                        1.0 / 479001600,
                                                        -1.0 / 87178291200,
                                                        1.0 / 20922789888000};
inline constexpr std::array<double, 7> kTangentSeries = {1,       -1.0 / 3,  1.0 / 5, -1.0 / 7,
                                                         1.0 / 9, -1.0 / 11, 1.0 / 13};
// The arc tangents of 0/8 to 8/8.
inline constexpr std::array<double, 9> kEighths = {0.0,
                                                   0.12435499454676144,
                                                   0.24497866312686414,
                                                   0.35877067027057225,
                                                   0.4636476090008061,
                                                   0.5585993153435624,
                                                   0.6435011087932844,
                                                   0.7188299996216245,
                                                   0.7853981633974483};

template <std::size_t kCount>
double SeriesAt(const std::array<double, kCount>& c, double s) {
  double sum = c[kCount - 1];
  for (std::size_t i = kCount - 1; i-- > 0;) sum = c[i] + s * sum;
  return sum;
}

struct SineCosine {
  double sine = 0, cosine = 1;
};

// REQUIRES: |degrees| < 2^51.
inline SineCosine SineCosineOf(double degrees) {
  const double quarter = RoundToWhole(degrees * (1.0 / 90));
  // The difference is exact; at most an eighth of a turn is left.
  const double r = (degrees - 90 * quarter) * (std::numbers::pi / 180);
  const double s = r * r;
  const double sine = r * SeriesAt(kSineSeries, s), cosine = SeriesAt(kCosineSeries, s);
  const auto turn = static_cast<std::uint64_t>(static_cast<std::int64_t>(quarter)) & 3;
  const double a = (turn & 1) != 0 ? cosine : sine, b = (turn & 1) != 0 ? sine : cosine;
  return {turn >= 2 ? -a : a, turn == 1 || turn == 2 ? -b : b};
}

// The angle of (x, y) in degrees, -180 to 180, as std::atan2(y, x) has it; 0 at the origin.
inline double AngleOf(double y, double x) {
  const double ax = std::abs(x), ay = std::abs(y);
  const double large = std::max(ax, ay);
  if (!(large > 0)) return 0;
  const double ratio = std::min(ax, ay) / large;
  const double eighths = RoundToWhole(8 * ratio), near = 0.125 * eighths;
  const double t = (ratio - near) / (1 + ratio * near);
  double angle =
      kEighths[static_cast<std::size_t>(eighths)] + t * SeriesAt(kTangentSeries, t * t);
  if (ay > ax) angle = std::numbers::pi / 2 - angle;
  if (x < 0) angle = std::numbers::pi - angle;
  return std::copysign(angle * (180 / std::numbers::pi), y);
}

}  // namespace ikstream::bvh
