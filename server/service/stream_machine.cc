// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "service/stream_machine.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "service/errors.h"

namespace ikstream {
namespace {

// What a reply may hold beside the frames that it was cut by.
constexpr std::int64_t kReplySlack = 64LL << 10;

Pool::Priority PoolPriority(PriorityClass priority) {
  return priority == PriorityClass::kInteractive ? Pool::Priority::kInteractive
                                                 : Pool::Priority::kBulk;
}

}  // namespace

StreamMachine::StreamMachine(const Parts& parts, CallShape shape, CallMetrics metrics,
                             Stop::Clock::time_point deadline)
    : transport_(&parts.transport),
      pool_(parts.pool),
      options_(parts.options),
      stop_(deadline),
      deadline_(deadline),
      metrics_(metrics),
      run_(parts.engine, parts.options, shape, metrics_) {}

void StreamMachine::Start() {
  std::lock_guard lock(mutex_);
  started_reading_ = true;
  Pump();
}

void StreamMachine::StartWhole(const v1::Setup& setup, const v1::Motion& motion) {
  std::lock_guard lock(mutex_);
  half_closed_ = true;
  metrics_.Received(static_cast<std::int64_t>(setup.ByteSizeLong() + motion.ByteSizeLong()));
  Submit([this, &setup, &motion](
             Session::Replies& replies) { return run_.Whole(setup, motion, stop_, replies); },
         setup.priority());
  Pump();
}

void StreamMachine::Refuse(const absl::Status& status) {
  std::lock_guard lock(mutex_);
  End(status);
  Pump();
}

void StreamMachine::OnRead(v1::SolveStreamRequest message) {
  std::lock_guard lock(mutex_);
  reading_ = false;
  metrics_.Received(static_cast<std::int64_t>(message.ByteSizeLong()));
  if (!end_ && !draining_) {
    const v1::Priority priority = message.setup().priority();
    auto shared = std::make_shared<v1::SolveStreamRequest>(std::move(message));
    Submit([this,
            shared](Session::Replies& replies) { return run_.Take(*shared, stop_, replies); },
           priority);
  }
  Pump();
}

void StreamMachine::OnReadEnd() {
  std::lock_guard lock(mutex_);
  reading_ = false;
  if (!end_ && !draining_) {
    half_closed_ = true;
    Submit([this](Session::Replies& replies) { return run_.Finish(stop_, replies); },
           v1::PRIORITY_UNSPECIFIED);
  }
  Pump();
}

void StreamMachine::Submit(Step step, v1::Priority priority) {
  const bool first = strand_ == nullptr;
  if (first) {
    if (priority == v1::PRIORITY_INTERACTIVE) priority_ = PriorityClass::kInteractive;
    strand_ = pool_.NewStrand(PoolPriority(priority_), deadline_);
  }
  ++unsolved_;
  auto task = [self = shared_from_this(), step = std::move(step)](const Pool::Turn& turn) {
    self->Work(step, turn);
  };
  if (strand_->Submit(std::move(task), first ? Pool::Admit::kIfRoom : Pool::Admit::kAlways)) {
    return;
  }
  --unsolved_;
  End(first ? QueueFull(pool_.options().capacity) : Draining());
}

void StreamMachine::Work(const Step& step, const Pool::Turn& turn) {
  metrics_.Waited(priority_, turn.waited);
  Session::Replies replies;
  absl::Status status;
  switch (turn.fate) {
    case Pool::Turn::Fate::kRun:
      status = step(replies);
      break;
    case Pool::Turn::Fate::kExpired:
      metrics_.Expired(priority_);
      status = GivenUp(/*expired=*/true);
      break;
    case Pool::Turn::Fate::kStopped:
      status = Draining();
      break;
  }
  std::lock_guard lock(mutex_);
  --unsolved_;
  frames_done_ = run_.frames_done();
  Append(replies);
  if (!status.ok()) {
    End(std::move(status));
  } else if (unsolved_ == 0 && half_closed_) {
    End(absl::OkStatus());
  }
  Pump();
}

void StreamMachine::Append(Session::Replies& replies) {
  if (abandoned_) return;
  for (Session::Reply& reply : replies) {
    const auto size = static_cast<std::int64_t>(reply.ByteSizeLong());
    if (size > options_.limits.max_reply_bytes + kReplySlack) {
      return End(absl::InternalError(absl::StrCat("an answer of ", size,
                                                  " bytes was made; sessions cut at ",
                                                  options_.limits.max_reply_bytes)));
    }
    output_bytes_ += size;
    output_.push_back(std::move(reply));
  }
}

void StreamMachine::OnWritten(bool ok) {
  std::lock_guard lock(mutex_);
  writing_ = false;
  output_bytes_ -= writing_bytes_;
  if (ok) {
    metrics_.Sent(writing_bytes_);
  } else {
    Abandon();
  }
  Pump();
}

void StreamMachine::OnCancel() {
  std::lock_guard lock(mutex_);
  Abandon();
  Pump();
}

void StreamMachine::Abandon() {
  abandoned_ = true;
  stop_.Cancel();
  output_.clear();
  End(GivenUp(stop_.expired()));
}

void StreamMachine::Drain() {
  std::lock_guard lock(mutex_);
  if (half_closed_) return;
  draining_ = true;
  if (strand_) unsolved_ -= strand_->Close();
  Pump();
}

void StreamMachine::End(absl::Status status) {
  if (end_) return;
  end_ = std::move(status);
  if (strand_) unsolved_ -= strand_->Close();
}

bool StreamMachine::MayRead() const {
  return started_reading_ && !reading_ && !half_closed_ && !draining_ && !end_ &&
         unsolved_ < options_.batches_in_flight && output_bytes_ < options_.max_output_bytes;
}

void StreamMachine::Pump() {
  if (finished_) return;
  if (draining_ && unsolved_ == 0) End(Draining());
  if (!writing_ && !output_.empty()) {
    writing_ = true;
    writing_bytes_ = static_cast<std::int64_t>(output_.front().ByteSizeLong());
    Session::Reply reply = std::move(output_.front());
    output_.pop_front();
    transport_->Write(std::move(reply));
  }
  if (MayRead()) {
    reading_ = true;
    transport_->Read();
  }
  if (end_ && unsolved_ == 0 && !writing_ && output_.empty()) {
    finished_ = true;
    CountEnd(*end_, metrics_);
    std::exchange(transport_, nullptr)->Finish(WithFramesDone(*end_, frames_done_));
  }
}

}  // namespace ikstream
