// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Turns a planted foot that is animated for level ground onto the slope it stands on. A foot
// that is animated on that slope already keeps its orientation. Which of the two it is, the
// first tenth of a second of a contact tells: a foot that rolls later passes the other one on
// its way, and keeps the turn it had when it was flat. Frames of one foot in order; not
// thread-safe.
#pragma once

#include "core/math.h"
#include "motion/settings.h"

namespace ikstream {

class SoleAligner {
 public:
  // `settings` are complete but for `align`; `dt` in seconds.
  SoleAligner(const SoleSettings& settings, Vec3d up, double dt);

  // The rotation, in model space, for a planted frame. `begins`: the first one of its contact.
  // `sole`: the animated sole's normal; `normal`: the ground's. Both unit.
  Quatd Next(bool begins, Vec3d sole, Vec3d normal);

 private:
  Vec3d up_;
  double most_tilt_, most_step_, dt_;
  Quatd held_;
  double share_ = 0;  // how far this contact's animation is for level ground
  double age_ = 0;    // of the contact, seconds
};

// Lays a foot flat that nearly is: its anchor may be where the ground is bent otherwise than
// under the animated foot. The first tenth of a second after heel or toe came down decides, as
// far as it lies still in it: a foot that rolls later keeps the turn. Frames of one foot in
// order; not thread-safe.
class SoleSettler {
 public:
  explicit SoleSettler(double dt) : dt_(dt) {}

  // The angle to turn the foot by. `pitch`: how much farther the front of the sole is from its
  // ground than the heel, as an angle. `begins`: the first frame of its contact; `age`: seconds
  // since the point came down that stands, the heel before the toe.
  double Next(bool begins, double age, double pitch);

 private:
  double dt_, wanted_ = 0, held_ = 0, last_ = 0;
};

// The rotation by a share, 0..1, of `full`.
Quatd ShareOf(Quatd full, double share);

}  // namespace ikstream
