// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Jobs for the lanes themselves, without the Solver around them, and how their answers are
// compared.
#pragma once

#include <vector>

#include "core/chain_job.h"
#include "unit/core/scenes.h"

namespace ikstream {

struct LaneAnswers {
  std::vector<float> rotations;  // 4 per turned joint and frame
  std::vector<float> moves;      // of a body's root, 3 per frame
  std::vector<FrameOutcome> outcomes;
};

// Fails where one bit differs; `width` names what was compared.
void ExpectSameBits(const LaneAnswers& got, const LaneAnswers& want, const char* width);

// A job over all frames of a scene's first chain. The scene outlives this.
class ChainWork {
 public:
  // `bends`: ChainJob::bends, empty for none.
  explicit ChainWork(const Scene& scene, const std::vector<float>& bends = {});
  ChainWork(const ChainWork&) = delete;
  ChainWork& operator=(const ChainWork&) = delete;

  ChainJob job;
  LaneSpace space;
  LaneAnswers answers;  // the job's

 private:
  MotionView motion_;
  ChainTargets targets_;
  std::vector<std::int32_t> frames_;
  std::vector<float> bends_, colliders_;
};

}  // namespace ikstream
