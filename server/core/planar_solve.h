// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Solves planar chains: the solvers' methods over turns about the plane's normal.
#pragma once

#include "core/chain_job.h"

namespace ikstream {

enum class PlanarMethod { kTwoBone, kFabrik, kCcd, kJacobian };

// Solves the job's frames. The input's rotations are composed with turns about the normal only:
// what leans out of the plane stays so, and a target off the plane of the chain's end is taken
// as its foot on it, the distance told as residual. REQUIRES: job.chain->plane.
void SolvePlanar(PlanarMethod method, const ChainJob& job, LaneSpace& space);

}  // namespace ikstream
