// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Calls `bark` once if it is not fed for a time: a call whose connection looks alive but whose
// replies never come must not hold a farm. Thread-safe.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/time/time.h"

namespace ikstream::client {

class Watchdog {
 public:
  // `patience` zero or less: it never barks.
  Watchdog(absl::Duration patience, std::function<void()> bark) : bark_(std::move(bark)) {
    if (patience > absl::ZeroDuration())
      thread_ = std::thread([this, patience] { Watch(absl::ToChronoMilliseconds(patience)); });
  }
  ~Watchdog() {
    {
      std::lock_guard lock(mutex_);
      done_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  void Feed() {
    std::lock_guard lock(mutex_);
    fed_ = true;
  }

 private:
  // Looks once per `patience`, so that feeding costs no wake-up: it barks after one to two.
  void Watch(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, patience, [this] { return done_; })) {
      if (!std::exchange(fed_, false)) {
        lock.unlock();
        return bark_();
      }
    }
  }

  const std::function<void()> bark_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool fed_ = true;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace ikstream::client
