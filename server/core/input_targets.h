// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// What a chain is asked for where the caller gives nothing: that its end stays where the input
// has it. Kept for chains that are measured once more after later ones have moved them, when
// that input is gone.
#pragma once

#include <vector>

#include "core/chain_job.h"

namespace ikstream {

// How far along the input's ray a chain that aims is to look where no target is given.
inline float AimDistance(const Chain& chain) { return chain.length > 0 ? chain.length : 1; }

class InputTargets {
 public:
  // Both outlive this.
  InputTargets(const Rig& rig, const Chain& chain) : rig_(rig), chain_(chain) {}

  // Remembers all frames of a batch before they are solved. `pose` as for ChainPlacer.
  void Record(const MotionView& motion, const ChainTargets& asked, const float* pose);
  // The targets with what was remembered in the place of what was not given; good until the
  // next Record.
  ChainTargets Complete(const ChainTargets& asked) const;

 private:
  bool KeepsRotation(const ChainTargets& asked) const {
    return !asked.rotations && chain_.spec.keep_end_rotation;
  }

  const Rig& rig_;
  const Chain& chain_;
  std::vector<float> positions_, rotations_;
};

}  // namespace ikstream
