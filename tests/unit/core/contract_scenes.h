// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Scenes of every kind that solvers promise the same for.
#pragma once

#include <ostream>
#include <string>

#include "unit/core/scenes.h"

namespace ikstream {

enum class Kind { kSpace, kPlane, kColliders };

struct ContractCase {
  std::string solver;
  Kind kind;

  friend void PrintTo(const ContractCase& test, std::ostream* out) { *out << test.solver; }
};

// A chain at random with frames far from the origin too; targets are taken from other legal
// poses, where there are colliders from free ones. 60 iterations.
Scene ContractScene(const ContractCase& test, int seed, bool limits, int frames,
                    float root_range);
// Poses all frames anew, without a thought for limits or colliders; planar ones in the plane.
void PoseWildly(Kind kind, int seed, Scene& scene);
// How far the driven joints are outside their limits, the worst; radians.
double WorstOutside(const Scene& scene, const Solved& solved, int frame);

}  // namespace ikstream
