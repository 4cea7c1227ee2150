// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Frames whose input is that of the frame before, bit for bit: they are not solved again, since
// the lanes are stateless and would give the same bits.
#pragma once

#include <cstdint>
#include <vector>

#include "core/chain_job.h"

namespace ikstream {

class Repeats {
 public:
  // Compares each frame of the job with the one before, also with the last one of the batch
  // before: all that the chain's solve reads. Call before the lanes run.
  void Find(const ChainJob& job, const float* weights);
  bool at(int frame) const { return marks_[frame] != 0; }
  // Fills rows and outcomes of repeats, and remembers the last frame. Call after the lanes ran.
  void Copy(const ChainJob& job);
  void Reset() { has_last_ = false; }

 private:
  // Where the inputs of one frame stand; null: not given.
  struct Input {
    const float* pose;
    const float* root;
    const float* translations;
    const float* target;
    const float* rotation;
    const float* bend;
    const float* colliders;
    float weight;
  };

  static Input InputOf(const ChainJob& job, const float* weights, int frame);
  static bool Same(const ChainJob& job, const Input& a, const Input& b);
  void Save(const ChainJob& job, const Input& input);
  Input Saved() const;

  std::vector<std::uint8_t> marks_;
  bool has_last_ = false;
  // The last frame of the batch before: inputs side by side, then its answer.
  std::vector<float> saved_;
  std::ptrdiff_t at_[7] = {};  // where the parts stand in saved_, -1: not given
  float saved_weight_ = 0;
  std::vector<float> row_;
  FrameOutcome outcome_;
};

}  // namespace ikstream
