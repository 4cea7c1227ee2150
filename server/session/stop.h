// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Tells work in progress to end: the caller went away, the deadline passed, the server drains.
#pragma once

#include <atomic>
#include <chrono>

#include "absl/status/status.h"

namespace ikstream {

// Thread-safe. Work asks ShouldStop() at least every millisecond.
class Stop {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Stop(Clock::time_point deadline = Clock::time_point::max()) : deadline_(deadline) {}

  void Cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
  bool expired() const {
    return deadline_ != Clock::time_point::max() && Clock::now() >= deadline_;
  }
  bool ShouldStop() const { return cancelled() || expired(); }
  // OK, CANCELLED or DEADLINE_EXCEEDED.
  absl::Status status() const {
    if (cancelled()) return absl::CancelledError("the call was cancelled");
    if (expired()) return absl::DeadlineExceededError("the deadline passed during the solve");
    return absl::OkStatus();
  }

 private:
  std::atomic<bool> cancelled_{false};
  const Clock::time_point deadline_;
};

}  // namespace ikstream
