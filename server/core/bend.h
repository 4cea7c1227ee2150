// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Which way a chain with a pole bends, frame by frame: a serial pass before the lanes, since it
// remembers the last valid bend.
//
// Within 5 degrees of the root-target line a pole says little: the bend fades to the last valid
// one (on a stream), else the rest bend, else the axis that lies least along the line. A pole
// that passes through the line moves the bend by at most 5 degrees per 0.1 degree.
#pragma once

#include "core/chain_job.h"

namespace ikstream {

class BendTrack {
 public:
  // Writes a unit direction (3 floats) per frame, in the space of root_positions.
  void Resolve(const Rig& rig, const Chain& chain, const MotionView& motion, const float* pose,
               const ChainTargets& targets, float* bends);
  void Reset() { *this = {}; }

 private:
  Vec3d Next(Vec3d pole, Vec3d line, Vec3d rest_bend);
  Vec3d Fallback(Vec3d line, Vec3d rest_bend) const;

  bool has_last_ = false;
  Vec3d last_;             // the last valid bend
  bool has_turn_ = false;  // the frame before was inside the fade
  double turn_ = 0;        // its signed angle from the fallback
};

}  // namespace ikstream
