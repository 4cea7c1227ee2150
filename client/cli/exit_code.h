// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// How the program ends. Listed in --help.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace ikstream::cli {

enum ExitCode : int {
  kOk = 0,
  kSomeFailed = 1,
  kUsage = 2,
  kBadInput = 3,
  kUnavailable = 4,
  kTooLarge = 5,
  kDeadline = 6,
  kRefused = 7,
  kFiles = 8,
  kUnsupported = 9,
  kInternal = 10,
  kInterrupted = 130,
};

// The code for an error; kOk for OK.
ExitCode ExitCodeFor(const absl::Status& status);

// The code for several clips: the common one where all ended alike, else kSomeFailed.
// kInterrupted wins.
ExitCode ExitCodeForAll(const std::vector<ExitCode>& codes);

// A table for --help.
std::string ExitCodeHelp();

// Marks an error as one of how the program was called.
absl::Status UsageError(const std::string& what);
// Marks an error as one of reading or writing files.
absl::Status FileError(const std::string& what);

}  // namespace ikstream::cli
