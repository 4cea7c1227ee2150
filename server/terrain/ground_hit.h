// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Where the ground is, whoever found it: a ray, a fitted floor or the caller.
#pragma once

#include "core/math.h"

namespace ikstream {

// In the space of root_positions, rig units.
struct GroundHit {
  Vec3d point;
  Vec3d normal;       // unit, away from the ground
  int platform = -1;  // the platform that carries it, -1: at rest
  Vec3d velocity{};   // of the ground at `point`, rig units per second
};

}  // namespace ikstream
