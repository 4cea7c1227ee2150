// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Messages for people go to the error stream; stdout is data.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "cli/exit_code.h"

namespace ikstream::cli {

// "ikstream: error: SUBJECT: what happened", with the fields at fault, on the error stream.
// SUBJECT may be empty. Returns the exit code.
ExitCode Fail(const std::string& subject, const absl::Status& status);

// One line on the error stream.
void Note(const std::string& line);

// Keeps this text as the last line of the error stream, below what Note writes; empty: none.
// Only for a terminal.
void ShowStatusLine(const std::string& text);

// Writes data to stdout and says whether that went well (a closed pipe, a full disk).
absl::Status Print(const std::string& data);

// The error of a call in one line: its text, and the frame and fields that the text lacks.
std::string Describe(const absl::Status& status);
// The same with what it is about in front, where the text does not begin with that.
std::string Describe(const std::string& subject, const absl::Status& status);

}  // namespace ikstream::cli
