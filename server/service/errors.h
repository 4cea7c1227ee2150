// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Refusals of the service, and what errors carry beside code and text until status.h puts it
// on the wire: a machine-readable reason, metadata, and whether to try again.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "metrics/call_metrics.h"

namespace ikstream {

// RESOURCE_EXHAUSTED, worth another try.
absl::Status QueueFull(int capacity);
absl::Status StreamsFull(int limit);
// UNAVAILABLE: this server ends; another replica may serve.
absl::Status Draining();
// RESOURCE_EXHAUSTED, never worth another try.
absl::Status TooLarge(absl::string_view field, std::int64_t size, std::int64_t limit);
// The caller went away or ran out of time.
absl::Status GivenUp(bool expired);

// Adds the number of frames whose answers were sent. OK stays as it is.
absl::Status WithFramesDone(absl::Status status, std::int64_t frames);

struct ErrorFacts {
  std::string reason;                           // ErrorInfo.reason, UPPER_SNAKE
  std::map<std::string, std::string> metadata;  // ErrorInfo.metadata
  std::string field;                            // BadRequest's path; empty: none
  // When to try again: unset = nothing to say, negative = never.
  std::optional<std::chrono::milliseconds> retry;
};

// REQUIRES: not OK.
ErrorFacts FactsOf(const absl::Status& status);

// Observes a call's end, and the refusal where it was one.
void CountEnd(const absl::Status& status, CallMetrics& metrics);

}  // namespace ikstream
