// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "service/unary_call.h"

#include <utility>

#include "service/errors.h"

namespace ikstream {

UnaryCall::UnaryCall(Pool& pool, PriorityClass priority, CallMetrics metrics,
                     Stop::Clock::time_point deadline, Work work, Finish finish)
    : pool_(pool),
      priority_(priority),
      metrics_(metrics),
      stop_(deadline),
      strand_(pool.NewStrand(priority == PriorityClass::kInteractive
                                 ? Pool::Priority::kInteractive
                                 : Pool::Priority::kBulk,
                             deadline)),
      work_(std::move(work)),
      finish_(std::move(finish)) {}

void UnaryCall::Start() {
  auto task = [self = shared_from_this()](const Pool::Turn& turn) { self->Run(turn); };
  if (!strand_->Submit(std::move(task), Pool::Admit::kIfRoom)) {
    End(QueueFull(pool_.options().capacity));
  }
}

void UnaryCall::Cancel() {
  stop_.Cancel();
  // A task that was dropped here cannot end the call any more; one that runs will.
  if (strand_->Close() > 0) End(GivenUp(stop_.expired()));
}

void UnaryCall::Run(const Pool::Turn& turn) {
  metrics_.Waited(priority_, turn.waited);
  switch (turn.fate) {
    case Pool::Turn::Fate::kRun:
      return End(work_(stop_, metrics_));
    case Pool::Turn::Fate::kExpired:
      metrics_.Expired(priority_);
      return End(GivenUp(/*expired=*/true));
    case Pool::Turn::Fate::kStopped:
      return End(Draining());
  }
}

void UnaryCall::End(const absl::Status& status) {
  CountEnd(status, metrics_);
  finish_(status);
}

}  // namespace ikstream
