// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The placer at work: one frame after the other, then the solve of the batch's legs.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/rig.h"
#include "core/skeleton.h"
#include "core/solve.h"
#include "terrain/foot_geometry.h"
#include "terrain/foot_placer.h"
#include "terrain/ground.h"
#include "terrain/placer.h"

namespace ikstream {

// What a batch asks of one leg's solve.
struct PlacedLeg {
  std::vector<float> positions, rotations, weights, poles;
  std::vector<FootTarget> targets;

  void Resize(size_t frames) {
    positions.resize(3 * frames);
    rotations.resize(4 * frames);
    weights.resize(frames);
    poles.resize(3 * frames);
    targets.resize(frames);
  }
  void Set(size_t frame, const FootTarget& target) {
    targets[frame] = target;
    Store(Cast<float>(target.softened), &positions[3 * frame]);
    Store(Cast<float>(target.rotation), &rotations[4 * frame]);
    Store(Cast<float>(target.pole), &poles[3 * frame]);
    weights[frame] = target.solve ? 1.0f : 0.0f;
  }
  ChainTargets AsTargets() const {
    return {
        {positions.data(), 3}, {rotations.data(), 4}, {weights.data(), 1}, {poles.data(), 3}};
  }
};

// The toe's rotation as it was answered last, so that signs follow it.
struct PlacedToe {
  bool turned = false;
  Quatf last;
};

class PlaceRun : public Placer {
 public:
  // `spec` was checked; `rig` has one chain per foot, `feet` one entry.
  PlaceRun(const PlacerSpec& spec, std::shared_ptr<const Rig> rig,
           std::vector<FootGeometry> feet, double units_per_metre);

  void Place(const PlaceInput& input, const PlaceOutput& output) override;
  void Reset() override;
  std::span<const int> driven_joints() const override { return driven_; }
  double units_per_metre() const override { return units_; }
  int pelvis_joint() const override { return pelvis_; }

 private:
  void FindPelvis(const std::vector<int>& translated);
  void FindDriven();
  PoseView PoseOf(const MotionView& motion, int frame) const;
  void AimFeet(const PlaceInput& input, const PlaceOutput& output, int frame);
  FootSurroundings Around(const PlaceInput& input, int foot, int frame,
                          double lowest_foot) const;
  double MovePelvis();
  void ApplyPelvis(const MotionView& motion, const PlaceOutput& output, int frame);
  void SolveLegs(const PlaceInput& input, const PlaceOutput& output);
  void FinishFrame(const PlaceInput& input, const PlaceOutput& output, int frame);
  void TurnToe(size_t foot, int frame, const float* sent, float* rotations);

  std::shared_ptr<const Rig> rig_;
  std::vector<FootGeometry> geometry_;
  double units_;
  PlaceSettings settings_;
  double dt_;
  Vec3d up_;
  Solver solver_;
  std::optional<Ground> ground_;
  double mean_leg_ = 0;
  int pelvis_ = 0;
  int pelvis_translation_ = -1;  // its place in local_translations, -1: the root
  std::vector<int> driven_;

  // Carried from frame to frame.
  bool first_ = true;
  std::vector<FootPlacer> feet_;
  std::vector<PlacedToe> toes_;
  std::vector<RigidPose> platforms_, platforms_before_;
  double pelvis_offset_ = 0;

  // Workspace of a batch.
  ModelPose pose_;
  std::vector<PlacedLeg> tracks_;
  std::vector<ReachInterval> votes_;
  std::vector<ChainTargets> targets_;
  std::vector<ChainResults> results_;
};

}  // namespace ikstream
