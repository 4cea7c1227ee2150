// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Scenes of every kind that solvers promise the same for.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "unit/core/scenes.h"

namespace ikstream {

enum class Kind { kSpace, kPlane, kColliders };

struct ContractCase {
  std::string solver;
  Kind kind;

  bool aims() const { return solver == "aim"; }
  friend void PrintTo(const ContractCase& test, std::ostream* out) { *out << test.solver; }
};

// Every solver with every kind of chain that it serves.
std::vector<ContractCase> ContractCases();

// A chain at random with frames far from the origin too; targets are taken from other legal
// poses, where there are colliders from free ones. 60 iterations.
Scene ContractScene(const ContractCase& test, int seed, bool limits, int frames,
                    float root_range);
// Poses all frames anew, without a thought for limits or colliders; planar ones in the plane.
void PoseWildly(Kind kind, int seed, Scene& scene);

// A target that the pose meets.
Vec3d TargetOf(const ContractCase& test, const Scene& scene,
               const std::vector<float>& rotations, int frame);
// What the solver brings down: radians where it aims, else the distance of the end; the same as
// the answer tells it; and what counts as met.
double ErrorOf(const ContractCase& test, const Scene& scene,
               const std::vector<float>& rotations, int frame);
float ToldOf(const ContractCase& test, const Solved& solved, int frame);
float ToleranceOf(const ContractCase& test, const Chain& chain);

// How far the driven joints are outside their limits, the worst; radians.
double WorstOutside(const Scene& scene, const Solved& solved, int frame);

}  // namespace ikstream
