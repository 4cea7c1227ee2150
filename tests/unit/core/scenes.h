// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Small scenes for the solvers' tests: a rig, packed frames, targets, and what comes back.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/rig.h"
#include "core/solve.h"

namespace ikstream {

using Random = std::mt19937;
float Uniform(Random& random, float low, float high);
Vec3f RandomUnit(Random& random);
Quatf RandomTurn(Random& random, float max_angle);

// Frames of one rig with the tracks of its first chain.
struct Scene {
  std::shared_ptr<const Rig> rig;
  std::vector<float> roots, rotations;                  // 3 F, 4 J F
  std::vector<float> positions, goals, weights, poles;  // empty: not given

  int joints() const { return rig->skeleton().size(); }
  int frames() const { return static_cast<int>(roots.size() / 3); }
  void Add(const std::vector<Quatf>& pose, Vec3f root = {});
  void AddTarget(Vec3f v) { positions.insert(positions.end(), {v.x, v.y, v.z}); }
};

struct Solved {
  std::vector<float> rotations;
  std::vector<SolveStatus> statuses;
  std::vector<std::int32_t> iterations;
  std::vector<float> residuals, angles;

  Quatf At(const Scene& scene, int frame, int joint) const;
};

// Solves in batches of `batch` frames (0: all at once).
Solved Solve(const Scene& scene, int batch = 0);

// Forward kinematics of a frame; `rotations` is the scene's or an answer's.
ModelPose PoseOf(const Scene& scene, const std::vector<float>& rotations, int frame);
// Where the first chain ends, and how far that is from its target.
Vec3d EndOf(const Scene& scene, const std::vector<float>& rotations, int frame);
double ErrorOf(const Scene& scene, const std::vector<float>& rotations, int frame);

// A chain of `bones` joints and an end joint, each `length` long along -Y.
RigSpec StraightChain(int bones, float length, const std::string& solver);
// The test leg of the cases: hip, knee, ankle; 0.5 each down -Y.
RigSpec Leg(const std::string& solver, bool hinge = true);
Scene MakeScene(RigSpec spec);
// Offsets, rest rotations and limits at random (seeded).
RigSpec RandomChain(Random& random, int bones, const std::string& solver, bool limits);
// 0: hinge, 1: round cone and twist, 2: elliptic cone and twist, 3: Euler angles.
JointLimit RandomLimit(Random& random, int kind);
// A legal pose: rest, turned at random, inside limits of the rig.
std::vector<Quatf> RandomPose(Random& random, const Rig& rig, float max_angle);

}  // namespace ikstream
