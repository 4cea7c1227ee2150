// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cpp/bvh/position.h"

#include "absl/strings/escaping.h"
#include "cpp/bvh/text.h"

namespace ikstream::bvh {

std::string Quoted(std::string_view text) {
  constexpr std::size_t kLongest = 48;
  const bool cut = text.size() > kLongest;
  return Cat("\"", absl::Utf8SafeCHexEscape(ToAbsl(text.substr(0, kLongest))), cut ? "..." : "",
             "\"");
}

std::string Reporter::At(Position at) const {
  return Cat(file_name_, ":", at.line, ":", at.column, ": ");
}

absl::Status Reporter::Error(Position at, std::string_view expected,
                             std::string_view found) const {
  return absl::InvalidArgumentError(Cat(At(at), "expected ", expected, ", found ", found));
}

absl::Status Reporter::Deviation(Position at, std::string_view expected, std::string_view found,
                                 std::string_view remedy) {
  if (strict_) return Error(at, expected, found);
  Warn(at, Cat("expected ", expected, ", found ", found, "; ", remedy));
  return absl::OkStatus();
}

void Reporter::Warn(Position at, std::string_view text) {
  if (warnings_.size() < kMostWarnings) {
    warnings_.push_back(Cat(At(at), text));
  } else if (warnings_.size() == kMostWarnings) {
    warnings_.push_back(Cat(At(at), "there are more warnings, not listed"));
  }
}

}  // namespace ikstream::bvh
