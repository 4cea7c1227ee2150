// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "motion/contacts.h"

#include <algorithm>
#include <cmath>

namespace ikstream {

std::vector<Run> FindRuns(std::span<const float> speeds, std::span<const float> heights,
                          const ContactThresholds& t) {
  std::vector<Run> runs;
  bool planted = false;
  const auto count = static_cast<std::int64_t>(speeds.size());
  for (std::int64_t i = 0; i < count; ++i) {
    const bool enters = speeds[i] < t.enter_speed && heights[i] < t.enter_height;
    const bool stays = speeds[i] <= t.leave_speed && heights[i] <= t.leave_height;
    const bool now = planted ? stays : enters;
    if (now && !planted) runs.push_back({i, i});
    if (now) runs.back().end = i + 1;
    planted = now;
  }
  return runs;
}

std::vector<Run> TidyRuns(std::vector<Run> runs, double min_contact, double min_gap) {
  std::erase_if(runs, [&](const Run& run) {
    return static_cast<double>(run.length()) < min_contact - 1e-6;
  });
  std::vector<Run> out;
  for (const Run& run : runs) {
    if (!out.empty() && static_cast<double>(run.begin - out.back().end) < min_gap - 1e-6)
      out.back().end = run.end;
    else
      out.push_back(run);
  }
  return out;
}

Run MiddleOf(const Run& run, double share) {
  const auto cut = static_cast<std::int64_t>(
      std::floor(0.5 * (1 - share) * static_cast<double>(run.length())));
  const std::int64_t middle = run.begin + run.length() / 2;
  return {std::min(run.begin + cut, middle), std::max(run.end - cut, middle + 1)};
}

float MedianOf(std::vector<float>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 != 0) return *middle;
  return 0.5f * (*middle + *std::max_element(values.begin(), middle));
}

float PercentileOf(std::vector<float>& values, double share) {
  const auto count = static_cast<double>(values.size());
  const auto rank = static_cast<std::ptrdiff_t>(std::ceil(share * count)) - 1;
  const auto nth = values.begin() +
                   std::clamp<std::ptrdiff_t>(rank, 0, static_cast<std::ptrdiff_t>(count) - 1);
  std::nth_element(values.begin(), nth, values.end());
  return *nth;
}

}  // namespace ikstream
