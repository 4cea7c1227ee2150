// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "motion/pelvis.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "motion/curves.h"

namespace ikstream {
namespace {

// The range of offsets along `up` for which a leg reaches: |target - hip - t up| <= reach.
struct Range {
  double low = -1e30, high = 1e30;
};

Range ReachRange(Vec3d leg, Vec3d up, double reach) {
  const double along = Dot(leg, up);
  const double disc = along * along - Dot(leg, leg) + reach * reach;
  if (disc < 0) return {along, along};  // as near as it gets
  const double half = std::sqrt(disc);
  return {along - half, along + half};
}

}  // namespace

double SoftZone::Soften(double distance) const {
  if (distance < nearest) return nearest;
  if (distance <= start) return distance;
  const double width = end - start;
  if (width <= 0) return start;
  return start + width * (1 - std::exp(-(distance - start) / width));
}

SoftZone ZoneOf(const FootFrame& frame, const FootShape& shape,
                const CleanupSettings& settings) {
  const LegPose& leg = frame.leg;
  const double thigh = Length(leg.knee - leg.hip), shin = Length(leg.ankle() - leg.knee);
  const double length = shape.two_bones ? thigh + shin : shape.leg_length;
  const double reach = std::max(leg.reach(), frame.reach);
  SoftZone zone;
  zone.start = std::max(*settings.leg.soft_start * length, reach);
  zone.end = std::max(*settings.leg.soft_end * length, reach);
  if (*settings.limits.enabled && shape.two_bones) {
    const double bend = *settings.limits.knee_max_rad;
    const double nearest = std::sqrt(
        std::max(0.0, thigh * thigh + shin * shin + 2 * thigh * shin * std::cos(bend)));
    zone.nearest = std::min(nearest, leg.reach());
  }
  return zone;
}

Pelvis::Pelvis(const ClipSpec& clip, const CleanupSettings& settings, bool trusted_ground,
               std::int64_t frames, std::int64_t history)
    : clip_(clip),
      settings_(settings),
      up_(clip.up_vector()),
      trusted_ground_(trusted_ground),
      frames_(frames),
      kernel_(GaussianKernel(*settings.pelvis.smooth_seconds * clip.frames_per_second)),
      radius_(static_cast<std::int64_t>(kernel_.size() / 2)),
      ring_(4 * radius_ + history + 2) {}

// What all feet that stand are lifted by is how far the body sank (or floats): raised by that,
// its legs keep their bend. While no foot stands it stays as it was.
double Pelvis::Sunk(std::int64_t i, std::span<const FootCleaner> feet) const {
  if (!trusted_ground_) return 0;
  std::optional<double> sunk;
  for (const FootCleaner& foot : feet) {
    const FootFrame& frame = foot.at(i);
    const auto k = static_cast<size_t>(frame.anchored);
    if (!frame.planted || !frame.grounded[k] || Dot(frame.ground[k].normal, up_) < 0.5)
      continue;
    const double lift = Dot(frame.shift, up_);
    if (!sunk) sunk = lift;
    sunk = *sunk * lift <= 0 ? 0 : std::abs(lift) < std::abs(*sunk) ? lift : *sunk;
  }
  const double units = clip_.units_per_metre;
  return std::clamp(sunk.value_or(sunk_), -*settings_.pelvis.max_down_m * units,
                    *settings_.pelvis.max_up_m * units);
}

void Pelvis::Need(std::int64_t i, std::span<const FootCleaner> feet) {
  sunk_ = Sunk(i, feet);
  Range range;
  for (const FootCleaner& foot : feet) {
    const FootFrame& frame = foot.at(i);
    if (frame.weight <= 0 || !frame.moved()) continue;
    const double reach = ZoneOf(frame, foot.shape(), settings_).start;
    const Vec3d target = frame.Target(up_) + up_ * (frame.LiftOver(sunk_) - frame.lift);
    const Range leg = ReachRange(target - frame.leg.hip - up_ * sunk_, up_, reach);
    // A foot that comes or goes has a vote that grows with its weight.
    if (!frame.planted) {
      range.high = std::min(range.high, leg.high < 0 ? leg.high * frame.weight : 1e30);
      continue;
    }
    range.low = std::max(range.low, leg.low);
    range.high = std::min(range.high, leg.high);
  }
  double offset = 0;
  if (range.high < 0) offset = range.high;
  if (range.low > 0) offset = range.low;
  if (range.low > range.high) offset = 0.5 * (range.low + range.high);
  const double units = clip_.units_per_metre;
  offset = std::clamp(offset, -*settings_.pelvis.max_down_m * units - sunk_,
                      *settings_.pelvis.max_up_m * units - sunk_);
  Vec3d across;
  double reaching = 0;
  for (const FootCleaner& foot : feet) {
    const FootFrame& frame = foot.at(i);
    if (!frame.planted || !frame.moved()) continue;
    const double reach = ZoneOf(frame, foot.shape(), settings_).start;
    const Vec3d leg = frame.Target(up_) - frame.leg.hip - up_ * (sunk_ + offset);
    const double along = Dot(leg, up_), over = Length(leg) - reach;
    const Vec3d flat = leg - up_ * along;
    if (over < 1e-6 * reach) continue;
    const double allowed = std::sqrt(std::max(0.0, reach * reach - along * along));
    across += NormalizedOr(flat, {}) * (Length(flat) - allowed);
    reaching += 1;
  }
  if (reaching > 0) across = across / reaching;
  const double most = *settings_.pelvis.max_horizontal_m * units;
  if (Length(across) > most) across = across * (most / Length(across));
  ring_[i] = {sunk_, std::min(offset, 0.0), std::max(offset, 0.0), sunk_, 0, across};
  if (sunk_ != 0 || offset != 0 || across != Vec3d{}) last_need_ = i;
}

// A value that goes on beyond the clip's ends as it went there: a body that sinks at the first
// frame was sinking before.
double Pelvis::At(std::int64_t j, double Frame::*value) const {
  const std::int64_t inside = std::clamp<std::int64_t>(j, 0, frames_ - 1);
  if (j == inside) return ring_[j].*value;
  const std::int64_t mirrored = std::clamp<std::int64_t>(2 * inside - j, 0, frames_ - 1);
  return 2 * ring_[inside].*value - ring_[mirrored].*value;
}

void Pelvis::Spread(std::int64_t i) {
  Frame& frame = ring_[i];
  double lowest = frame.down, highest = frame.up;
  for (std::int64_t j = std::max<std::int64_t>(0, i - radius_);
       j <= std::min(i + radius_, frames_ - 1); ++j) {
    const Frame& other = ring_[j];
    lowest = std::min(lowest, other.down);
    highest = std::max(highest, other.up);
  }
  for (std::int64_t j = i - radius_; j <= i + radius_; ++j)
    frame.raise = std::min(frame.raise, At(j, &Frame::sunk));
  frame.along = lowest + highest;
}

// A running extreme as wide as the kernel, then the kernel: planted legs still reach.
Vec3d Pelvis::Offset(std::int64_t i) {
  const std::int64_t ahead = std::min(i + radius_, frames_ - 1);
  if (i == 0)
    for (std::int64_t j = 0; j < ahead; ++j) Spread(j);
  if (i == 0 || i + radius_ < frames_) Spread(ahead);
  raised_ = 0;
  if (last_need_ < i - 2 * radius_) return {};
  double raised = 0, along = 0;
  Vec3d across;
  for (std::int64_t k = -radius_; k <= radius_; ++k) {
    const double weight = kernel_[static_cast<size_t>(k + radius_)];
    const Frame& frame = ring_[std::clamp<std::int64_t>(i + k, 0, frames_ - 1)];
    raised += weight * At(i + k, &Frame::raise);
    along += weight * frame.along;
    across += frame.across * weight;
  }
  raised_ = raised;
  return up_ * (raised_ + along) + across;
}

}  // namespace ikstream
