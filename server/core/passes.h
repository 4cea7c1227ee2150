// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Solves in more than one pass over the frames of a job.
#pragma once

#include <cstddef>

#include "core/chain_job.h"

namespace ikstream {

using LaneRun = void (*)(const ChainJob& job, LaneSpace& space);

// Solves by `run`. Where a rotation target at the tip keeps the end from its position, position
// comes first: such frames are solved again without it, and the nearer answer stays.
void SolvePositionFirst(LaneRun run, const ChainJob& job, LaneSpace& space);

// Solves by `first` with `first_iterations` at most, then goes on with frames that ended
// LIMITED, STALLED or at ITERATION_LIMIT from where they are by `finish`, with the rest.
// Iterations add up to no more than the job's. `depth`: of a call within `finish`, 0 outside.
void SolveAndFinish(LaneRun first, int first_iterations, LaneRun finish, const ChainJob& job,
                    LaneSpace& space, size_t depth = 0);

}  // namespace ikstream
