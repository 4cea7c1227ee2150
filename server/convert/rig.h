// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Setup -> Rig: checks everything the setup says of the skeleton, its chains and their limits.
// Thread-safe.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "convert/limits.h"
#include "convert/warnings.h"
#include "core/rig.h"
#include "ikstream/v1/service.pb.h"

namespace ikstream {

// Errors: INVALID_ARGUMENT, RESOURCE_EXHAUSTED, or UNIMPLEMENTED for what this version does
// not serve; field paths start at `setup`.
absl::StatusOr<std::shared_ptr<const Rig>> ToRig(const v1::Setup& setup, const Limits& limits,
                                                 Warnings& warnings);

}  // namespace ikstream
