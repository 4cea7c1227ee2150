// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/field_error.h"

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace ikstream {
namespace {

constexpr char kField[] = "ikstream/field";
constexpr char kWhat[] = "ikstream/what";
constexpr char kFrame[] = "ikstream/frame";

std::string Payload(const absl::Status& status, const char* key) {
  const auto cord = status.GetPayload(key);
  return cord ? std::string(*cord) : std::string();
}

}  // namespace

absl::Status FieldError(absl::string_view path, absl::string_view what) {
  return FieldError(absl::StatusCode::kInvalidArgument, path, what);
}

absl::Status FieldError(absl::StatusCode code, absl::string_view path, absl::string_view what) {
  absl::Status status(code, absl::StrCat(path, ": ", what));
  status.SetPayload(kField, absl::Cord(path));
  status.SetPayload(kWhat, absl::Cord(what));
  return status;
}

absl::Status Under(absl::string_view prefix, const absl::Status& status) {
  const std::string field = FieldOf(status);
  if (status.ok() || field.empty()) return status;
  return WithField(absl::StrCat(prefix, ".", field), status);
}

absl::Status WithField(absl::string_view path, const absl::Status& status) {
  absl::Status out = FieldError(status.code(), path, Payload(status, kWhat));
  return FrameOf(status) < 0 ? out : AtFrame(std::move(out), FrameOf(status));
}

std::string FieldOf(const absl::Status& status) { return Payload(status, kField); }

absl::Status AtFrame(absl::Status status, long long frame) {
  if (!status.ok()) status.SetPayload(kFrame, absl::Cord(absl::StrCat(frame)));
  return status;
}

long long FrameOf(const absl::Status& status) {
  long long frame = -1;
  return absl::SimpleAtoi(Payload(status, kFrame), &frame) ? frame : -1;
}

}  // namespace ikstream
