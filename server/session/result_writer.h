// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Packs solved frames into replies, each at most Limits::max_reply_bytes. Not thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ikstream/v1/service.pb.h"

namespace ikstream {

// A run of solved frames: arrays of the whole skeleton, frame-major, F frames each.
struct SolvedFrames {
  std::int64_t first_frame = 0;  // as answered
  int frames = 0;
  const float* rotations = nullptr;       // 4 J F
  const float* root_positions = nullptr;  // 3 F, sent where the root is
  const float* translations = nullptr;    // 3 T F, or null
};

class ResultWriter {
 public:
  struct Layout {
    int skeleton_joints = 0;
    std::vector<int> joints;  // that are sent, in order
    bool root = false;        // root positions are sent
    int translated = 0;       // joints whose translations are sent
    int chains = 0;
    int feet = 0;
    std::vector<int> velocity_joints;  // whose angular velocities are sent
    std::int64_t max_bytes = 0;        // 0: never cut
  };

  explicit ResultWriter(Layout layout);

  // Frames that still fit into the reply under way, at least 1: pass no more to Append.
  int Room() const;
  // Starts a reply where none is under way, and adds `solved`. Returns the message, so that the
  // caller adds what belongs to its chains and feet for these frames.
  v1::MotionResult& Append(const SolvedFrames& solved);
  // Ends the reply under way, if any, and moves it into `replies`.
  void Flush(std::vector<v1::SolveStreamResponse>& replies);
  // Bytes of an answer of `frames` frames.
  std::int64_t Bytes(std::int64_t frames) const { return frames * frame_bytes_; }

 private:
  void AppendRotations(const SolvedFrames& solved, v1::MotionResult& out) const;

  Layout layout_;
  bool all_in_order_;
  std::int64_t frame_bytes_;
  bool first_ = true;
  bool open_ = false;
  v1::SolveStreamResponse reply_;
};

}  // namespace ikstream
