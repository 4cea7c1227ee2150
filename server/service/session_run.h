// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// One session fed with the messages of one call in the order of the protocol, and measured.
#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "ikstream/v1/service.pb.h"
#include "metrics/call_metrics.h"
#include "service/engine.h"
#include "service/options.h"

namespace ikstream {

// One thread at a time. What it is made of must outlive it.
class SessionRun {
 public:
  SessionRun(const Engine& engine, const ServiceOptions& options, CallShape shape,
             CallMetrics& metrics)
      : engine_(engine), options_(options), shape_(shape), metrics_(metrics) {}

  // One message of a stream: the setup, plan parts, motion. Replies are appended, also those
  // of valid frames before an error.
  absl::Status Take(const v1::SolveStreamRequest& message, const Stop& stop,
                    Session::Replies& replies);
  // No message follows.
  absl::Status Finish(const Stop& stop, Session::Replies& replies);
  // A whole call at once.
  absl::Status Whole(const v1::Setup& setup, const v1::Motion& motion, const Stop& stop,
                     Session::Replies& replies);

  // Frames answered so far.
  std::int64_t frames_done() const { return session_ ? session_->frames_done() : 0; }

 private:
  absl::Status Open(const v1::Setup& setup, Session::Replies& replies);
  absl::Status Push(const v1::Motion& motion, const Stop& stop, Session::Replies& replies);

  const Engine& engine_;
  const ServiceOptions& options_;
  const CallShape shape_;
  CallMetrics& metrics_;
  std::unique_ptr<Session> session_;
};

}  // namespace ikstream
