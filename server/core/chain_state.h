// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// One chain of a Solver: its memory, and what it carries from frame to frame.
//
// Around the lanes, which know single frames only, run serial passes: before them weights,
// targets, the bend, frames that need no solve; after them frames between, the blend by weight,
// signs, One Euro, and the measure of what all that changed.
#pragma once

#include <cstdint>
#include <vector>

#include "core/bend.h"
#include "core/between.h"
#include "core/chain_job.h"
#include "core/colliders.h"
#include "core/continuity.h"
#include "core/input_targets.h"
#include "core/repeats.h"
#include "core/stretch.h"
#include "core/temporal.h"

namespace ikstream {

class ChainState {
 public:
  // Both outlive this.
  ChainState(const Rig& rig, const Chain& chain);

  // Solves the chain over all frames in `pose` (4 J F floats), which holds the answers of the
  // chains before and then that of this one too. `motion`'s translations are `translations`
  // (3 T F floats) where the chain may stretch: it changes them too. No allocation unless F
  // grows.
  void Solve(const MotionView& motion, const ChainTargets& asked, float* pose,
             float* translations, const ChainResults& results, LaneSpace& space);
  // Measures the frames just solved once more, in the pose as all chains have left it: the
  // residuals and depths of a chain that later ones have moved (Chain::moved_later).
  void MeasureAgain(const MotionView& motion, const ChainTargets& asked, const float* pose,
                    const ChainResults& results, LaneSpace& space);
  // The turned joints' angular velocities in their parents' frames, rad/s, from the answers in
  // `pose` once every chain is solved: 3 floats per turned joint and frame; 0 at the first
  // frame.
  void AngularVelocities(const float* pose, int frames, float* out);
  // The next frame has index `first_frame`.
  void Reset(std::int64_t first_frame);

 private:
  void Prepare(const ChainTargets& asked, int frames);
  ChainJob MakeJob(const MotionView& motion, const ChainTargets& targets, const float* pose);
  void ListFrames(int frames);
  void FillBetween(const ChainJob& job);
  void KeepLengths(ChainJob job, const MotionView& motion, LaneSpace& space);
  void Clamp();
  void BlendAll(float* pose, int frames);
  void BlendFrame(int frame, float* pose, float* row);
  void ClampFiltered(int frames);
  void MeasureLate(ChainJob job, const ChainTargets& asked, LaneSpace& space);
  void Commit(float* pose) const;
  void Report(const ChainResults& results, int frames) const;

  // Whether a frame's answer waits in solved_ until it has been measured again.
  bool IsLate(int frame) const { return all_late_ || weights_[frame] < 1; }
  // Whether its solved rows are the answer but for their signs.
  bool IsWhole(int frame) const {
    return outcomes_[frame].changed && !all_late_ && weights_[frame] == 1;
  }

  const Rig& rig_;
  const Chain& chain_;
  const OneEuroSettings euro_;
  const bool all_late_;  // answers are changed after the lanes, or targets before them
  const bool finds_repeats_;
  std::int64_t next_frame_ = 0;

  WeightRate rate_;
  TargetSmoothing smoothing_;
  Stretch stretch_;
  BendTrack bend_;
  BetweenFrames between_;
  Repeats repeats_;
  ColliderTrack collider_track_;
  InputTargets input_targets_;
  Continuity joints_;
  std::vector<OneEuro> filters_;
  bool has_before_ = false;
  std::vector<Quatf> before_;  // the answers of the frame before

  std::vector<float> weights_;      // in force
  std::vector<std::int32_t> list_;  // frames to solve, then to clamp, then to measure
  std::vector<FrameOutcome> outcomes_;
  std::vector<float> solved_;  // 4 per turned joint and frame
  std::vector<float> bends_;
  // KeepLengths(): frames that missed with longer bones, and their answers; whether a frame,
  // and the last one of the batch before, keeps its lengths.
  std::vector<std::int32_t> missed_;
  std::vector<float> longer_rows_;
  std::vector<FrameOutcome> longer_outcomes_;
  std::vector<std::uint8_t> keeps_;
  std::uint8_t last_keeps_ = 0;
  std::vector<float> colliders_;  // 6 per collider of the chain and frame
};

}  // namespace ikstream
