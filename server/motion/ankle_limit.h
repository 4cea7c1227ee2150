// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// How far a foot may point down and up against its shin. A leg that reaches for its anchor
// turns the shin while the foot keeps its place on the ground; where that would bend the ankle
// farther than ankles go, the foot gives way. Thread-safe.
#pragma once

#include "motion/foot.h"
#include "motion/settings.h"

namespace ikstream {

class AnkleLimit {
 public:
  AnkleLimit() = default;  // without effect
  // Without effect where the limb is no foot (no toe, or a shin that does not stand on it in
  // the rest pose), where limits are off, and where the rig has a limit of its own for the
  // joint. `foot` and `settings` are complete.
  AnkleLimit(const ClipSpec& clip, const Foot& foot, const LegLimitSettings& settings);

  // Turns `solved`, the ankle's local rotation, about the foot's width back into the range,
  // which is widened to ten degrees beyond what `sent` has: where a source bends its ankle
  // farther, corrections go on from there. True where it was outside.
  bool Clamp(const float* sent, float* solved) const;

  // By how much the toes point down from where they are in the rest pose, radians.
  double Down(Quatd local) const;

 private:
  bool active_ = false;
  double most_down_ = 0, most_up_ = 0;
  Vec3d shin_;    // the shin's direction in its own frame, unit
  Vec3d across_;  // the foot's width in its frame, unit
  Vec3d rest_;    // the shin in the foot's frame in the rest pose
};

}  // namespace ikstream
