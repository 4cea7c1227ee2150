// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Measures poses against their targets, and clamps them to their limits, without solving.
#pragma once

#include <cstdint>
#include <span>

#include "core/chain_job.h"

namespace ikstream {

// Fills residual and residual_angle of the frames' outcomes from the rotations in job.start;
// job.before tells which end rotation is kept. Limits are not applied.
void MeasureFrames(const ChainJob& job, LaneSpace& space);

// Clamps rows of rotations (in place) to the joints' limits; what is inside keeps its bits.
// `rows`: 4 floats per joint and frame, `outcomes`: by frame; sets `changed` where it moved
// any.
void ClampFrames(std::span<const JointBound> bounds, std::span<const std::int32_t> frames,
                 float* rows, FrameOutcome* outcomes);

}  // namespace ikstream
