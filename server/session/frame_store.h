// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Frames that came and wait for later ones, packed like a batch. Not thread-safe.
#pragma once

#include <vector>

#include "convert/motion.h"

namespace ikstream {

class FrameStore {
 public:
  // `rig` outlives this.
  explicit FrameStore(const Rig& rig);

  // Whether a batch gives the same tracks as the frames that wait: only then it can be added.
  bool Fits(const CheckedMotion& motion) const;
  // Copies the good frames of a batch behind those that wait.
  void Append(const CheckedMotion& motion);
  // Forgets the first `frames`.
  void Drop(int frames);

  int frames() const { return frames_; }
  // What CheckedMotion says of a batch, of all that wait; good until the next change.
  MotionView view() const;
  const std::vector<ChainTargets>& targets() const { return targets_; }
  // Puts sent bits back where a normalised copy was solved and came back unchanged.
  // `rotations` holds the answers for frames `begin` to `end`, 4 J floats each.
  void RestoreSent(float* rotations, int begin, int end) const;

 private:
  // A list of `width` floats per frame; not given: no frame has any.
  struct Column {
    int width = 0;
    bool given = false;
    std::vector<float> values = {};
    void Append(const Track& track, int frames);
    void Drop(int frames);
    Track track() const;
  };
  struct ChainColumns {
    Column positions{3}, rotations{4}, weights{1}, poles{3};
  };

  void Point();

  const int joints_, translated_;
  int frames_ = 0;
  Column roots_{3}, rotations_, sent_, translations_;
  bool normalised_ = false;
  std::vector<ChainColumns> chains_;
  std::vector<ChainTargets> targets_;
};

}  // namespace ikstream
