// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "service/stream_reactors.h"

namespace ikstream {

void SolveStreamReactor::Write(Session::Reply reply) {
  response_ = std::move(reply);
  StartWrite(&response_);
}

void SolveStreamReactor::OnReadDone(bool ok) {
  if (ok) {
    machine_->OnRead(std::move(request_));
  } else {
    machine_->OnReadEnd();
  }
}

void SolveClipReactor::Write(Session::Reply reply) {
  response_.Clear();
  switch (reply.message_case()) {
    case Session::Reply::kReady:
      response_.mutable_ready()->Swap(reply.mutable_ready());
      break;
    case Session::Reply::kMotion:
      response_.mutable_motion()->Swap(reply.mutable_motion());
      break;
    case Session::Reply::kPlanPart:
      response_.mutable_plan_part()->Swap(reply.mutable_plan_part());
      break;
    case Session::Reply::kSummary:
      response_.mutable_summary()->Swap(reply.mutable_summary());
      break;
    case Session::Reply::MESSAGE_NOT_SET:
      break;
  }
  StartWrite(&response_);
}

}  // namespace ikstream
