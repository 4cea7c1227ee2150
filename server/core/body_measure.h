// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Residuals of a group's members by forward kinematics of whole poses, against what was asked,
// or, where nothing was, against where the input has them. Not thread-safe.
#pragma once

#include <span>
#include <vector>

#include "core/body.h"
#include "core/solve.h"

namespace ikstream {

class BodyMeasure {
 public:
  // Both outlive this.
  BodyMeasure(const Rig& rig, const BodyGroup& group) : rig_(rig), group_(group) {}

  // Room for batches of so many frames.
  void Grow(int frames);
  // Remembers where the input has the ends. `pose`: of all joints, 4 J F floats.
  void Keep(const MotionView& motion, int frame, const float* pose);
  // The residuals of a frame that was kept.
  void Residuals(const MotionView& motion, int frame, const float* pose,
                 std::span<const ChainTargets> asked, std::span<const ChainResults> results);

 private:
  struct End {
    Vec3d at;
    Quatd rotation;
  };

  void Place(const MotionView& motion, int frame, const float* pose);
  End EndOf(const BodyEffector& effector) const;

  const Rig& rig_;
  const BodyGroup& group_;
  std::vector<End> kept_;  // by frame and effector
  ModelPose model_;
};

}  // namespace ikstream
