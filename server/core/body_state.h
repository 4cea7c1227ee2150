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
#include "core/body_repeats.h"
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
  // The residuals of the frames just solved, in the pose as all chains have left it, where
  // later ones have moved the group's (Chain::moved_later).
  void MeasureAgain(const MotionView& motion, std::span<const ChainTargets> targets,
                    const float* pose, std::span<const ChainResults> results);
  void Reset();

 private:
  // The items of one frame, in falling weight.
  struct FrameItems {
    int first = 0, count = 0;
  };

  void ListItems(const MotionView& motion, std::span<const ChainTargets> targets,
                 const float* pose);
  void KeepLast();
  void GrowAnswers();
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
  bool IsWhole(int frame) const;
  Vec3d EndOf(const BodyEffector& effector) const;
  void Keep(int frame);
  void Measure(const MotionView& motion, int frame, const float* pose);
  void MeasureResiduals(int frame, std::span<const ChainTargets> targets,
                        std::span<const ChainResults> results) const;

  const Rig& rig_;
  const BodyGroup& group_;
  bool asks_otherwise_ = false;  // in this call, than what the lanes measure against
  Continuity joints_;
  BodyRepeats repeats_;
  FrameItems last_;        // of the frame before this batch
  size_t kept_items_ = 0;  // those come first
  std::vector<BodyItem> items_;
  std::vector<float> weights_;  // of items: effectors of this weight and above take part
  std::vector<FrameItems> frames_;
  std::vector<float> solved_, moves_;
  std::vector<FrameOutcome> outcomes_;
  bool moved_later_ = false;  // a chain of the group is
  // Where the input has the effectors, of frames that are measured: by frame and effector.
  struct Kept {
    Vec3d end;
    Quatd rotation;
  };
  std::vector<Kept> kept_;
  ModelPose model_;
};

}  // namespace ikstream
