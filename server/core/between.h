// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Frames between solved ones (ChainSpec::solve_every): they get the corrections of their solved
// neighbours, interpolated, or the last one, eased. A serial pass after the lanes.
//
// The correction of a joint is d = solved * conj(input). A solved frame of weight 0 has none:
// INTERPOLATE takes its other neighbour's, HOLD_EASED lets go of what it held. Beside the
// rotations, plain numbers (a group's shift of the root) go from one to the other on a line.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/chain_job.h"

namespace ikstream {

// A batch of a chain or a group.
struct BetweenRows {
  RotationRows start;                // the inputs
  float* solved = nullptr;           // 4 per joint and frame
  FrameOutcome* outcomes = nullptr;  // by frame
  float* numbers = nullptr;          // so many as BetweenFrames was made for, by frame
};

class BetweenFrames {
 public:
  BetweenFrames(int solve_every, FramesBetween kind, size_t joints, size_t numbers = 0);
  bool active() const { return every_ > 1; }

  // A batch of `frames` frames, the first with index `first_frame`.
  void Begin(std::int64_t first_frame, int frames);
  // Whether a frame of the batch is to be solved: its index divides by solve_every, or it is
  // the first of all, or (INTERPOLATE) the last of the batch.
  bool IsSolved(int frame) const;

  // Fills the rows of frames between. For HOLD_EASED also those of solved frames but the first
  // of all, which ease like the others. Lists in `moved` the frames whose rows it wrote. Frames
  // of weight 0 are left out.
  void Fill(const BetweenRows& rows, const float* weights, std::vector<std::int32_t>& moved);
  void Reset();

 private:
  struct Corrections {
    bool known = false;
    std::vector<Quatf> d;
    std::vector<float> numbers;
  };

  void Read(const BetweenRows& rows, const float* weights, int frame, Corrections& out) const;
  void Write(const BetweenRows& rows, int frame, const Corrections& from, const Corrections& to,
             float t) const;
  void Interpolate(const BetweenRows& rows, const float* weights,
                   std::vector<std::int32_t>& moved);
  void HoldEased(const BetweenRows& rows, const float* weights,
                 std::vector<std::int32_t>& moved);
  void Ease(const BetweenRows& rows, const float* weights, int frame, float reached);

  const int every_;
  const FramesBetween kind_;
  std::int64_t first_ = 0;  // index of the batch's first frame
  int frames_ = 0;
  bool begun_ = false;  // a batch came before this one
  bool starts_ = true;  // this batch is the first
  // INTERPOLATE: of the last solved frame. HOLD_EASED: what is eased from.
  Corrections from_;
  Corrections to_;               // of the solved frame that follows; what is eased to
  std::int64_t from_frame_ = 0;  // INTERPOLATE: of from_; HOLD_EASED: of the last solved frame
};

}  // namespace ikstream
