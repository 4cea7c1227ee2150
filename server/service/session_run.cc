// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "service/session_run.h"

#include <utility>

#include "absl/strings/string_view.h"
#include "core/field_error.h"

namespace ikstream {
namespace {

absl::Status NeedsSetup(absl::string_view field) {
  return FieldError(absl::StatusCode::kFailedPrecondition, field, "the setup must come first");
}

}  // namespace

absl::Status SessionRun::Take(const v1::SolveStreamRequest& message, const Stop& stop,
                              Session::Replies& replies) {
  switch (message.message_case()) {
    case v1::SolveStreamRequest::kSetup:
      return Open(message.setup(), replies);
    case v1::SolveStreamRequest::kPlanPart:
      return session_ ? session_->AddPlanPart(message.plan_part()) : NeedsSetup("plan_part");
    case v1::SolveStreamRequest::kMotion:
      return session_ ? Push(message.motion(), stop, replies) : NeedsSetup("motion");
    case v1::SolveStreamRequest::MESSAGE_NOT_SET:
      break;
  }
  return FieldError("message", "holds nothing: send setup, plan_part or motion");
}

absl::Status SessionRun::Open(const v1::Setup& setup, Session::Replies& replies) {
  if (session_) {
    return FieldError(absl::StatusCode::kFailedPrecondition, "setup",
                      "was sent before: a stream has one");
  }
  auto opened = engine_.open(setup, options_.limits, shape_);
  if (!opened.ok()) return opened.status();
  session_ = *std::move(opened);
  v1::StreamReady& ready = *replies.emplace_back().mutable_ready();
  ready = session_->ready();
  ready.set_batches_in_flight(options_.batches_in_flight);
  return absl::OkStatus();
}

absl::Status SessionRun::Push(const v1::Motion& motion, const Stop& stop,
                              Session::Replies& replies) {
  metrics_.Batch(motion.root_positions_size() / 3);
  absl::Status status = session_->Push(motion, stop, replies);
  metrics_.Worked(session_->last_work());
  return status;
}

absl::Status SessionRun::Finish(const Stop& stop, Session::Replies& replies) {
  if (!session_) return NeedsSetup("setup");
  const std::size_t before = replies.size();
  absl::Status status = session_->Finish(stop, replies);
  metrics_.Worked(session_->last_work());
  for (std::size_t i = before; i < replies.size(); ++i) {
    if (replies[i].summary().has_quality()) metrics_.Cleaned(replies[i].summary().quality());
  }
  return status;
}

absl::Status SessionRun::Whole(const v1::Setup& setup, const v1::Motion& motion,
                               const Stop& stop, Session::Replies& replies) {
  absl::Status status = Open(setup, replies);
  if (status.ok()) status = Push(motion, stop, replies);
  if (status.ok()) status = Finish(stop, replies);
  return status;
}

}  // namespace ikstream
