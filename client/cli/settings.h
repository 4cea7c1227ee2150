// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// CleanupSettings from files and from `--set contact.enter_speed=0.2`.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ikstream/v1/cleanup.pb.h"

namespace ikstream::cli {

// Sets one field named by its path: "GROUP.FIELD=VALUE". Enum values may be written short and
// in any case ("rolling" for MODE_ROLLING). Unknown names are usage errors that list the names
// there are; ranges are checked by the engine.
absl::Status ApplySetting(const std::string& assignment, v1::CleanupSettings& settings);

// The file first (empty: none), then the assignments in order.
absl::StatusOr<v1::CleanupSettings> LoadSettings(const std::string& file,
                                                 const std::vector<std::string>& assignments);

}  // namespace ikstream::cli
