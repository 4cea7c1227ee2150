// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// What every answer of the core must hold to, judged by forward kinematics in double precision.
#pragma once

#include "fuzz/core_answers.h"

namespace ikstream::fuzz {

// Ends the process where a promise is broken.
void CheckAnswers(const Rig& rig, const CoreScene& scene, const CoreAnswers& answers);

}  // namespace ikstream::fuzz
