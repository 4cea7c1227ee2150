// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// What is observed of one call, from its begin to its end.
#pragma once

#include <chrono>
#include <cstdint>

#include "absl/status/status.h"
#include "ikstream/v1/service.pb.h"
#include "metrics/metrics.h"
#include "session/session.h"

namespace ikstream {

// Begin and end of a call may be observed on one thread while its work is observed on another:
// the two halves below share nothing. Each half is for one thread at a time.
class CallMetrics {
 public:
  using Clock = std::chrono::steady_clock;

  // Counts the call as begun. REQUIRES: `metrics` outlives this.
  CallMetrics(Metrics& metrics, Method method);

  // The transport's half.
  void Received(std::int64_t bytes);
  void Sent(std::int64_t bytes);
  void Rejected(Rejection reason) { metrics_->rejected(reason).Increment(); }
  // The call's end, once.
  void Ended(absl::StatusCode code);

  // The worker's half.
  void Waited(PriorityClass priority, Clock::duration wait);
  void Expired(PriorityClass priority) { metrics_->deadline_dropped(priority).Increment(); }
  void Batch(std::int64_t frames);
  void Worked(const WorkStats& work);
  void Cleaned(const v1::QualityReport& report);

 private:
  double SinceBegin() const;

  Metrics* const metrics_;
  const Method method_;
  const Clock::time_point begin_ = Clock::now();
  bool answered_ = false;
};

}  // namespace ikstream
