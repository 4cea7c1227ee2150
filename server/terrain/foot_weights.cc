// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "terrain/foot_weights.h"

#include <algorithm>

#include "terrain/arcs.h"

namespace ikstream {
namespace {

// Below the first angle a sole counts as flat, beyond the second as animated on edge.
constexpr double kFlat = 0.26, kOnEdge = 0.52;

bool IsAirborne(const FootMotion& motion, const PlaceSettings& settings) {
  return motion.height > settings.airborne_height &&
         (motion.height_over_feet > settings.airborne_height ||
          motion.rising > settings.rising_speed);
}

double Follow(double value, double goal, const PlaceSettings& settings, double dt) {
  const double step = (goal > value ? settings.rise_per_second : settings.fall_per_second) * dt;
  return Approach(value, goal, step);
}

}  // namespace

double Flatness(double tilt) {
  const double t = std::clamp((kOnEdge - tilt) / (kOnEdge - kFlat), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

void FootWeights::Update(const FootMotion& motion, const PlaceSettings& settings, double dt) {
  const bool may_stand = motion.grounded && !IsAirborne(motion, settings);
  const bool enters =
      motion.speed < settings.enter_speed && (first_ || motion.height <= settings.enter_height);
  planted_ = may_stand && (planted_ ? motion.speed <= settings.leave_speed : enters);
  heel_planted_ = planted_ && motion.heel_speed <=
                                  (heel_planted_ ? settings.leave_speed : settings.enter_speed);
  const double goal = planted_ ? motion.curve : 0;
  const double flat_goal = heel_planted_ ? goal * Flatness(motion.sole_tilt) : 0;
  weight_ = first_ ? goal : Follow(weight_, goal, settings, dt);
  flat_ = first_ ? flat_goal : std::min(weight_, Follow(flat_, flat_goal, settings, dt));
  first_ = false;
}

}  // namespace ikstream
