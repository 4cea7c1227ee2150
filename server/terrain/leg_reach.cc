// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "terrain/leg_reach.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ikstream {

double LegReach::Soften(double distance) const {
  if (distance <= start) return distance;
  const double zone = end - start;
  if (!(zone > 0)) return start;
  return start + zone * (1 - std::exp(-(distance - start) / zone));
}

ReachInterval OffsetsThatReach(const LegReach& reach, Vec3d hip, Vec3d target, Vec3d up) {
  const Vec3d to_target = target - hip;
  const double height = Dot(to_target, up);
  const Vec3d sideways = to_target - up * height;
  const auto leg_height = [&](double length) {
    return std::sqrt(std::max(0.0, length * length - Dot(sideways, sideways)));
  };
  return {height + leg_height(reach.nearest), height + leg_height(reach.start)};
}

double PelvisOffset(std::span<const ReachInterval> legs, double lowest, double highest) {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  for (const ReachInterval& leg : legs) {
    low = std::max(low, leg.low);
    high = std::min(high, leg.high);
  }
  const double offset = std::min(std::max(0.0, low), high);
  return std::clamp(offset, lowest, highest);
}

}  // namespace ikstream
