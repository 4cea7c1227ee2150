// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// One chain over a list of frames, as solvers get it; and the memory they work in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/rig.h"
#include "core/solve.h"

namespace ikstream {

// Rotations to start from: those of turned joint k of frame f are the four floats at
// data + f * frame_stride + offsets[k].
struct RotationRows {
  const float* data = nullptr;
  std::ptrdiff_t frame_stride = 0;
  const std::ptrdiff_t* offsets = nullptr;

  const float* at(int frame, size_t k) const {
    return data + frame * frame_stride + offsets[k];
  }
};

// What a solve of one frame came to. The pose is that at weight 1.
struct FrameOutcome {
  SolveStatus status = SolveStatus::kSkipped;
  bool changed = false;  // false: the input's bits are the answer
  std::int32_t iterations = 0;
  float residual = 0;        // distance of the end to the asked target
  float residual_angle = 0;  // to the rotation target
  float depth = 0;           // of the deepest bone inside a collider
};

struct ChainJob {
  const Chain* chain = nullptr;
  const MotionView* motion = nullptr;
  int translations = 0;  // T: translated joints of the rig
  // The pose as earlier chains left it, by joint: frame f, joint j at pose + 4 (J f + j).
  const float* pose = nullptr;
  int joints = 0;
  RotationRows start;   // the turned joints' rotations to start from
  RotationRows before;  // those of the input, whose end rotation may be kept
  bool clamp_start = true;
  const ChainTargets* targets = nullptr;
  const float* bends = nullptr;      // unit directions to bend to, 3 per frame, in the space of
                                     // root_positions; zero: none there; null: no pole at all
  const float* colliders = nullptr;  // 6 per collider of the chain and frame (ColliderTrack)
  std::span<const std::int32_t> frames;  // which to solve
  int max_iterations = 16;
  bool ignore_rotation = false;  // position first: the rotation target is only measured
  // Answers, indexed by frame: 4 floats per turned joint; outcomes.
  float* solved = nullptr;
  FrameOutcome* outcomes = nullptr;

  bool has_rotation_target() const {
    return static_cast<bool>(targets->rotations) || chain->spec.keep_end_rotation;
  }
};

// Scratch memory that belongs to one worker: grows to what a chain needs, then stays.
class LaneSpace {
 public:
  static constexpr size_t kAlignment = 64;

  // At least `count` floats, aligned to kAlignment; contents are not kept. `which` tells
  // independent areas apart.
  float* Floats(size_t which, size_t count);
  // The same for integers; the areas are others.
  std::int32_t* Ints(size_t which, size_t count);

 private:
  struct Free {
    void operator()(float* p) const { ::operator delete[](p, std::align_val_t{kAlignment}); }
  };
  struct Area {
    std::unique_ptr<float[], Free> data;
    size_t size = 0;
  };
  std::vector<Area> areas_;
  std::vector<std::vector<std::int32_t>> ints_;
};

}  // namespace ikstream
