// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// A scene solved by the core, in batches.
#pragma once

#include <memory>
#include <vector>

#include "fuzz/core_scene.h"

namespace ikstream::fuzz {

struct ChainAnswers {
  std::vector<SolveStatus> statuses;
  std::vector<std::int32_t> iterations;
  std::vector<float> residuals, angles, velocities, depths;
};

struct CoreAnswers {
  std::vector<float> rotations, roots, translations;
  std::vector<ChainAnswers> chains;
};

// Solves in batches of `batch` frames, or as many more as Rig::frames_together asks for.
CoreAnswers SolveScene(std::shared_ptr<const Rig> rig, const CoreScene& scene, int batch);

// Ends the process where they differ in a bit.
void RequireSameBits(const CoreAnswers& a, const CoreAnswers& b);

}  // namespace ikstream::fuzz
