// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Whole small files, and hashes of files of any size.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace ikstream::cli {

// Requests, settings, plans and terrain are read whole; more than this is refused.
inline constexpr std::int64_t kMaxTextBytes = 256LL << 20;

// The content of `path`, "-" for stdin. Errors name the path.
absl::StatusOr<std::string> ReadText(const std::string& path);

// Replaces `path` at once, by a temporary file beside it; "-" writes to stdout.
absl::Status WriteText(const std::string& path, const std::string& text);

absl::Status CopyToStdout(const std::string& path);

// SHA-256 in hexadecimal digits.
absl::StatusOr<std::string> Sha256OfFile(const std::string& path);

}  // namespace ikstream::cli
