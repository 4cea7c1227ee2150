// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "motion/curves.h"

#include <gtest/gtest.h>

#include <numeric>

namespace ikstream {
namespace {

double Quintic(double t, double v0, double s0, double v1, double s1) {
  const QuinticWeights w = QuinticAt(t);
  return w.value0 * v0 + w.speed0 * s0 + w.value1 * v1 + w.speed1 * s1;
}

TEST(Curves, QuinticMeetsValuesSpeedsAndNoAcceleration) {
  const double h = 1e-4;
  const auto p = [](double t) { return Quintic(t, 2, -3, 5, 7); };
  EXPECT_NEAR(p(0), 2, 1e-12);
  EXPECT_NEAR(p(1), 5, 1e-12);
  EXPECT_NEAR((p(h) - p(0)) / h, -3, 1e-6);
  EXPECT_NEAR((p(1) - p(1 - h)) / h, 7, 1e-6);
  EXPECT_NEAR((p(2 * h) - 2 * p(h) + p(0)) / (h * h), 0, 0.1);
  EXPECT_NEAR((p(1) - 2 * p(1 - h) + p(1 - 2 * h)) / (h * h), 0, 0.1);
}

TEST(Curves, EaseIsMonotonousFromZeroToOne) {
  EXPECT_EQ(EaseQuintic(-1), 0);
  EXPECT_EQ(EaseQuintic(2), 1);
  for (double t = 0; t < 1; t += 0.01) EXPECT_GE(EaseQuintic(t + 0.01), EaseQuintic(t));
}

TEST(Curves, GaussianHasSumOneAndIsSymmetric) {
  const std::vector<double> kernel = GaussianKernel(2.5);
  EXPECT_EQ(kernel.size(), 17u);
  EXPECT_NEAR(std::accumulate(kernel.begin(), kernel.end(), 0.0), 1, 1e-12);
  EXPECT_EQ(kernel.front(), kernel.back());
  EXPECT_EQ(GaussianKernel(0), std::vector<double>{1});
}

TEST(Curves, TurnAlongIsTheShortestRotation) {
  const Vec3d a{0, -1, 0}, b = NormalizedOr(Vec3d{0.3, -0.9, 0.2}, {});
  const Vec3d turned = TurnAlong(a, b, a);
  EXPECT_NEAR(Length(turned - b), 0, 1e-12);
  const Vec3d axis = NormalizedOr(Cross(a, b), {});
  EXPECT_NEAR(Length(TurnAlong(a, b, axis) - axis), 0, 1e-12);
  const Vec3d across{1, 0, 0};
  EXPECT_NEAR(Length(TurnAlong(a, -a, across) - across), 0, 1e-12);
}

}  // namespace
}  // namespace ikstream
