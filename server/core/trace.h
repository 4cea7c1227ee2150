// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// How a solver comes to its answer on one frame, iteration by iteration.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "core/rig.h"
#include "core/solve.h"

namespace ikstream {

struct SolveTrace {
  SolveStatus status = SolveStatus::kSkipped;
  // Entry 0 is the start pose; entry i the pose after i iterations (the best so far).
  std::vector<float> errors;           // distance to the asked target, rig units;
                                       // of the ray to it where the chain aims
  std::vector<float> positions;        // 3 (bones + 1) each, in the space of root_positions
  std::vector<std::int32_t> clamps;    // joints that stand at their limit
  std::vector<int> joints;             // skeleton indices of local_rotations
  std::vector<float> local_rotations;  // the answer, x y z w
  std::optional<Vec3f> root;           // the answer's root position, where it may move
  double solve_seconds = 0;            // of the whole solve
};

// Traces chain `chain` by the solver of that name (empty: its own) on the first frame of
// `motion`, at weight 1, the pose as it is given (chains before it are not solved). `targets`
// holds an entry per chain of the rig: "body" solves the chain's whole group, without those
// that have weight 0 in this frame. Errors: `solver` unknown or unfit for the chain; `chain`
// out of range; CANCELLED where `stop`, asked before each iteration, says so. Thread-safe.
absl::StatusOr<SolveTrace> TraceSolve(
    const Rig& rig, int chain, absl::string_view solver, const MotionView& motion,
    std::span<const ChainTargets> targets,
    const std::function<bool()>& stop = [] { return false; });

}  // namespace ikstream
