// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Planar chains at random: under a turned base, with frames of joints that lean every way.
#pragma once

#include <string>
#include <vector>

#include "unit/core/scenes.h"

namespace ikstream {

// Joint 0 is a base that does not turn; the chain runs from joint 1 to the last.
RigSpec RandomPlanarChain(Random& random, int bones, const std::string& solver, bool limits);
// The plane's normal at rest, seen from each joint's own frame.
std::vector<Vec3d> NormalsOf(const Rig& rig);
// A legal pose in the plane: joints turned by up to max_angle from rest. The base at random.
std::vector<Quatf> PlanarPose(Random& random, const Rig& rig, float max_angle);
// Height of each joint of the chain over the plane through its root, from the end the last.
std::vector<double> HeightsOf(const Scene& scene, const std::vector<float>& rotations,
                              int frame);
// How far the turns from the input to the answer lean off the normal: radians, the worst.
double WorstLean(const Scene& scene, const std::vector<float>& rotations, int frame);

}  // namespace ikstream
