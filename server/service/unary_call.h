// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The life of a call with one answer, apart from gRPC: queued, solved on a worker, ended once.
#pragma once

#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "metrics/call_metrics.h"
#include "pool/pool.h"
#include "session/stop.h"

namespace ikstream {

// Thread-safe. Lives as long as its work.
class UnaryCall : public std::enable_shared_from_this<UnaryCall> {
 public:
  // Runs on a worker.
  using Work = std::function<absl::Status(const Stop& stop, CallMetrics& metrics)>;
  // Told exactly once, on any thread; after it nothing of the call's caller is touched.
  using Finish = std::function<void(const absl::Status& status)>;

  UnaryCall(Pool& pool, PriorityClass priority, CallMetrics metrics,
            Stop::Clock::time_point deadline, Work work, Finish finish);

  // Begins, by one of these, once.
  void Start();
  void Refuse(const absl::Status& status) { End(status); }

  // Ends at once where it waits; where it runs, its work is told to stop.
  void Cancel();

 private:
  void Run(const Pool::Turn& turn);
  void End(const absl::Status& status);

  Pool& pool_;
  const PriorityClass priority_;
  CallMetrics metrics_;
  Stop stop_;
  const std::shared_ptr<Pool::Strand> strand_;
  Work work_;
  Finish finish_;
};

}  // namespace ikstream
