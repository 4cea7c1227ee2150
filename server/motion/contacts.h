// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// When a foot is planted: hysteresis on speed and height, then short runs dropped and short
// gaps filled. Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ikstream {

// Half-open.
struct Run {
  std::int64_t begin = 0, end = 0;
  std::int64_t length() const { return end - begin; }
  friend bool operator==(const Run&, const Run&) = default;
};

struct ContactThresholds {
  double enter_speed = 0, leave_speed = 0;    // m/s
  double enter_height = 0, leave_height = 0;  // metres over the sole's own offset
};

// Runs in which the foot is planted: entered where speed and height are below the entering
// thresholds, left where one of them is above the leaving one. Arrays of equal length.
std::vector<Run> FindRuns(std::span<const float> speeds, std::span<const float> heights,
                          const ContactThresholds& thresholds);

// Drops runs shorter than `min_contact`, then fills gaps shorter than `min_gap` (frames).
std::vector<Run> TidyRuns(std::vector<Run> runs, double min_contact, double min_gap);

// The frames about a run's middle that hold `share` of it, at least one.
Run MiddleOf(const Run& run, double share);

// The middle of the values, of an even number the mean of the two. Reorders. REQUIRES: not
// empty.
float MedianOf(std::vector<float>& values);

// The value below which `share` of the values lie (nearest rank). Reorders. REQUIRES: not
// empty.
float PercentileOf(std::vector<float>& values, double share);

}  // namespace ikstream
