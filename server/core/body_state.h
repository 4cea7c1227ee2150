// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// One group of a Solver: its memory, and what it carries from frame to frame.
//
// The serial passes around the lanes are those of a chain (core/chain_state.h): weights and
// targets by member; frames between, blend, signs and One Euro of all the joints that the group
// turns, and of the root's shift.
#pragma once

#include <span>
#include <vector>

#include "core/between.h"
#include "core/body.h"
#include "core/body_items.h"
#include "core/body_measure.h"
#include "core/body_targets.h"
#include "core/chain_job.h"
#include "core/continuity.h"
#include "core/temporal.h"

namespace ikstream {

class BodyState {
 public:
  // Both outlive this.
  BodyState(const Rig& rig, const BodyGroup& group);

  // Solves the group over all frames in `pose` (4 J F floats), `roots` (3 F) and `translations`
  // (3 T F), which hold the answers of what was solved before and then those of this group too.
  // `motion` has those roots where the group may move them, and those translations where one of
  // its chains may stretch. No allocation unless F, the weights per frame or the number of
  // frames that stretch grow.
  void Solve(const MotionView& motion, std::span<const ChainTargets> asked, float* pose,
             float* roots, float* translations, std::span<const ChainResults> results,
             LaneSpace& space);
  // The residuals of the frames just solved, in the pose as all chains have left it, where
  // later ones have moved the group's (Chain::moved_later).
  void MeasureAgain(const MotionView& motion, std::span<const ChainTargets> asked,
                    const float* pose, std::span<const ChainResults> results);
  // The next frame has index `first_frame`.
  void Reset(std::int64_t first_frame);

 private:
  void Prepare(std::span<const ChainTargets> asked, int frames);
  void FillBetween(const float* pose);
  void BlendFrame(int frame, const float* pose);
  void BlendShift(bool changed, float weight, float* shift);
  void ClampFiltered(int frames);
  void Clamp();
  void Commit(int frame, float* pose, float* roots, float* translations) const;
  float* NumbersOf(int frame) {
    return numbers_.data() + items_.numbers() * static_cast<size_t>(frame);
  }
  void Report(int frame, std::span<const ChainResults> results) const;

  // Whether the lanes have not measured what is answered.
  bool IsLate(int frame) const { return all_late_ || !items_.IsWhole(frame); }

  const Rig& rig_;
  const BodyGroup& group_;
  const OneEuroSettings euro_;
  std::vector<std::ptrdiff_t> offsets_;  // of turned joints in a frame of all joints
  std::vector<JointBound> bounds_;       // of turned joints
  bool limited_ = false;
  bool moved_later_ = false;  // a chain of the group is
  bool changes_late_;         // answers are changed after the lanes, or targets before them
  bool all_late_ = false;     // in this call
  std::int64_t next_frame_ = 0;

  BodyTargets targets_;
  BodyItems items_;
  BetweenFrames between_;
  Continuity joints_;
  std::vector<OneEuro> filters_;
  OneEuroOf<Vec3d> shift_filter_;
  BodyMeasure measure_;

  std::vector<std::int32_t> list_;      // frames to solve, then to clamp
  std::vector<FrameOutcome> outcomes_;  // by frame: `changed` only
  std::vector<float> rows_;             // 4 per turned joint and frame
  std::vector<float> numbers_;          // the root's shift and extensions, by frame
};

}  // namespace ikstream
