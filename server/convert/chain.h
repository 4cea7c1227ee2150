// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// One chain of a rig, checked. Thread-safe.
#pragma once

#include "absl/status/statusor.h"
#include "convert/limits.h"
#include "core/rig.h"
#include "ikstream/v1/rig.pb.h"

namespace ikstream {

// Field paths are relative to the chain (`end_joint`). Whether the joints form a chain is
// Rig::Create's to say.
absl::StatusOr<ChainSpec> ToChain(const v1::Chain& in, int joints, const Limits& limits);

}  // namespace ikstream
