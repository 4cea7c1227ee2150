// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Curves that join corrections. Pure functions.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "core/math.h"

namespace ikstream {

// 0 at t <= 0, 1 at t >= 1, with no speed and no acceleration at both.
inline double EaseQuintic(double t) {
  t = std::clamp(t, 0.0, 1.0);
  return t * t * t * (10 + t * (6 * t - 15));
}

// Weights of the quintic that meets value and speed at both ends with no acceleration there:
// p(t) = a * value0 + b * speed0 + c * value1 + d * speed1, speeds per unit of t in 0..1.
struct QuinticWeights {
  double value0, speed0, value1, speed1;
};
inline QuinticWeights QuinticAt(double t) {
  const double t2 = t * t, t3 = t2 * t, t4 = t3 * t, t5 = t4 * t;
  return {1 - 10 * t3 + 15 * t4 - 6 * t5, t - 6 * t3 + 8 * t4 - 3 * t5,
          10 * t3 - 15 * t4 + 6 * t5, -4 * t3 + 7 * t4 - 3 * t5};
}

// A bell over -radius..radius, 1 in the middle.
inline double BellWeight(std::int64_t k, std::int64_t radius) {
  const double x = static_cast<double>(k) / static_cast<double>(radius + 1);
  return (1 - x * x) * (1 - x * x);
}

// A Gaussian over -radius..radius (in frames), of sum 1. Radius 3 sigma, rounded up; {1} where
// sigma is 0.
inline std::vector<double> GaussianKernel(double sigma_frames) {
  const int radius = static_cast<int>(std::ceil(3 * sigma_frames));
  std::vector<double> kernel;
  double sum = 0;
  for (int k = -radius; k <= radius; ++k) {
    const double x = radius == 0 ? 0 : k / sigma_frames;
    kernel.push_back(std::exp(-0.5 * x * x));
    sum += kernel.back();
  }
  for (double& k : kernel) k /= sum;
  return kernel;
}

// Turns v by the shortest rotation from a to b (unit vectors). Opposite ones: v is mirrored
// along a, which keeps what is orthogonal to it.
inline Vec3d TurnAlong(Vec3d a, Vec3d b, Vec3d v) {
  const double c = Dot(a, b);
  if (c < -0.999999) return v - a * (2 * Dot(a, v));
  const Vec3d axis = Cross(a, b);
  return v * c + Cross(axis, v) + axis * (Dot(axis, v) / (1 + c));
}

}  // namespace ikstream
