// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// What every answer of the core must hold to, judged by forward kinematics in double precision.
#pragma once

#include "fuzz/core_scene.h"

namespace ikstream::fuzz {

struct ChainAnswers {
  std::vector<SolveStatus> statuses;
  std::vector<std::int32_t> iterations;
  std::vector<float> residuals, angles, velocities;
};

struct CoreAnswers {
  std::vector<float> rotations, roots;
  std::vector<ChainAnswers> chains;
};

// Solves in batches of `batch` frames.
CoreAnswers SolveScene(std::shared_ptr<const Rig> rig, const CoreScene& scene, int batch);

// Ends the process where a promise is broken.
void CheckAnswers(const Rig& rig, const CoreScene& scene, const CoreAnswers& answers);
void RequireSameBits(const CoreAnswers& a, const CoreAnswers& b);

}  // namespace ikstream::fuzz
