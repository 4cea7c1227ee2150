// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// How much a foot stands on its ground: planted by speed with hysteresis, never while airborne,
// and weights that rise and fall at bounded speeds. The first frame is at its goal.
#pragma once

#include "terrain/placer.h"

namespace ikstream {

// One frame of a foot. Rig units, seconds, radians.
struct FootMotion {
  bool grounded = false;        // there is ground in range
  double speed = 0;             // over the ground, in three dimensions
  double heel_speed = 0;        // the same of the heel
  double rising = 0;            // its part along up
  double height = 0;            // of the sole over the ground
  double height_over_feet = 0;  // over the lowest sole of all feet
  double sole_tilt = 0;         // of the animated sole from level
  double curve = 1;             // the caller's weight
};

// How far a sole counts as flat, 1..0, by its tilt from level.
double Flatness(double tilt);

class FootWeights {
 public:
  // `settings` in rig units.
  void Update(const FootMotion& motion, const PlaceSettings& settings, double dt);

  bool planted() const { return planted_; }
  double weight() const { return weight_; }
  // How far the sole is laid flat on the ground, 0..weight(): not while the foot rolls over its
  // toe or is animated on edge.
  double flat() const { return flat_; }

 private:
  bool first_ = true;
  bool planted_ = false, heel_planted_ = false;
  double weight_ = 0, flat_ = 0;
};

}  // namespace ikstream
