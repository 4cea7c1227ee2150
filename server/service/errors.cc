// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "service/errors.h"

#include <random>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/field_error.h"

namespace ikstream {
namespace {

constexpr char kReason[] = "ikstream/reason";
constexpr char kRetry[] = "ikstream/retry_ms";
constexpr char kMetadata[] = "ikstream/metadata/";  // + key

void SetFact(absl::Status& status, absl::string_view key, absl::string_view value) {
  status.SetPayload(key, absl::Cord(value));
}

void SetMetadata(absl::Status& status, absl::string_view key, std::int64_t value) {
  SetFact(status, absl::StrCat(kMetadata, key), absl::StrCat(value));
}

// Spread out, so that callers refused together do not come back together.
int RetryMs() {
  thread_local std::minstd_rand random{std::random_device{}()};
  return std::uniform_int_distribution<int>(50, 150)(random);
}

absl::Status Full(absl::string_view reason, absl::string_view text, int limit) {
  absl::Status status = absl::ResourceExhaustedError(text);
  SetFact(status, kReason, reason);
  SetFact(status, kRetry, absl::StrCat(RetryMs()));
  SetMetadata(status, "limit", limit);
  return status;
}

std::string DefaultReason(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
      return "INVALID_FIELD";
    case absl::StatusCode::kFailedPrecondition:
      return "WRONG_ORDER";
    case absl::StatusCode::kResourceExhausted:
      return "TOO_LARGE";
    case absl::StatusCode::kUnimplemented:
      return "NOT_SERVED";
    default:
      return absl::StatusCodeToString(status.code());
  }
}

}  // namespace

absl::Status QueueFull(int capacity) {
  return Full("QUEUE_FULL",
              absl::StrCat("the server is busy: ", capacity,
                           " pieces of work wait already; try again, or another replica"),
              capacity);
}

absl::Status StreamsFull(int limit) {
  return Full("STREAMS_FULL",
              absl::StrCat("the server is busy: its limit of ", limit,
                           " streams is reached; try again, or another replica"),
              limit);
}

absl::Status Draining() {
  absl::Status status =
      absl::UnavailableError("the server is shutting down; try again with another replica");
  SetFact(status, kReason, "DRAINING");
  return status;
}

absl::Status TooLarge(absl::string_view field, std::int64_t size, std::int64_t limit) {
  absl::Status status = FieldError(absl::StatusCode::kResourceExhausted, field,
                                   absl::StrCat(size, " is more than the limit of ", limit));
  SetMetadata(status, "limit", limit);
  return status;
}

absl::Status GivenUp(bool expired) {
  return expired ? absl::DeadlineExceededError("the call's deadline has passed")
                 : absl::CancelledError("the caller cancelled the call");
}

absl::Status WithFramesDone(absl::Status status, std::int64_t frames) {
  if (!status.ok()) SetMetadata(status, "frames_done", frames);
  return status;
}

ErrorFacts FactsOf(const absl::Status& status) {
  ErrorFacts facts;
  facts.field = FieldOf(status);
  if (FrameOf(status) >= 0) facts.metadata["frame"] = absl::StrCat(FrameOf(status));
  status.ForEachPayload([&facts](absl::string_view key, const absl::Cord& value) {
    int ms = 0;
    if (key == kReason) facts.reason = std::string(value);
    if (key == kRetry && absl::SimpleAtoi(std::string(value), &ms)) {
      facts.retry = std::chrono::milliseconds(ms);
    }
    if (absl::ConsumePrefix(&key, kMetadata))
      facts.metadata[std::string(key)] = std::string(value);
  });
  if (facts.reason.empty()) facts.reason = DefaultReason(status);
  // What was too large once is too large again.
  const bool too_large = status.code() == absl::StatusCode::kResourceExhausted;
  if (too_large && !facts.retry) facts.retry = std::chrono::milliseconds(-1);
  return facts;
}

void CountEnd(const absl::Status& status, CallMetrics& metrics) {
  metrics.Ended(status.code());
  if (status.ok()) return;
  static const std::map<std::string, Rejection>* const kRejections =
      new std::map<std::string, Rejection>{
          {"QUEUE_FULL", Rejection::kQueueFull},
          {"STREAMS_FULL", Rejection::kStreamsFull},
          {"TOO_LARGE", Rejection::kTooLarge},
          {"DRAINING", Rejection::kDraining},
          {"UNAUTHENTICATED", Rejection::kUnauthenticated},
      };
  const auto found = kRejections->find(FactsOf(status).reason);
  if (found != kRejections->end()) metrics.Rejected(found->second);
}

}  // namespace ikstream
