// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Tells work in progress to end: the caller went away, the deadline passed, the server drains.
#pragma once

#include <atomic>
#include <chrono>

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

 private:
  std::atomic<bool> cancelled_{false};
  const Clock::time_point deadline_;
};

}  // namespace ikstream
