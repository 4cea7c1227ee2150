// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// One group of a Solver: its memory, and what it carries from frame to frame.
//
// Weights of effectors may differ within a frame. An effector of weight 0 takes no part. With
// the weights that occur, w1 > w2 > ..., the pose k is solved with the effectors of weight wk
// and above, and the answer blends the input and the poses by 1 - w1, w1 - w2, ..., wn: it is
// the slerp by w where all weights are w, and follows every weight without a jump.
#pragma once

#include <span>
#include <vector>

#include "core/body.h"
#include "core/chain_job.h"
#include "core/continuity.h"

namespace ikstream {

class BodyState {
 public:
  // Both outlive this.
  BodyState(const Rig& rig, const BodyGroup& group);

  // Solves the group over all frames in `pose` (4 J F floats) and `roots` (3 F), which hold the
  // answers of what was solved before and then those of this group too. `motion`'s root
  // positions are `roots`. No allocation unless F or the weights per frame grow.
  void Solve(const MotionView& motion, std::span<const ChainTargets> targets, float* pose,
             float* roots, std::span<const ChainResults> results, LaneSpace& space);
  void Reset();

 private:
  // The items of one frame, in falling weight.
  struct FrameItems {
    int first = 0, count = 0;
  };

  void ListItems(std::span<const ChainTargets> targets, int frames);
  void AddItems(std::span<const ChainTargets> targets, int frame);
  void RunLanes(const MotionView& motion, std::span<const ChainTargets> targets,
                const float* pose, LaneSpace& space);
  void Finish(const MotionView& motion, int frame, std::span<const ChainTargets> targets,
              float* pose, float* root, std::span<const ChainResults> results);
  void Blend(FrameItems items, float* pose, float* root);
  Quatf Mix(size_t k, FrameItems items, Quatf input) const;
  float Part(FrameItems items, int i) const;
  void Report(int frame, FrameItems items, std::span<const ChainTargets> targets,
              std::span<const ChainResults> results) const;
  void Measure(const MotionView& motion, int frame, const float* pose);
  void MeasureResiduals(int frame, std::span<const ChainTargets> targets,
                        std::span<const ChainResults> results) const;

  const Rig& rig_;
  const BodyGroup& group_;
  bool turns_to_goals_ = false;  // a rotation target is there in this call
  std::vector<JointContinuity> joints_;
  std::vector<BodyItem> items_;
  std::vector<float> weights_;  // of items: effectors of this weight and above take part
  std::vector<FrameItems> frames_;
  std::vector<float> solved_, moves_;
  std::vector<FrameOutcome> outcomes_;
  std::vector<Quatd> kept_;  // the effectors' rotations in the input
  ModelPose model_;
};

}  // namespace ikstream
