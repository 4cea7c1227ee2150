// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// CleanupSettings between wire and core. Thread-safe.
#pragma once

#include "absl/status/statusor.h"
#include "ikstream/v1/cleanup.pb.h"
#include "motion/settings.h"

namespace ikstream {

// Checked; field paths are relative to the message (`contact.enter_speed`).
absl::StatusOr<CleanupSettings> ToSettings(const v1::CleanupSettings& in);
v1::CleanupSettings ToProto(const CleanupSettings& in);

}  // namespace ikstream
