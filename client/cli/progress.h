// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// A bar on a terminal: how much of a run is done. Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

#include "absl/base/thread_annotations.h"

namespace ikstream::cli {

class Progress {
 public:
  // Shows nothing where `enabled` is false or stderr is no terminal.
  explicit Progress(bool enabled);
  ~Progress();

  void AddTotal(std::int64_t units);
  void Add(std::int64_t units);
  // Text behind the bar: "3 of 40 clips".
  void SetText(std::string text);

 private:
  void Draw() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const bool enabled_;
  std::mutex mutex_;
  std::int64_t total_ ABSL_GUARDED_BY(mutex_) = 0;
  std::int64_t done_ ABSL_GUARDED_BY(mutex_) = 0;
  std::string text_ ABSL_GUARDED_BY(mutex_);
  std::chrono::steady_clock::time_point drawn_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace ikstream::cli
