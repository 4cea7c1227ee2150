// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// A human of 22 joints with a head, two hands and two feet to be brought to targets, and what
// comes back, judged by forward kinematics in double precision.
#pragma once

#include <initializer_list>
#include <memory>
#include <vector>

#include "unit/core/scenes.h"

namespace ikstream {

inline constexpr float kHeight = 1.7f;

// Frames of one rig with tracks for every chain (empty: not given).
struct BodyScene {
  std::shared_ptr<const Rig> rig;
  std::vector<float> roots, rotations;  // 3 F, 4 J F
  std::vector<float> translations;      // 3 T F
  struct Tracks {
    std::vector<float> positions, goals, weights;
    std::vector<float> known;  // the ends' rotations in the poses that the targets are from
  };
  std::vector<Tracks> tracks;

  int joints() const { return rig->skeleton().size(); }
  int chains() const { return static_cast<int>(rig->chains().size()); }
  int frames() const { return static_cast<int>(roots.size() / 3); }
  void Add(const std::vector<Quatf>& pose, Vec3f root);
};

struct SolvedBody {
  std::vector<float> roots, rotations;
  std::vector<float> translations;  // 3 T F
  struct Chain {
    std::vector<SolveStatus> statuses;
    std::vector<std::int32_t> iterations;
    std::vector<float> residuals, angles;
  };
  std::vector<Chain> chains;
};

// The human. Chains: head (from the pelvis, which is the root), left and right hand (from the
// collars), left and right foot (from the hips); all of them of the group "human".
RigSpec Human(bool limits = true);
BodyScene MakeBodyScene(const RigSpec& spec);
// Random legal poses and targets that forward kinematics of other legal poses gives.
BodyScene RandomHumans(int frames, unsigned seed, const RigSpec& spec, float angle = 0.6f);

SolvedBody SolveHumans(const BodyScene& scene, int batch = 0);
// Batches of these sizes give the bits of the whole.
void ExpectTheSameInBatches(const BodyScene& scene, std::initializer_list<int> sizes);

ModelPose PoseOf(const BodyScene& scene, const std::vector<float>& roots,
                 const std::vector<float>& rotations, int frame);
ModelPose PoseOf(const BodyScene& scene, const SolvedBody& solved, int frame);
// Where a chain ends, and how far that is from its target.
Vec3d EndOf(const BodyScene& scene, const ModelPose& pose, int chain);
double MissOf(const BodyScene& scene, const SolvedBody& solved, int chain, int frame);
// The greatest of a frame's misses.
double WorstMiss(const BodyScene& scene, const SolvedBody& solved, int frame);
// Radians by which a frame's joints leave their limits.
double WorstOutside(const BodyScene& scene, const SolvedBody& solved, int frame);

}  // namespace ikstream
