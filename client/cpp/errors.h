// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// What a failed call tells beside its code and text. Details travel as payloads of the status
// under their google.rpc type, whether the call was made in this process or by network.
// All functions are pure and thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace ikstream::client {

// A field that was refused, as a path: "setup.rig.chains[2].end_joint".
struct FieldViolation {
  std::string field;
  std::string description;
};

// Empty where the error names no field.
std::vector<FieldViolation> FieldViolations(const absl::Status& status);

// How long the server asks to wait before the call is made again; nothing where it does not.
std::optional<absl::Duration> RetryDelay(const absl::Status& status);

// The reason of ErrorInfo ("DRAINING"), empty where there is none.
std::string ErrorReason(const absl::Status& status);

// The absolute frame that an error is about, -1 where it names none.
long long ErrorFrame(const absl::Status& status);

// The call may succeed if it is made again as it is: the server was away, is draining, or is
// full for now.
bool IsTransient(const absl::Status& status);

// Gives an error of our own core (core/field_error.h) the payloads that a server would send.
absl::Status WithDetails(const absl::Status& status);

}  // namespace ikstream::client
