// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// One joint's limit, checked. Thread-safe.
#pragma once

#include "absl/status/statusor.h"
#include "core/rig.h"
#include "ikstream/v1/rig.pb.h"

namespace ikstream {

// Field paths are relative to the limit (`hinge.max_rad`).
absl::StatusOr<JointLimit> ToJointLimit(const v1::JointLimit& in);

}  // namespace ikstream
