// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cli/exit_code.h"

#include <algorithm>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "cpp/errors.h"

namespace ikstream::cli {
namespace {

constexpr char kCause[] = "ikstream/cli-cause";

struct CodeText {
  ExitCode code;
  const char* text;
};
constexpr CodeText kTexts[] = {
    {kOk, "all done"},
    {kSomeFailed, "some clips failed, others are done"},
    {kUsage, "the command line, or a file of settings it names, is wrong"},
    {kBadInput, "a clip or request is invalid"},
    {kUnavailable, "the server cannot be reached, drains, or is full (after retries)"},
    {kTooLarge, "a limit of the engine is exceeded"},
    {kDeadline, "the time given was not enough"},
    {kRefused, "the server refuses the caller: credentials"},
    {kFiles, "a file cannot be read or written"},
    {kUnsupported, "this version does not do that"},
    {kInternal, "a fault of the program or the server"},
    {kInterrupted, "interrupted; nothing is left half-written"},
};

absl::Status Marked(absl::StatusCode code, const std::string& what, const char* cause) {
  absl::Status status(code, what);
  status.SetPayload(kCause, absl::Cord(cause));
  return status;
}

ExitCode ByCode(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return kOk;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kOutOfRange:
      return kBadInput;
    case absl::StatusCode::kUnavailable:
      return kUnavailable;
    case absl::StatusCode::kResourceExhausted:
      return client::IsTransient(status) ? kUnavailable : kTooLarge;
    case absl::StatusCode::kDeadlineExceeded:
      return kDeadline;
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kPermissionDenied:
      return kRefused;
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kAlreadyExists:
      return kFiles;
    case absl::StatusCode::kUnimplemented:
      return kUnsupported;
    case absl::StatusCode::kCancelled:
      return kInterrupted;
    default:
      return kInternal;
  }
}

}  // namespace

ExitCode ExitCodeFor(const absl::Status& status) {
  const auto cause = status.GetPayload(kCause);
  if (!cause) return ByCode(status);
  return *cause == "usage" ? kUsage : kFiles;
}

ExitCode ExitCodeForAll(const std::vector<ExitCode>& codes) {
  if (codes.empty()) return kOk;
  if (std::find(codes.begin(), codes.end(), kInterrupted) != codes.end()) return kInterrupted;
  const bool alike = std::all_of(codes.begin(), codes.end(),
                                 [&](ExitCode code) { return code == codes.front(); });
  return alike ? codes.front() : kSomeFailed;
}

std::string ExitCodeHelp() {
  std::string help = "Exit codes:\n";
  for (const CodeText& entry : kTexts) {
    const std::string number = absl::StrCat(static_cast<int>(entry.code));
    absl::StrAppend(&help, "  ", number, std::string(5 - number.size(), ' '), entry.text, "\n");
  }
  return help;
}

absl::Status UsageError(const std::string& what) {
  return Marked(absl::StatusCode::kInvalidArgument, what, "usage");
}

absl::Status FileError(const std::string& what) {
  return Marked(absl::StatusCode::kNotFound, what, "files");
}

}  // namespace ikstream::cli
