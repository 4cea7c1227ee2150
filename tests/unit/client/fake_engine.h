// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// An engine whose calls end as a test says, to see what the client makes of it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "cpp/engine.h"

namespace ikstream::client {

// What one call does: answers this many batches, then ends with `end` (OK: when the writer is
// done). Waits with each answer until it is read, so at most one is unread.
struct FakeCall {
  absl::Status at_open = {};
  int batches = 1 << 30;
  absl::Status end = {};
  bool hangs = false;  // is never taken
};

// Answers each batch by its frame count.
class FakeClip final : public ClipStream {
 public:
  FakeClip(FakeCall call, Cancellation& cancellation, std::atomic<int>& most_unread)
      : call_(std::move(call)),
        most_unread_(most_unread),
        watch_(cancellation, [this]() { Cancel(); }) {
    ready_.set_max_batch_frames(4);
  }

  const v1::StreamReady& ready() const override { return ready_; }

  bool Push(const v1::SolveStreamRequest& request) override {
    std::unique_lock<std::mutex> lock(mutex_);
    if (!request.has_motion()) return true;
    changed_.wait(lock, [this]() { return over_ || unread_.empty(); });
    if (over_) return false;
    if (answered_++ >= call_.batches) return End(call_.end);
    Reply reply;
    reply.mutable_motion()->set_frame_count(request.motion().root_positions_size() / 3);
    unread_.push_back(std::move(reply));
    most_unread_ = std::max(most_unread_.load(), static_cast<int>(unread_.size()));
    changed_.notify_all();
    return true;
  }

  void HalfClose() override {
    std::lock_guard<std::mutex> lock(mutex_);
    End(call_.batches < (1 << 30) ? call_.end : absl::OkStatus());
  }

  absl::StatusOr<std::optional<Reply>> Next() override {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this]() { return over_ || !unread_.empty(); });
    if (!unread_.empty()) {
      Reply reply = std::move(unread_.front());
      unread_.pop_front();
      changed_.notify_all();
      return reply;
    }
    if (!status_.ok()) return status_;
    return std::nullopt;
  }

  void Cancel() override {
    std::lock_guard<std::mutex> lock(mutex_);
    End(absl::CancelledError(""));
  }

 private:
  bool End(absl::Status status) {
    if (!over_) status_ = std::move(status);
    over_ = true;
    changed_.notify_all();
    return false;
  }

  const FakeCall call_;
  std::atomic<int>& most_unread_;
  v1::StreamReady ready_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Reply> unread_;
  int answered_ = 0;
  bool over_ = false;
  absl::Status status_;
  const Cancellation::Watch watch_;
};

class FakeEngine final : public Engine {
 public:
  explicit FakeEngine(std::vector<FakeCall> calls) : calls_(std::move(calls)) {}

  absl::StatusOr<v1::GetServerInfoResponse> Info() override {
    return v1::GetServerInfoResponse();
  }
  absl::Status Health() override { return absl::OkStatus(); }
  absl::StatusOr<v1::TraceResponse> Trace(const v1::TraceRequest&) override {
    return v1::TraceResponse();
  }
  absl::StatusOr<v1::SolveResponse> Solve(const v1::SolveRequest&) override {
    return v1::SolveResponse();
  }
  std::string name() const override { return "fake"; }

  // The last call repeats.
  absl::StatusOr<std::unique_ptr<ClipStream>> OpenClip(const v1::Setup&,
                                                       Cancellation& cancellation) override {
    const FakeCall& call = calls_[std::min<std::size_t>(opened++, calls_.size() - 1)];
    if (!call.at_open.ok()) return call.at_open;
    if (call.hangs) {
      while (cancellation.Sleep(absl::Seconds(1))) {
      }
      return absl::CancelledError("");
    }
    return std::make_unique<FakeClip>(call, cancellation, most_unread);
  }

  bool Pause(absl::Duration longest, Cancellation& cancellation) override {
    ++pauses;
    return Engine::Pause(longest, cancellation);
  }

  std::size_t opened = 0;
  int pauses = 0;
  std::atomic<int> most_unread{0};

 private:
  const std::vector<FakeCall> calls_;
};

}  // namespace ikstream::client
