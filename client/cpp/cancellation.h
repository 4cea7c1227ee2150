// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Ends work from another thread: the person pressed Ctrl-C, a deadline passed.
// Thread-safe.
#pragma once

#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"

namespace ikstream::client {

class Cancellation {
 public:
  // Runs `action` on the thread that cancels, at once where that has happened; never after the
  // watch is gone.
  class Watch {
   public:
    Watch(Cancellation& cancellation, std::function<void()> action);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    Cancellation& cancellation_;
    std::list<std::function<void()>>::iterator place_;
  };

  void Cancel();
  bool cancelled() const;
  // False where it was cut short.
  bool Sleep(absl::Duration duration) const;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool cancelled_ ABSL_GUARDED_BY(mutex_) = false;
  std::list<std::function<void()>> actions_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace ikstream::client
