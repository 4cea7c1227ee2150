// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The calls in progress: admits them, counts them, and ends them when the server drains.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "absl/status/status.h"
#include "metrics/metrics.h"

namespace ikstream {

// A call that can be asked to end early.
class Drainable {
 public:
  virtual ~Drainable() = default;
  // Thread-safe; may come at any time, and after the call's end.
  virtual void Drain() = 0;
};

// Thread-safe.
class Calls {
 public:
  using Clock = std::chrono::steady_clock;

  // A place among the calls in progress, given back when destroyed. Must not outlive Calls.
  class Pass {
   public:
    Pass() = default;
    Pass(Pass&& other) noexcept { *this = std::move(other); }
    Pass& operator=(Pass&& other) noexcept;
    ~Pass() { Leave(); }

   private:
    friend class Calls;
    Pass(Calls* calls, std::uint64_t stream) : calls_(calls), stream_(stream) {}
    void Leave();

    Calls* calls_ = nullptr;
    std::uint64_t stream_ = 0;  // 0: not a stream
  };

  // REQUIRES: `metrics` outlives this.
  Calls(Metrics& metrics, int max_streams);

  // Refuses with Draining().
  absl::Status Enter(Pass& pass);
  // Refuses with Draining() or StreamsFull(). `call` is told when the server drains.
  absl::Status EnterStream(std::weak_ptr<Drainable> call, Pass& pass);

  // Refuses calls from now on and tells the streams in progress.
  void Drain();
  // True once no call is in progress, false at the deadline.
  bool WaitIdle(Clock::time_point deadline);

 private:
  void Leave(std::uint64_t stream);
  Pass Admit(std::uint64_t stream);  // with mutex_

  Metrics& metrics_;
  const int max_streams_;
  std::mutex mutex_;
  std::condition_variable idle_;
  bool draining_ = false;
  int active_ = 0;
  std::uint64_t last_stream_ = 0;
  std::map<std::uint64_t, std::weak_ptr<Drainable>> streams_;
};

}  // namespace ikstream
