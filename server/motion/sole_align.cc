// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "motion/sole_align.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "motion/curves.h"
#include "terrain/arcs.h"

namespace ikstream {
namespace {

constexpr double kDegree = std::numbers::pi / 180;
// Slopes below this are level.
constexpr double kLevel = 1 * kDegree;
// Between these shares of its two angles a sole counts less and less as animated for the slope.
constexpr double kSlopeShare = 0.6, kLevelShare = 0.85;
// A sole this near to the level or to the slope is flat, beyond the second it rolls.
constexpr double kFlat = 6 * kDegree, kRolled = 14 * kDegree;
// A sole nearer to the slope than this lies on it; from twice that on it does not.
constexpr double kNear = 3 * kDegree;
constexpr double kDecideSeconds = 0.1;
// A sole this near to its ground was flat where it was animated, from twice that it was not; it
// lies still when it turns no faster than this (per second), and rolls from twice that.
constexpr double kLies = 2 * kDegree, kStill = 5 * kDegree;
constexpr double kSettleSeconds = 0.02;   // of each of two smoothings
constexpr double kSlack = 0.5 * kDegree;  // less than this is left alone: it is noise

// 1 up to `full`, 0 from twice that on.
double Below(double value, double full) { return 1 - EaseQuintic((value - full) / full); }

Quatd Towards(Quatd from, Quatd to, double most) {
  Quatd step = to * Conjugate(from);
  if (step.w < 0) step = -step;
  const double angle = AngleBetween(Quatd{}, step);
  return angle <= most ? to : Normalized(ShareOf(step, most / angle) * from);
}

}  // namespace

Quatd ShareOf(Quatd full, double share) {
  if (full.w < 0) full = -full;
  const Vec3d v{full.x, full.y, full.z};
  const double sine = Length(v);
  if (sine < 1e-12) return {};
  return FromAxisAngle(v / sine, 2 * std::atan2(sine, full.w) * share);
}

SoleAligner::SoleAligner(const SoleSettings& settings, Vec3d up, double dt)
    : up_(up),
      most_tilt_(*settings.max_tilt_rad),
      most_step_(*settings.max_rate_rad_per_second * dt),
      dt_(dt) {}

Quatd SoleAligner::Next(bool begins, Vec3d sole, Vec3d normal) {
  const double slope = AngleOf(up_, normal);
  Quatd wanted;
  double flat = 1;
  age_ = begins ? 0 : age_ + dt_;
  if (begins) share_ = 0;
  if (slope > kLevel) {
    const double to_level = AngleOf(sole, up_), to_slope = AngleOf(sole, normal);
    const double level_share = to_slope / std::max(to_level + to_slope, 1e-9);
    const double share =
        EaseQuintic((level_share - kSlopeShare) / (kLevelShare - kSlopeShare)) *
        EaseQuintic((to_slope - kNear) / kNear);
    flat = 1 - EaseQuintic((std::min(to_level, to_slope) - kFlat) / (kRolled - kFlat));
    if (age_ <= kDecideSeconds) share_ += (share - share_) * flat;
  }
  if (slope > kLevel)
    wanted = ShareOf(ShortestArc(up_, TurnedTowards(up_, normal, most_tilt_)), share_);
  if (begins) held_ = {};
  const Quatd eased = Towards(held_, wanted, AngleBetween(held_, wanted) * flat);
  held_ = begins ? eased : Towards(held_, eased, most_step_);
  return held_;
}

double SoleSettler::Next(bool begins, double age, double pitch) {
  if (begins) held_ = wanted_ = 0, last_ = pitch;
  const double speed = std::abs(pitch - last_) / dt_,
               step = 1 - std::exp(-dt_ / kSettleSeconds);
  last_ = pitch;
  if (!begins && age <= kDecideSeconds) {
    const double follow = Below(std::abs(pitch), kLies) * Below(speed, kStill) * step;
    wanted_ += follow * ((std::abs(pitch) < kSlack ? 0 : pitch) - wanted_);
  }
  held_ += step * (wanted_ - held_);
  return held_;
}

}  // namespace ikstream
