// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// A foot as it is animated in one frame, and what its leg reaches. Rig units. Thread-safe.
#pragma once

#include "core/skeleton.h"
#include "terrain/foot_geometry.h"
#include "terrain/leg_reach.h"
#include "terrain/placer.h"

namespace ikstream {

struct AnimatedFoot {
  Vec3d hip, knee, ankle, toe;  // toe: the toe point, the ankle's where there is none
  Quatd hip_rotation, ankle_rotation, toe_rotation;
  Vec3d sole_normal, toe_normal;
  double leg_length = 0;  // along the bones
  double lowest = 0;      // height of the lower of heel and toe over up = 0, less its offset
  LegReach reach;
};

// `settings` in rig units; `up` has unit length.
AnimatedFoot ReadFoot(const FootGeometry& foot, const PlaceSettings& settings, Vec3d up,
                      const ModelPose& pose);

}  // namespace ikstream
