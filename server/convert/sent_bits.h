// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Remembers rotations that were normalised before they were worked on, until their frames are
// answered: a joint-frame that came back unchanged is answered with the bits that were sent.
// Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include "convert/motion.h"

namespace ikstream {

class SentBits {
 public:
  // `first_frame`: the absolute index of the batch's first frame.
  void Remember(const CheckedMotion& motion, int joints, std::int64_t first_frame);
  // Puts sent bits back into 4 J F packed rotations; forgets everything up to those frames.
  void Restore(float* rotations, int joints, std::int64_t first_frame, std::int64_t frames);

 private:
  struct Entry {
    std::int64_t frame;
    int joint;
    std::array<float, 4> sent, used;
  };
  std::deque<Entry> entries_;  // by frame, then joint
};

}  // namespace ikstream
