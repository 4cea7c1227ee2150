// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Where something stands in a file, and how errors and warnings about it are worded:
// "file:line:column: expected X, found Y".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace ikstream::bvh {

// Both count from 1. A column is a byte of its line; a byte order mark is not counted.
struct Position {
  std::int64_t line = 1;
  std::int64_t column = 1;
};

// A piece of the file for use in a message: in quotes, shortened, unprintable bytes escaped.
std::string Quoted(std::string_view text);

inline constexpr std::string_view kEndOfFile = "the end of the file";

class Reporter {
 public:
  Reporter(std::string file_name, bool strict)
      : file_name_(std::move(file_name)), strict_(strict) {}

  // INVALID_ARGUMENT "file:line:column: expected X, found Y".
  absl::Status Error(Position at, std::string_view expected, std::string_view found) const;

  // Something that a lenient reader can live with: an error when strict, else a warning
  // that ends with what is done about it.
  absl::Status Deviation(Position at, std::string_view expected, std::string_view found,
                         std::string_view remedy);

  // At most kMostWarnings are kept; the last one then says that there are more.
  void Warn(Position at, std::string_view text);

  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  static constexpr std::size_t kMostWarnings = 100;

  std::string At(Position at) const;

  std::string file_name_;
  bool strict_;
  std::vector<std::string> warnings_;
};

}  // namespace ikstream::bvh
