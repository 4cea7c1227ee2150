// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Calls of every mode and shape, good and bad: an error that names its field, or answers that
// are finite and count every frame once.
#include <algorithm>
#include <string>

#include "convert/plan.h"
#include "core/field_error.h"
#include "fuzz/messages.h"
#include "fuzz/session_input.h"
#include "fuzz/target.h"
#include "session/session.h"

namespace ikstream::fuzz {
namespace {

Limits SmallLimits() {
  Limits limits;
  limits.max_joints = 64;
  limits.max_chains = 8;
  limits.max_batch_frames = 128;
  limits.max_iterations = 64;
  limits.max_plan_frames = 4096;
  limits.max_feet = 8;
  limits.max_colliders = 16;
  limits.max_terrain_vertices = 4096;
  limits.max_reply_bytes = 1 << 12;
  return limits;
}

void CheckError(const absl::Status& status) {
  Require(absl::IsInvalidArgument(status) || absl::IsResourceExhausted(status) ||
              absl::IsUnimplemented(status),
          status.ToString());
  const std::string field = FieldOf(status);
  const std::string part = field.substr(0, field.find_first_of(".["));
  Require(part == "setup" || part == "motion" || part == "plan_part", "what field? ",
          status.ToString());
}

// A session from its messages to its end; returns its answers, empty after an error.
class Call {
 public:
  Call(const v1::Setup& setup, CallShape shape) : plans_(setup.mode() == v1::MODE_PLAN) {
    auto opened = Session::Open(setup, SmallLimits(), shape);
    if (!opened.ok()) {
      CheckError(opened.status());
      return;
    }
    session_ = *std::move(opened);
    const std::string bad = NotFinite(session_->ready());
    Require(bad.empty(), "ready.", bad, " is not finite");
  }

  bool ok() const { return session_ != nullptr; }
  const Session::Replies& replies() const { return replies_; }

  void AddPlanPart(const v1::PlanPart& part) {
    if (ok()) Take(session_->AddPlanPart(part));
  }
  void Push(const v1::Motion& motion) {
    if (ok()) Take(session_->Push(motion, Stop(), replies_));
  }
  void Finish() {
    if (!ok()) return;
    Take(session_->Finish(Stop(), replies_));
    if (ok()) CheckAnswers();
  }
  const Session& session() const { return *session_; }

 private:
  void Take(const absl::Status& status) {
    if (status.ok()) return;
    CheckError(status);
    CheckAnswers();
    session_ = nullptr;
  }

  void CheckAnswers() const {
    std::int64_t next = 0;
    for (const Session::Reply& reply : replies_) {
      const std::string bad = NotFinite(reply);
      Require(bad.empty(), bad, " is not finite");
      if (!reply.has_motion()) continue;
      Require(reply.motion().first_frame() == next, "frame ", reply.motion().first_frame(),
              " is answered where ", next, " is due");
      next += reply.motion().frame_count();
    }
    // A plan counts frames that it answers nothing of.
    Require(plans_ ? next == 0 : next == session_->frames_done(), next,
            " frames are answered, ", session_->frames_done(), " are counted");
  }

  const bool plans_;
  std::unique_ptr<Session> session_;
  Session::Replies replies_;
};

void Mutate(Bytes& bytes, google::protobuf::Message& message) {
  for (int n = bytes.Rarely(2) ? 0 : bytes.Range(0, 5); n > 0; --n) MutateField(bytes, message);
}

void RunCall(Bytes& bytes, const CallInput& input, Call& call) {
  const int batch = bytes.Coin() ? input.frames : bytes.Range(1, 16);
  const int bad = bytes.Range(0, 15);  // which batch is changed
  for (int first = 0, i = 0; first < input.frames; first += batch, ++i) {
    v1::Motion part =
        Part(input.motion, input.frames, first, std::min(batch, input.frames - first));
    if (i == bad) Mutate(bytes, part);
    call.Push(part);
  }
  call.Finish();
}

v1::Plan MakePlan(const CallInput& input) {
  CallInput plan = input;
  plan.setup.set_mode(v1::MODE_PLAN);
  Call call(plan.setup, CallShape::kUnary);
  call.Push(input.motion);
  call.Finish();
  if (!call.ok()) return {};
  return JoinReplies(call.replies()).summary().plan();
}

// A clean-up that is given its plan, whole or in parts.
void RunWithPlan(Bytes& bytes, CallInput input, CallShape shape) {
  v1::Plan plan = MakePlan(input);
  Mutate(bytes, plan);
  const bool parts = bytes.Coin();
  if (parts)
    input.setup.set_plan_follows(true);
  else
    *input.setup.mutable_plan() = plan;
  Call call(input.setup, shape);
  if (parts)
    for (const v1::PlanPart& part : CutPlan(plan, 256)) call.AddPlanPart(part);
  RunCall(bytes, input, call);
}

}  // namespace

void FuzzOne(std::span<const std::uint8_t> data) {
  Bytes bytes(data);
  constexpr v1::Mode kModes[] = {v1::MODE_SOLVE, v1::MODE_PLAN, v1::MODE_CLEAN, v1::MODE_CLEAN,
                                 v1::MODE_PLACE};
  const v1::Mode mode = kModes[bytes.U8() % std::size(kModes)];
  const auto shape = static_cast<CallShape>(bytes.Range(0, 2));
  const bool with_plan = bytes.Coin();
  CallInput input = mode == v1::MODE_SOLVE ? DecodeSolve(bytes) : DecodeClip(bytes);
  input.setup.set_mode(mode);
  Mutate(bytes, input.setup);
  if (mode == v1::MODE_CLEAN && with_plan) return RunWithPlan(bytes, input, shape);
  Call call(input.setup, shape);
  RunCall(bytes, input, call);
}

}  // namespace ikstream::fuzz
