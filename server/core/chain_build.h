// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Checks one chain of a rig and measures it. Used by Rig::Create only.
#pragma once

#include "absl/status/statusor.h"
#include "core/rig.h"

namespace ikstream {

// REQUIRES: the skeleton, limits, stiffness and translated joints of `rig` are set. Errors name
// fields of the chain (`end_joint`), or of the rig where a limit is at fault
// (`limits[3].axis`).
absl::StatusOr<Chain> BuildChain(const Rig& rig, ChainSpec spec);

}  // namespace ikstream
