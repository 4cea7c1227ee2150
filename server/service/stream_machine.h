// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The state machine of one stream, apart from gRPC: when to read, solve, write and end.
//
// Messages are handled on the pool, in order, one at a time; answers are written in order.
// Reading pauses while `batches_in_flight` messages are unsolved or the client has not taken
// `max_output_bytes`: flow control then holds the client back. The stream ends with
// - OK once the client has half-closed and everything was solved and written;
// - the first error, after the answers of the valid frames before it;
// - UNAVAILABLE when the server drains, after the batch being solved. A stream whose client
//   has half-closed is let run to its end instead;
// - CANCELLED or DEADLINE_EXCEEDED, at once but for the batch being solved, which is stopped.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "absl/status/status.h"
#include "ikstream/v1/service.pb.h"
#include "metrics/call_metrics.h"
#include "pool/pool.h"
#include "service/calls.h"
#include "service/engine.h"
#include "service/options.h"
#include "service/session_run.h"
#include "session/stop.h"

namespace ikstream {

// What carries a stream. None of these calls may call the machine back before it returns; at
// most one Read and one Write are outstanding, and nothing follows Finish.
class StreamTransport {
 public:
  virtual ~StreamTransport() = default;
  virtual void Read() = 0;                       // answered by OnRead or OnReadEnd
  virtual void Write(Session::Reply reply) = 0;  // answered by OnWritten
  virtual void Finish(const absl::Status& status) = 0;
};

// Thread-safe. The machine lives as long as its work; the transport until Finish was called.
class StreamMachine : public Drainable, public std::enable_shared_from_this<StreamMachine> {
 public:
  struct Parts {
    StreamTransport& transport;
    Pool& pool;
    const Engine& engine;
    const ServiceOptions& options;
  };

  StreamMachine(const Parts& parts, CallShape shape, CallMetrics metrics,
                Stop::Clock::time_point deadline);

  // Begin, by one of these, once: reading messages; with the whole call at hand (both must
  // live until Finish); refused.
  void Start();
  void StartWhole(const v1::Setup& setup, const v1::Motion& motion);
  void Refuse(const absl::Status& status);

  // From the transport.
  void OnRead(v1::SolveStreamRequest message);
  void OnReadEnd();  // half-closed, or broken
  void OnWritten(bool ok);
  void OnCancel();

  void Drain() override;

 private:
  using Step = std::function<absl::Status(Session::Replies&)>;

  // On a worker, without the lock.
  void Work(const Step& step, const Pool::Turn& turn);

  // With the lock.
  void Submit(Step step, v1::Priority priority);
  void Append(Session::Replies& replies);
  void End(absl::Status status);
  void Abandon();
  bool MayRead() const;
  void Pump();  // starts whatever may start now; last thing of every event

  StreamTransport* transport_;
  Pool& pool_;
  const ServiceOptions& options_;
  Stop stop_;
  const Stop::Clock::time_point deadline_;
  CallMetrics metrics_;
  SessionRun run_;  // touched by steps alone, one at a time

  std::mutex mutex_;  // guards what follows
  std::shared_ptr<Pool::Strand> strand_;
  PriorityClass priority_ = PriorityClass::kBulk;  // set before the first step
  int unsolved_ = 0;                               // steps handed to the pool and not done
  std::int64_t frames_done_ = 0;
  std::deque<Session::Reply> output_;
  std::int64_t output_bytes_ = 0;  // with the one being written
  std::int64_t writing_bytes_ = 0;
  bool started_reading_ = false;
  bool reading_ = false;
  bool writing_ = false;
  bool half_closed_ = false;
  bool draining_ = false;
  bool abandoned_ = false;
  bool finished_ = false;
  std::optional<absl::Status> end_;
};

}  // namespace ikstream
