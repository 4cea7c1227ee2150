// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The plane of a planar chain, worked out once: every joint turns about its normal only.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "core/bounds.h"

namespace ikstream {

// Right-handed and unit: x, y, normal. Seen from the frame of root_joint's parent.
struct Plane {
  Vec3f normal, x, y;
  std::vector<TurnRange> ranges;  // of Chain::turned, about the normal, from the rest angle
};

class Rig;
struct Chain;

// Fills chain.plane where its spec has a normal, and makes its bounds hinges about it. Errors
// name `plane_normal`, or `limits[3].kind` and `.axis` where a limit is no hinge about it.
// REQUIRES: joints, bones and bounds of the chain are set.
absl::Status BuildPlane(const Rig& rig, Chain& chain);

}  // namespace ikstream
