// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The solves of one group, and the poses that weights mix from them.
//
// Weights of effectors may differ within a frame. An effector of weight 0 takes no part. With
// the weights that occur, w1 > w2 > ..., the pose k is solved with the effectors of weight wk
// and above, and the answer blends the input and the poses by 1 - w1, w1 - w2, ..., wn: it is
// the slerp by w where all weights are w, and follows every weight without a jump. Mixed here
// are the poses, by (w1 - w2) / w1, ..., wn / w1: the pose of the frame at weight 1. All of
// them have the bones as the last one lengthens them (core/body_stretch.h).
#pragma once

#include <span>
#include <vector>

#include "core/body.h"
#include "core/body_repeats.h"
#include "core/body_stretch.h"
#include "core/chain_job.h"

namespace ikstream {

class BodyItems {
 public:
  // Both outlive this.
  BodyItems(const Rig& rig, const BodyGroup& group);

  // Solves the frames `list` (rising) of a batch; `targets`: in force, by chain of the rig;
  // `pose`: 4 J F floats. A frame that asks what the one solved before asked costs nothing. No
  // allocation unless F or the weights per frame grow.
  void Solve(const MotionView& motion, std::span<const ChainTargets> targets, const float* pose,
             std::span<const std::int32_t> list, LaneSpace& space);

  // The mixed pose, 4 floats per turned node; the root's shift and the extensions, numbers()
  // floats. False: nothing moves.
  bool Mix(int frame, const float* pose, float* row, float* numbers) const;
  size_t numbers() const { return 3 + stretch_.size(); }
  const BodyStretch& stretch() const { return stretch_; }
  // Of the pose that all effectors with a weight take part in. SKIPPED: it was not solved.
  FrameOutcome OutcomeOf(int frame, size_t effector) const;
  // Whether it was solved with all effectors at weight 1.
  bool IsWhole(int frame) const;
  void Reset();

 private:
  // The items of one frame, in falling weight.
  struct FrameItems {
    int first = 0, count = 0;
  };

  void KeepLast();
  void GrowAnswers();
  void AddItems(std::span<const ChainTargets> targets, int frame);
  // Answers go to those of the items from `first_item` on.
  void RunLanes(const BodyGroup& group, const MotionView& motion,
                std::span<const ChainTargets> targets, const float* pose,
                std::span<const BodyItem> items, size_t first_item, LaneSpace& space);
  void SolveLonger(const MotionView& motion, std::span<const ChainTargets> targets,
                   const float* pose, std::span<const std::int32_t> list, LaneSpace& space);
  void ListAsking(std::span<const std::int32_t> list);
  void AddLonger(const MotionView& motion, std::span<const ChainTargets> targets,
                 const float* pose, int frame, size_t measured);
  bool KeepsLengths(std::int32_t own, size_t longer);
  void GrowTo(size_t items);
  void TakeAnswer(size_t to, size_t from);
  Quatf MixOf(size_t k, FrameItems items, Quatf input) const;
  float Part(FrameItems items, int i) const;
  bool IsChanged(int item) const {
    return outcomes_[group_.effectors.size() * static_cast<size_t>(item)].changed;
  }

  const Rig& rig_;
  const BodyGroup& group_;
  BodyRepeats repeats_;
  BodyStretch stretch_;
  FrameItems last_;        // of the frame solved last
  size_t kept_items_ = 0;  // those of the batch before come first
  std::vector<BodyItem> items_;
  std::vector<float> weights_;  // of items: effectors of this weight and above take part
  std::vector<FrameItems> frames_;
  std::vector<float> solved_, moves_;
  std::vector<FrameOutcome> outcomes_;
  std::vector<float> extensions_;  // of a frame, at its first item
  // What is solved to measure and once more, whose items the latter are, and with which
  // translations (3 T F).
  std::vector<BodyItem> asking_, longer_;
  std::vector<std::int32_t> longer_items_;
  std::vector<float> lengthened_;
};

}  // namespace ikstream
