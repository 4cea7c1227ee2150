// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Whether a frame asks of a group what the frame before asked, bit for bit: it is not solved
// again, since the lanes are stateless and would give the same bits.
#pragma once

#include <span>
#include <vector>

#include "core/body.h"
#include "core/solve.h"

namespace ikstream {

class BodyRepeats {
 public:
  explicit BodyRepeats(const BodyGroup& group) : group_(group) {}

  // Frames are asked about in order, each once. `pose`: the frame's rotations, 4 J floats;
  // `targets`: of all chains of the rig; `translations`: the frame's, 3 T floats.
  bool Next(const float* root, const float* pose, const float* translations,
            std::span<const ChainTargets> targets, int frame);
  void Reset() { before_.clear(); }

 private:
  void Add(const float* values, int count) { now_.insert(now_.end(), values, values + count); }
  void Add(const Track& track, int count, int frame);

  const BodyGroup& group_;
  std::vector<float> now_, before_;  // all that the solve reads, side by side
};

}  // namespace ikstream
