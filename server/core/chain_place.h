// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Where a chain stands in one frame: forward kinematics in double precision for the serial
// passes. Thread-safe.
#pragma once

#include "core/chain_job.h"

namespace ikstream {

struct ChainPlace {
  Vec3d root;          // the origin of root_joint, in the space of root_positions
  Quatd parent;        // how root_joint's parent is turned
  Vec3d end;           // the end effector
  Quatd end_rotation;  // of the last turned joint
};

class ChainPlacer {
 public:
  // All outlive this. `pose`: 4 J F floats, as earlier chains left it.
  ChainPlacer(const Rig& rig, const Chain& chain, const MotionView& motion, const float* pose);

  // Root and parent only, or with the end.
  ChainPlace At(int frame, bool with_end) const;
  // Bone k of the chain in its joint's frame.
  Vec3d Bone(int frame, size_t k) const {
    return Offset(frame, chain_.bones[k], chain_.bone_slots[k]);
  }

 private:
  Quatd Rotation(int frame, int joint) const;
  Vec3d Offset(int frame, Vec3f rest, int slot) const;

  const Chain& chain_;
  const MotionView& motion_;
  const float* pose_;
  const std::int64_t joints_, translations_;
};

}  // namespace ikstream
