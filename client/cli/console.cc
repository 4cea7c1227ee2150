// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cli/console.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cpp/errors.h"

namespace ikstream::cli {
namespace {

std::mutex output_mutex;  // lines of several clips at once stay whole

std::string& StatusLine() {
  static std::string& line = *new std::string;
  return line;
}

void EraseStatusLine() {
  if (!StatusLine().empty()) (void)std::fputs("\r\033[K", stderr);
}

void DrawStatusLine() {
  if (!StatusLine().empty()) (void)std::fprintf(stderr, "%s", StatusLine().c_str());
}

}  // namespace

std::string Describe(const absl::Status& status) {
  std::string text(status.message());
  if (text.empty()) text = absl::StatusCodeToString(status.code());
  for (const client::FieldViolation& v : client::FieldViolations(status)) {
    if (!absl::StrContains(text, v.field)) {
      absl::StrAppend(&text, "; ", v.field, ": ", v.description);
    }
  }
  if (const long long frame = client::ErrorFrame(status); frame >= 0) {
    absl::StrAppend(&text, " (frame ", frame, ")");
  }
  return text;
}

std::string Describe(const std::string& subject, const absl::Status& status) {
  std::string text = Describe(status);
  // Errors of files name the file already, with line and column.
  if (subject.empty() || absl::StartsWith(text, subject)) return text;
  return absl::StrCat(subject, ": ", text);
}

ExitCode Fail(const std::string& subject, const absl::Status& status) {
  Note(absl::StrCat("ikstream: error: ", Describe(subject, status)));
  return ExitCodeFor(status);
}

void Note(const std::string& line) {
  std::lock_guard<std::mutex> lock(output_mutex);
  EraseStatusLine();
  (void)std::fprintf(stderr, "%s\n", line.c_str());
  DrawStatusLine();
}

void ShowStatusLine(const std::string& text) {
  std::lock_guard<std::mutex> lock(output_mutex);
  EraseStatusLine();
  StatusLine() = text;
  DrawStatusLine();
}

absl::Status Print(const std::string& data) {
  std::lock_guard<std::mutex> lock(output_mutex);
  EraseStatusLine();
  const bool ok = std::fwrite(data.data(), 1, data.size(), stdout) == data.size() &&
                  std::fflush(stdout) == 0;
  DrawStatusLine();
  return ok ? absl::OkStatus() : FileError(absl::StrCat("stdout: ", std::strerror(errno)));
}

}  // namespace ikstream::cli
