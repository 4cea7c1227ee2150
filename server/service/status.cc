// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "service/status.h"

#include <chrono>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "service/errors.h"
#include "spdlog/spdlog.h"

namespace ikstream {
namespace {

constexpr std::size_t kMaxText = 1024;
constexpr std::size_t kMaxField = 512;
constexpr char kPushback[] = "grpc-retry-pushback-ms";

// Cut between characters of UTF-8.
std::string Cut(absl::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return absl::StrCat(text.substr(0, end), "...");
}

void AddDetails(const ErrorFacts& facts, const std::string& text, google::rpc::Status& out) {
  if (!facts.field.empty()) {
    google::rpc::BadRequest bad;
    auto& violation = *bad.add_field_violations();
    violation.set_field(Cut(facts.field, kMaxField));
    violation.set_description(text);
    out.add_details()->PackFrom(bad);
  }
  google::rpc::ErrorInfo info;
  info.set_reason(facts.reason);
  info.set_domain("ikstream");
  info.mutable_metadata()->insert(facts.metadata.begin(), facts.metadata.end());
  out.add_details()->PackFrom(info);
  if (facts.retry && facts.retry->count() >= 0) {
    google::rpc::RetryInfo retry;
    const auto ms = facts.retry->count();
    retry.mutable_retry_delay()->set_seconds(ms / 1000);
    retry.mutable_retry_delay()->set_nanos(static_cast<int>(ms % 1000) * 1'000'000);
    out.add_details()->PackFrom(retry);
  }
}

// Faults of ours are errors; what a caller can mend is told; what comes in floods when the
// server is full, or is fine, only on request.
spdlog::level::level_enum LevelOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInternal:
    case absl::StatusCode::kUnknown:
      return spdlog::level::err;
    case absl::StatusCode::kOk:
    case absl::StatusCode::kCancelled:
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kResourceExhausted:
      return spdlog::level::debug;
    default:
      return spdlog::level::info;
  }
}

void Log(const absl::Status& status, absl::string_view method,
         const grpc::ServerContextBase& context) {
  const auto level = LevelOf(status);
  if (!spdlog::should_log(level)) return;
  std::string line = absl::StrCat(method, " ", absl::StatusCodeToString(status.code()));
  if (!status.ok()) {
    absl::StrAppend(&line, ": ", absl::CHexEscape(Cut(status.message(), kMaxText)));
  }
  const auto found = context.client_metadata().find("traceparent");
  if (found != context.client_metadata().end()) {
    const absl::string_view id(found->second.data(), found->second.size());
    absl::StrAppend(&line, " traceparent=", absl::CHexEscape(Cut(id, 128)));
  }
  spdlog::log(level, "{}", line);
}

}  // namespace

grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  const std::string text = Cut(status.message(), kMaxText);
  google::rpc::Status out;
  out.set_code(static_cast<int>(status.code()));
  out.set_message(text);
  AddDetails(FactsOf(status), text, out);
  return {static_cast<grpc::StatusCode>(status.code()), text, out.SerializeAsString()};
}

grpc::Status EndOfCall(const absl::Status& status, absl::string_view method,
                       grpc::ServerContextBase& context) {
  Log(status, method, context);
  if (status.ok()) return grpc::Status::OK;
  if (const auto retry = FactsOf(status).retry) {
    context.AddTrailingMetadata(kPushback, absl::StrCat(retry->count()));
  }
  return ToGrpc(status);
}

}  // namespace ikstream
