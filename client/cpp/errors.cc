// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cpp/errors.h"

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/field_error.h"
#include "google/rpc/error_details.pb.h"

namespace ikstream::client {
namespace {

template <class Detail>
std::string TypeUrl() {
  return absl::StrCat("type.googleapis.com/", Detail::descriptor()->full_name());
}

template <class Detail>
std::optional<Detail> Find(const absl::Status& status) {
  const auto payload = status.GetPayload(TypeUrl<Detail>());
  Detail detail;
  if (!payload || !detail.ParseFromString(std::string(*payload))) return std::nullopt;
  return detail;
}

template <class Detail>
void Attach(const Detail& detail, absl::Status& status) {
  status.SetPayload(TypeUrl<Detail>(), absl::Cord(detail.SerializeAsString()));
}

}  // namespace

std::vector<FieldViolation> FieldViolations(const absl::Status& status) {
  std::vector<FieldViolation> out;
  if (const auto detail = Find<google::rpc::BadRequest>(status)) {
    for (const auto& v : detail->field_violations())
      out.push_back({v.field(), v.description()});
  }
  return out;
}

std::optional<absl::Duration> RetryDelay(const absl::Status& status) {
  const auto detail = Find<google::rpc::RetryInfo>(status);
  if (!detail || !detail->has_retry_delay()) return std::nullopt;
  return absl::Seconds(detail->retry_delay().seconds()) +
         absl::Nanoseconds(detail->retry_delay().nanos());
}

std::string ErrorReason(const absl::Status& status) {
  const auto detail = Find<google::rpc::ErrorInfo>(status);
  return detail ? detail->reason() : std::string();
}

long long ErrorFrame(const absl::Status& status) {
  const auto detail = Find<google::rpc::ErrorInfo>(status);
  if (!detail) return -1;
  const auto frame = detail->metadata().find("frame");
  long long value = -1;
  if (frame == detail->metadata().end() || !absl::SimpleAtoi(frame->second, &value)) return -1;
  return value;
}

bool IsTransient(const absl::Status& status) {
  if (status.code() == absl::StatusCode::kUnavailable) return true;
  return status.code() == absl::StatusCode::kResourceExhausted &&
         RetryDelay(status).has_value();
}

absl::Status WithDetails(const absl::Status& status) {
  const std::string field = FieldOf(status);
  if (status.ok() || field.empty()) return status;
  absl::Status out(status.code(), status.message());
  google::rpc::BadRequest bad;
  auto* violation = bad.add_field_violations();
  violation->set_field(field);
  const std::string message(status.message());
  const std::string head = absl::StrCat(field, ": ");
  violation->set_description(message.rfind(head, 0) == 0 ? message.substr(head.size())
                                                         : message);
  Attach(bad, out);
  if (FrameOf(status) >= 0) {
    google::rpc::ErrorInfo info;
    (*info.mutable_metadata())["frame"] = absl::StrCat(FrameOf(status));
    Attach(info, out);
  }
  return out;
}

}  // namespace ikstream::client
