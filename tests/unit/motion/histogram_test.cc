// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "motion/histogram.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace ikstream
