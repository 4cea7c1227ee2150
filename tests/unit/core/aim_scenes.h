// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// A chest, a neck, a head and an eye that looks along +Z, and the rays of chains that aim.
#pragma once

#include <vector>

#include "unit/core/scenes.h"

namespace ikstream {

// Joints: chest, neck, head, eye, and one below the eye. The chain runs from neck to eye.
RigSpec Head();
// One frame of it at rest.
Scene MakeHeadScene();

// The first chain's ray in the space of roots, and how it misses the frame's target.
struct RayView {
  Vec3d origin, axis;
  double angle, miss;
};
RayView RayOf(const Scene& scene, const std::vector<float>& rotations, int frame);

// By how much (radians) the first chain's joints leave their limits.
double WorstOutsideAim(const Scene& scene, const Solved& solved, int frame);

}  // namespace ikstream
