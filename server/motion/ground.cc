// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "motion/ground.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ikstream {

Placement GroundQuery::PlatformPose(std::int64_t, int) const { return {}; }
std::string GroundQuery::PlatformName(int) const { return {}; }
int GroundQuery::FindPlatform(const std::string&) const { return -1; }

std::optional<GroundHit> PlaneGround::Hit(std::int64_t, int, FootPoint,
                                          const Vec3d& position) const {
  const double drop = Dot(position - point_, normal_) / Dot(up_, normal_);
  return GroundHit{position - up_ * drop, normal_};
}

RollingGround::RollingGround(std::vector<float> knots, double frames_per_second, Vec3d up)
    : knots_(std::move(knots)), frames_per_knot_(frames_per_second * kKnotSeconds), up_(up) {}

double RollingGround::Knot(std::int64_t i) const {
  const auto last = static_cast<std::int64_t>(knots_.size()) - 1;
  return knots_[static_cast<size_t>(std::clamp<std::int64_t>(i, 0, last))];
}

// Catmull-Rom through the knots.
double RollingGround::Height(std::int64_t frame) const {
  const double at = static_cast<double>(frame) / frames_per_knot_;
  const auto i = static_cast<std::int64_t>(std::floor(at));
  const double t = at - static_cast<double>(i);
  const double a = Knot(i - 1), b = Knot(i), c = Knot(i + 1), d = Knot(i + 2);
  return b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
}

std::optional<GroundHit> RollingGround::Hit(std::int64_t frame, int, FootPoint,
                                            const Vec3d& position) const {
  return GroundHit{position + up_ * (Height(frame) - Dot(position, up_)), up_};
}

}  // namespace ikstream
