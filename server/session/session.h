// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The work of one call, apart from transport and threads: messages in, messages out. The
// server runs it on its workers, the CLI in its own process; both get the same bits.
//
//   auto session = Session::Open(setup, limits, CallShape::kStream);   // validates the setup
//   send(session->ready());
//   for each batch: status = session->Push(batch, stop, replies); send replies; check status
//   status = session->Finish(stop, replies);                  // the last frames, the summary
//
// Not thread-safe: one thread at a time. Bounded memory but for mode PLAN's few bytes a frame.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "convert/limits.h"
#include "ikstream/v1/service.pb.h"
#include "session/stop.h"

namespace ikstream {

// kUnary and kClip may plan and clean in one call; kStream needs the plan first.
enum class CallShape { kUnary, kClip, kStream };

// What a Push or Finish did, for metrics.
struct WorkStats {
  struct Chain {
    int solver = 0;                           // index in Solvers()
    std::array<std::int64_t, 8> by_status{};  // index: ChainResult.Status
    std::int64_t iterations = 0;              // sum over solved frames
    std::int64_t solved = 0;                  // frames that were solved
    double max_residual_ratio = 0;            // residual / chain length
  };
  std::int64_t frames = 0;    // answered
  double solve_seconds = 0;   // time in solvers and clean-up
  double encode_seconds = 0;  // time in making messages
  std::vector<Chain> chains;  // one per chain of the rig
};

class Session {
 public:
  using Reply = v1::SolveStreamResponse;
  using Replies = std::vector<Reply>;

  // Checks everything that can be checked without frames. Errors: INVALID_ARGUMENT,
  // RESOURCE_EXHAUSTED, UNIMPLEMENTED with a field path that starts at `setup`.
  static absl::StatusOr<std::unique_ptr<Session>> Open(const v1::Setup& setup,
                                                       const Limits& limits, CallShape shape);
  virtual ~Session() = default;

  const v1::StreamReady& ready() const { return ready_; }
  const WorkStats& last_work() const { return work_; }
  std::int64_t frames_done() const { return frames_done_; }

  // Parts of the plan; only before the first Push and where Setup.plan_follows.
  virtual absl::Status AddPlanPart(const v1::PlanPart& part) = 0;

  // Takes a batch, appends what can be answered now. On an error the answers of the valid
  // frames before it are still appended; the session is over. Errors name fields within the
  // motion (`motion.local_rotations`); CANCELLED or DEADLINE_EXCEEDED where `stop` says so.
  virtual absl::Status Push(const v1::Motion& motion, const Stop& stop, Replies& replies) = 0;

  // The input is complete: appends the frames still held back, plan parts, and the summary.
  virtual absl::Status Finish(const Stop& stop, Replies& replies) = 0;

 protected:
  v1::StreamReady ready_;
  WorkStats work_;
  std::int64_t frames_done_ = 0;
};

// Joins replies of one call into a unary answer. REQUIRES: replies of a finished session.
v1::SolveResponse JoinReplies(Session::Replies replies);

// What GetServerInfo says of the core; the server adds its own limits.
v1::GetServerInfoResponse DescribeEngine(const Limits& limits);

}  // namespace ikstream
