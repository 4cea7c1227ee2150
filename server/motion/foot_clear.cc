// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// How feet that hang beside a step are kept out of it.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "motion/curves.h"
#include "motion/foot_cleaner.h"

namespace ikstream {
namespace {

// Sinking by less than this is left alone: it is the noise of a sole offset (metres).
constexpr double kDepthDeadZone = 0.0005;
// From this depth on a foot hangs beside a step. It is moved at most so far; how its way is
// looked for, and how much more it goes (metres).
constexpr double kBesideMetres = 0.03, kLongestWayMetres = 0.12, kStrideMetres = 0.02,
                 kMarginMetres = 0.005;
constexpr int kWays = 8, kHalvings = 5;

}  // namespace

// How deep the lowest point is in its ground.
double FootCleaner::Depth(const FootFrame& frame) const {
  double depth = 0;
  for (FootPoint p : kFootPointList) {
    const auto k = static_cast<size_t>(p);
    if (frame.grounded[k] && !frame.left_out && Dot(frame.ground[k].normal, up_) > 0.5)
      depth = std::max(depth, LiftNeeded(frame, p, frame.tilt, frame.shift));
  }
  return depth;
}

bool FootCleaner::IsFree(const FootFrame& frame, std::int64_t i, Vec3d way) const {
  FootFrame moved = frame;
  moved.shift += way;
  FindGround(moved, i, moved.shift);
  return Depth(moved) <= 0;
}

// A foot that is deep in a step hangs beside it: the way out across `up`, where it is shorter
// than the one over the step.
Vec3d FootCleaner::WayOut(const FootFrame& frame, std::int64_t i) const {
  FootFrame here = frame;
  if (frame.shift != Vec3d{}) FindGround(here, i, frame.shift);
  const double units = clip_.units_per_metre, depth = Depth(here);
  if (depth < kBesideMetres * units) return {};
  const Vec3d a = std::abs(up_.x) > 0.5 ? Vec3d{0, 1, 0} : Vec3d{1, 0, 0};
  const Vec3d b = Cross(up_, a);
  const double most = std::min(depth, kLongestWayMetres * units),
               stride = kStrideMetres * units;
  for (double far = stride; far < most; far += stride)
    for (int k = 0; k < kWays; ++k) {
      const double angle = 2 * std::numbers::pi * k / kWays;
      const Vec3d direction = a * std::cos(angle) + b * std::sin(angle);
      if (!IsFree(here, i, direction * far)) continue;
      double low = far - stride, high = far;
      for (int halving = 0; halving < kHalvings; ++halving) {
        const double middle = 0.5 * (low + high);
        (IsFree(here, i, direction * middle) ? high : low) = middle;
      }
      return direction * (high + kMarginMetres * units);
    }
  return {};
}

Vec3d FootCleaner::LongestWay(std::int64_t i) const {
  Vec3d longest;
  for (std::int64_t j = std::max<std::int64_t>(0, i - clear_radius_);
       j <= std::min(i + clear_radius_, frames_ - 1); ++j)
    if (Dot(ring_[j].way, ring_[j].way) > Dot(longest, longest)) longest = ring_[j].way;
  return longest;
}

// Moves a foot out of steps: the longest way about each frame, smoothed, and less near
// contacts. Then tells how deep it is in its ground all the same.
void FootCleaner::Clear(std::int64_t i) {
  FootFrame& frame = ring_[i];
  if (frame.planted) return;
  if (clear_radius_ > 0 && last_way_ >= i - 2 * clear_radius_) {
    Vec3d sum;
    double weights = 0;
    for (std::int64_t k = -clear_radius_; k <= clear_radius_; ++k) {
      const double weight = BellWeight(k, clear_radius_);
      sum += LongestWay(std::clamp<std::int64_t>(i + k, 0, frames_ - 1)) * weight;
      weights += weight;
    }
    const double share =
        static_cast<double>(frame.room) / static_cast<double>(2 * clear_radius_);
    frame.shift += sum * (EaseQuintic(share) / weights);
  }
  if (frame.shift != Vec3d{} && ground_ != nullptr && ground_->AnyTime())
    FindGround(frame, i, frame.shift);
  frame.depth = std::max(0.0, Depth(frame) - kDepthDeadZone * clip_.units_per_metre);
  if (frame.depth > 0) last_deep_ = i;
}

}  // namespace ikstream
