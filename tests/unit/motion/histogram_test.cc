// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "motion/histogram.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ikstream {
namespace {

TEST(LogHistogram, PercentilesWithinOnePercent) {
  LogHistogram histogram;
  for (int i = 1; i <= 10000; ++i) histogram.Add(i * 0.01);
  EXPECT_NEAR(histogram.Percentile(0.5), 50, 0.5);
  EXPECT_NEAR(histogram.Percentile(0.99), 99, 1);
  EXPECT_NEAR(histogram.mean(), 50.005, 1e-6);
  EXPECT_EQ(histogram.max(), 100);
}

TEST(LogHistogram, SignsAndZero) {
  LogHistogram histogram;
  for (double v : {-100.0, -1.0, 0.0, 1.0, 100.0}) histogram.Add(v);
  EXPECT_NEAR(histogram.Percentile(0.2), -100, 1);
  EXPECT_NEAR(histogram.Percentile(0.4), -1, 0.01);
  EXPECT_EQ(histogram.Percentile(0.5), 0);
  EXPECT_NEAR(histogram.Percentile(0.8), 1, 0.01);
  EXPECT_NEAR(histogram.Percentile(1.0), 100, 1);
}

TEST(LogHistogram, EmptyAndExtreme) {
  LogHistogram histogram;
  EXPECT_EQ(histogram.Percentile(0.5), 0);
  histogram.Add(1e30);
  histogram.Add(1e-30);
  EXPECT_EQ(histogram.Percentile(0.5), 0);
  EXPECT_NEAR(histogram.Percentile(1), 1e6, 2e4);
}

// Bins are found by steps of a double's leading bits: at all sizes, also at the edges of powers
// of two, the answer is within a bin of the value.
TEST(LogHistogram, EverySizeIsInItsBin) {
  for (double value = 1.1e-6; value < 9e5; value *= 1.00317)
    for (const double sign : {1.0, -1.0}) {
      LogHistogram histogram;
      histogram.Add(sign * value);
      histogram.Add(sign > 0 ? 1e6 : 0.0);
      EXPECT_NEAR(histogram.Percentile(0.5), sign * value, 0.00501 * value) << value;
    }
  for (int exponent = -19; exponent < 19; ++exponent) {
    LogHistogram histogram;
    const double value = std::ldexp(1.0, exponent);
    histogram.Add(value);
    histogram.Add(1e6);
    EXPECT_NEAR(histogram.Percentile(0.5), value, 0.00501 * value) << value;
  }
}

}  // namespace
}  // namespace ikstream
