// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Chains among colliders at random, and a plain judge of depths in double precision.
#pragma once

#include <string>
#include <vector>

#include "unit/core/scenes.h"

namespace ikstream {

// The distance of two line segments by trying: the reference that judges the solver's own.
double SegmentDistance(Vec3d p, Vec3d q, Vec3d a, Vec3d b);

// The depth of the first chain's deepest bone inside a collider of the rig; 0: none is inside.
// Colliders bound to the chain's own joints and those that it ignores do not count.
double DepthOf(const Scene& scene, const std::vector<float>& rotations, int frame);

// Joint 0 carries colliders and does not turn; the chain runs from joint 1 to the last. Spheres
// and capsules stand about where the chain can reach, none over its root.
RigSpec RandomColliderChain(Random& random, int bones, const std::string& solver, bool limits);

// A legal pose of the rig at random that no collider is in the way of, under the base's
// rotation `base`; empty where none of `tries` is.
std::vector<Quatf> FreePose(Random& random, const Scene& scene, Quatf base, Vec3f root,
                            float max_angle, int tries);

}  // namespace ikstream
