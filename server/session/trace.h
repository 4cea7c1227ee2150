// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// One frame of one chain, solver by solver, iteration by iteration. Thread-safe.
#pragma once

#include "absl/status/statusor.h"
#include "convert/limits.h"
#include "ikstream/v1/service.pb.h"
#include "session/stop.h"

namespace ikstream {

// Each trace ends with the pose that Solve answers for that solver at weight 1 where the chain
// is the rig's only one. Errors name `chain`, `solvers[1]`, or fields of the setup and motion;
// RESOURCE_EXHAUSTED where the answer would be too large; CANCELLED or DEADLINE_EXCEEDED where
// `stop` says so.
absl::StatusOr<v1::TraceResponse> TraceFrame(const v1::TraceRequest& request,
                                             const Limits& limits, const Stop& stop);

}  // namespace ikstream
