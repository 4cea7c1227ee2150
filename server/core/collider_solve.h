// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Takes a chain's bones out of colliders, whatever solver came before.
#pragma once

#include "core/chain_job.h"

namespace ikstream {

// Fills FrameOutcome::depth from the rotations in job.start.
// REQUIRES of both: job.chain has colliders, job.colliders is set.
void MeasureDepths(const ChainJob& job, LaneSpace& space);

// After a solver has run: fills FrameOutcome::depth; frames whose answer enters a collider, or
// that the solver left unsolved, are solved again by least squares with contacts, from that
// answer, from the input and from other poses, until one is free and meets the target; else the
// least deep, then the nearest, stays. Each start has the job's iterations at most; those of
// the one that stays are told.
void ClearColliders(const ChainJob& job, LaneSpace& space);

}  // namespace ikstream
