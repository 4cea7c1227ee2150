// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Errors that name the field at fault, so that callers can be told
// `setup.rig.chains[2].end_joint: 99 is out of range [0, 31)`.
//
// A function that checks a part names fields relative to that part; whoever calls it puts its
// own path in front with Under(). Thread-safe.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace ikstream {

// An INVALID_ARGUMENT whose message is "path: what". REQUIRES: path is not empty.
absl::Status FieldError(absl::string_view path, absl::string_view what);

// The same with another code (RESOURCE_EXHAUSTED, UNIMPLEMENTED).
absl::Status FieldError(absl::StatusCode code, absl::string_view path, absl::string_view what);

// `status` with "prefix." before its field path. OK and errors without a field stay as they
// are.
absl::Status Under(absl::string_view prefix, const absl::Status& status);

// The same error for the field `path` instead. REQUIRES: FieldOf(status) is not empty.
absl::Status WithField(absl::string_view path, const absl::Status& status);

// The field path of an error, empty where it names none.
std::string FieldOf(const absl::Status& status);

// The absolute frame an error is about; -1 where it names none.
absl::Status AtFrame(absl::Status status, long long frame);
long long FrameOf(const absl::Status& status);

}  // namespace ikstream
