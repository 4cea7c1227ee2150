// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "motion/contacts.h"

#include <gtest/gtest.h>

namespace ikstream {
namespace {

constexpr ContactThresholds kThresholds{0.15, 0.35, 0.03, 0.05};

TEST(Contacts, HysteresisOnSpeed) {
  const std::vector<float> speeds = {0.5f, 0.2f, 0.1f, 0.3f, 0.3f, 0.4f, 0.2f, 0.1f};
  const std::vector<float> heights(speeds.size(), 0.0f);
  EXPECT_EQ(FindRuns(speeds, heights, kThresholds),
            (std::vector<ikstream::Run>{{2, 5}, {7, 8}}));
}

TEST(Contacts, HysteresisOnHeight) {
  const std::vector<float> heights = {0.04f, 0.02f, 0.04f, 0.049f, 0.051f, 0.04f};
  const std::vector<float> speeds(heights.size(), 0.0f);
  EXPECT_EQ(FindRuns(speeds, heights, kThresholds), (std::vector<ikstream::Run>{{1, 4}}));
}

TEST(Contacts, ShortRunsGoBeforeShortGapsAreFilled) {
  // The run of two frames is dropped first, so the gap of 8 that it divides stays open.
  EXPECT_EQ(TidyRuns({{0, 10}, {13, 15}, {18, 30}}, 3, 5),
            (std::vector<ikstream::Run>{{0, 10}, {18, 30}}));
  EXPECT_EQ(TidyRuns({{0, 10}, {14, 30}}, 3, 5), (std::vector<ikstream::Run>{{0, 30}}));
  EXPECT_EQ(TidyRuns({{0, 10}, {15, 30}}, 3, 5),
            (std::vector<ikstream::Run>{{0, 10}, {15, 30}}));
}

TEST(Contacts, MiddleHoldsItsShare) {
  EXPECT_EQ(MiddleOf({10, 20}, 0.6), (ikstream::Run{12, 18}));
  EXPECT_EQ(MiddleOf({0, 1}, 0.6), (ikstream::Run{0, 1}));
  EXPECT_EQ(MiddleOf({5, 7}, 0.01), (ikstream::Run{5, 7}));
}

TEST(Contacts, PercentileIsNearestRank) {
  std::vector<float> values = {4, 1, 3, 2};
  EXPECT_EQ(PercentileOf(values, 0.02), 1);
  EXPECT_EQ(PercentileOf(values, 0.5), 2);
  EXPECT_EQ(PercentileOf(values, 1), 4);
}

}  // namespace
}  // namespace ikstream
