// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The colliders of a rig, checked. Thread-safe.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "convert/limits.h"
#include "core/colliders.h"
#include "ikstream/v1/rig.pb.h"

namespace ikstream {

// Field paths are relative to the rig (`colliders[2].radius`). RESOURCE_EXHAUSTED where there
// are more than Limits::max_colliders.
absl::StatusOr<std::vector<Collider>> ToColliders(const v1::Rig& in, const Limits& limits);

}  // namespace ikstream
