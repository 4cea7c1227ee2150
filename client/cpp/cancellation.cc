// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cpp/cancellation.h"

#include <utility>

namespace ikstream::client {

Cancellation::Watch::Watch(Cancellation& cancellation, std::function<void()> action)
    : cancellation_(cancellation) {
  std::lock_guard<std::mutex> lock(cancellation_.mutex_);
  place_ = cancellation_.actions_.insert(cancellation_.actions_.end(), std::move(action));
  if (cancellation_.cancelled_) (*place_)();
}

Cancellation::Watch::~Watch() {
  std::lock_guard<std::mutex> lock(cancellation_.mutex_);
  cancellation_.actions_.erase(place_);
}

void Cancellation::Cancel() {
  std::lock_guard<std::mutex> lock(mutex_);
  cancelled_ = true;
  for (const auto& action : actions_) action();
  changed_.notify_all();
}

bool Cancellation::cancelled() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return cancelled_;
}

bool Cancellation::Sleep(absl::Duration duration) const {
  std::unique_lock<std::mutex> lock(mutex_);
  return !changed_.wait_for(lock, absl::ToChronoNanoseconds(duration),
                            [this]() { return cancelled_; });
}

}  // namespace ikstream::client
