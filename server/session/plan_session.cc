// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "session/plan_session.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "convert/plan.h"
#include "convert/settings.h"
#include "convert/values.h"
#include "core/field_error.h"
#include "session/facts.h"

namespace ikstream {
namespace {

// About half a millisecond of planning: a stop is seen in time.
constexpr int kSliceFrames = 256;

}  // namespace

absl::Status PlanFrames(const ClipSetup& setup, const MotionView& motion, const Stop& stop,
                        Planner& planner) {
  for (int begin = 0; begin < motion.frames; begin += kSliceFrames) {
    if (begin > 0)
      if (absl::Status s = stop.status(); !s.ok()) return s;
    planner.Push(
        SliceOf(motion, *setup.rig, begin, std::min(kSliceFrames, motion.frames - begin)));
  }
  return absl::OkStatus();
}

void AddSettings(const CleanupSettings& settings, v1::Summary& summary) {
  *summary.mutable_settings() = ToProto(WithDefaults(settings));
  summary.set_profile(kDefaultProfile);
}

absl::StatusOr<std::unique_ptr<Session>> PlanSession::Open(const v1::Setup& setup,
                                                           const Limits& limits,
                                                           CallShape shape) {
  Warnings warnings;
  auto clip = ClipSetup::Read(setup, limits, shape, warnings);
  if (!clip.ok()) return clip.status();
  if (setup.plan_follows())
    return FieldError("setup.plan_follows", "has no meaning in mode PLAN: send setup.plan");
  std::unique_ptr<PlanSession> session(
      new PlanSession(*std::move(clip), setup, limits, shape, std::move(warnings)));
  if (setup.has_plan()) {
    auto plan = ToPlan(setup.plan(), session->setup_.rig->skeleton().size());
    if (!plan.ok()) return Under("setup.plan", plan.status());
    session->earlier_ = *std::move(plan);
  }
  if (absl::Status s = session->StartPlanner(); !s.ok()) return s;
  return std::unique_ptr<Session>(std::move(session));
}

absl::Status PlanSession::StartPlanner() {
  PlannerInputs inputs;
  inputs.contacts = setup_.contacts;
  inputs.source_sha256 = setup_.source_sha256;
  inputs.ground = setup_.plan_ground();
  inputs.ground_kind = setup_.ground_kind();
  inputs.earlier = earlier_ ? &*earlier_ : nullptr;
  auto planner = Planner::Create(setup_.clip, setup_.settings, inputs);
  if (!planner.ok()) return Under("setup", planner.status());
  planner_ = *std::move(planner);
  return absl::OkStatus();
}

PlanSession::PlanSession(ClipSetup setup, const v1::Setup& message, const Limits& limits,
                         CallShape shape, Warnings warnings)
    : limits_(limits),
      shape_(shape),
      setup_(std::move(setup)),
      window_(message),
      warnings_(std::move(warnings)) {
  ready_.set_max_batch_frames(limits.max_batch_frames);
  setup_.Describe(ready_);
  warnings_.MoveTo(*ready_.mutable_warnings());
}

absl::Status PlanSession::AddPlanPart(const v1::PlanPart&) {
  return FieldError("plan_part", "has no meaning in mode PLAN");
}

absl::Status PlanSession::Push(const v1::Motion& motion, const Stop& stop, Replies&) {
  work_ = {};
  const auto start = Stop::Clock::now();
  const std::int64_t first = window_.taken() - window_.lead_in();
  absl::Status s = motion_.Read(motion, *setup_.rig, limits_, first, warnings_);
  if (s.ok()) s = setup_.ReadGround(motion, first, motion_, warnings_);
  // Whether the ground is sampled is known with the first batch.
  if (s.ok() && window_.taken() == 0 && setup_.ground_input->sampled()) s = StartPlanner();
  if (s.ok()) s = window_.Take(motion_.sent_frames(), shape_ != CallShape::kStream);
  if (s.ok()) s = CheckCount(window_.taken(), limits_.max_plan_frames, "motion.root_positions");
  if (s.ok()) s = PlanFrames(setup_, motion_.view(), stop, *planner_);
  if (!s.ok()) return s;
  work_.solve_seconds = SecondsSince(start);
  solve_seconds_ += work_.solve_seconds;
  return motion_.error();
}

absl::Status PlanSession::Finish(const Stop&, Replies& replies) {
  work_ = {};
  const auto start = Stop::Clock::now();
  if (absl::Status s = window_.Close(); !s.ok()) return s;
  auto plan = planner_->Finish();
  if (!plan.ok()) return Under("setup", plan.status());
  work_.solve_seconds = SecondsSince(start);
  frames_done_ = plan->frame_count;
  work_.frames = frames_done_;
  for (v1::PlanPart& part : CutPlan(ToProto(*plan), limits_.max_reply_bytes / 2))
    *replies.emplace_back().mutable_plan_part() = std::move(part);
  v1::Summary& summary = *replies.emplace_back().mutable_summary();
  AddFacts(summary);
  AddSettings(setup_.settings, summary);
  setup_.Describe(summary);
  summary.set_frames(frames_done_);
  summary.set_solve_seconds(solve_seconds_ + work_.solve_seconds);
  warnings_.MoveTo(*summary.mutable_warnings());
  return absl::OkStatus();
}

}  // namespace ikstream
