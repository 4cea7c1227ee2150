// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The limits of joints, whichever chains turn them.
#pragma once

#include "fuzz/core_answers.h"

namespace ikstream::fuzz {

// The axis that a swing-twist limit of turned joint `k` takes where it names none.
Vec3d DefaultAxis(const Rig& rig, const Chain& chain, size_t k);

// Whether a chain turns its joint `k` where it has weight: the end only for a rotation.
bool Turns(const Chain& chain, const ChainTargets& targets, size_t k);

float WeightOf(const ChainTargets& targets, int frame);

// Ends the process where a joint is outside its limit by more than 1e-4 rad though all chains
// that turn it have weight 1 (or none).
void CheckLimits(const Rig& rig, const CoreScene& scene, const CoreAnswers& answers);

}  // namespace ikstream::fuzz
