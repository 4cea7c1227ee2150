// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Measures poses against their targets, and clamps them to their limits, without solving.
#pragma once

#include "core/chain_job.h"

namespace ikstream {

// Fills residual and residual_angle of the frames' outcomes from the rotations in job.start;
// job.before tells which end rotation is kept. Limits are not applied.
void MeasureFrames(const ChainJob& job, LaneSpace& space);

// Clamps rows of job.solved (in place) to the joints' limits; what is inside keeps its bits.
// Sets `changed` of frames that it moved.
void ClampFrames(const ChainJob& job, LaneSpace& space);

}  // namespace ikstream
