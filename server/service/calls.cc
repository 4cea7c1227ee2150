// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "service/calls.h"

#include <utility>
#include <vector>

#include "service/errors.h"

namespace ikstream {

Calls::Pass& Calls::Pass::operator=(Pass&& other) noexcept {
  if (this == &other) return *this;
  Leave();
  calls_ = std::exchange(other.calls_, nullptr);
  stream_ = std::exchange(other.stream_, 0);
  return *this;
}

void Calls::Pass::Leave() {
  if (calls_ != nullptr) std::exchange(calls_, nullptr)->Leave(stream_);
}

Calls::Calls(Metrics& metrics, int max_streams) : metrics_(metrics), max_streams_(max_streams) {
  metrics_.streams_limit().Set(max_streams);
}

absl::Status Calls::Enter(Pass& pass) {
  std::lock_guard lock(mutex_);
  if (draining_) return Draining();
  pass = Admit(0);
  return absl::OkStatus();
}

absl::Status Calls::EnterStream(std::weak_ptr<Drainable> call, Pass& pass) {
  std::lock_guard lock(mutex_);
  if (draining_) return Draining();
  if (static_cast<int>(streams_.size()) >= max_streams_) return StreamsFull(max_streams_);
  streams_.emplace(++last_stream_, std::move(call));
  metrics_.active_streams().Increment();
  pass = Admit(last_stream_);
  return absl::OkStatus();
}

Calls::Pass Calls::Admit(std::uint64_t stream) {
  ++active_;
  metrics_.active_calls().Increment();
  return Pass(this, stream);
}

void Calls::Leave(std::uint64_t stream) {
  std::lock_guard lock(mutex_);
  --active_;
  metrics_.active_calls().Decrement();
  if (streams_.erase(stream) > 0) metrics_.active_streams().Decrement();
  if (active_ == 0) idle_.notify_all();
}

void Calls::Drain() {
  std::vector<std::shared_ptr<Drainable>> streams;
  {
    std::lock_guard lock(mutex_);
    draining_ = true;
    for (const auto& [id, call] : streams_) {
      if (auto alive = call.lock()) streams.push_back(std::move(alive));
    }
  }
  for (const auto& stream : streams) stream->Drain();
}

bool Calls::WaitIdle(Clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  return idle_.wait_until(lock, deadline, [this] { return active_ == 0; });
}

}  // namespace ikstream
