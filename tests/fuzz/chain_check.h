// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// What one chain's answers must hold to: true residuals, and no end worse than the start.
#pragma once

#include "fuzz/core_answers.h"

namespace ikstream::fuzz {

// Ends the process where a promise is broken. What other chains disturb is left out.
void CheckChain(const Rig& rig, const CoreScene& scene, const CoreAnswers& answers,
                size_t chain);

}  // namespace ikstream::fuzz
