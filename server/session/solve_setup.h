// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// What chains-to-targets calls (mode SOLVE, Trace) read of a setup. Thread-safe.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "convert/limits.h"
#include "convert/warnings.h"
#include "core/rig.h"
#include "ikstream/v1/service.pb.h"

namespace ikstream {

// The rig, with at least one chain. Errors name fields that start at `setup`, also where it
// has parts that these calls do not serve.
absl::StatusOr<std::shared_ptr<const Rig>> ReadSolveRig(const v1::Setup& setup,
                                                        const Limits& limits,
                                                        Warnings& warnings);

// An error where a motion has parts that these calls have no use for.
absl::Status CheckSolveMotion(const v1::Motion& motion);

}  // namespace ikstream
