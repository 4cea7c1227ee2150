// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "session/clean_session.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "convert/plan.h"
#include "convert/quality.h"
#include "convert/settings.h"
#include "core/field_error.h"
#include "session/facts.h"
#include "session/plan_session.h"
#include "session/plan_warnings.h"

namespace ikstream {
namespace {

// About half a millisecond of clean-up: a stop is seen in time.
constexpr int kSliceFrames = 128;

// A plan of no contacts: enough to learn what every plan of this clip leads to.
Plan BlankPlan(const ClipSetup& setup) {
  Plan plan;
  for (const Joint& joint : setup.rig->skeleton().joints())
    plan.joint_names.push_back(joint.name);
  plan.frame_count = std::max<std::int64_t>(1, setup.clip.frame_count);
  plan.frames_per_second = setup.clip.frames_per_second;
  plan.units_per_metre = setup.clip.units_per_metre;
  plan.up = setup.clip.up;
  plan.floor.kind = Floor::Kind::kPlane;
  plan.floor.normal = Cast<float>(setup.clip.up_vector());
  for (const Foot& foot : setup.clip.feet) plan.feet.emplace_back().foot = foot;
  return plan;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Session>> CleanSession::Open(const v1::Setup& setup,
                                                            const Limits& limits,
                                                            CallShape shape) {
  Warnings warnings;
  auto clip = ClipSetup::Read(setup, limits, shape, warnings);
  if (!clip.ok()) return clip.status();
  if (setup.has_plan() && setup.plan_follows())
    return FieldError("setup.plan_follows", "is set, but setup.plan came already");
  if (shape == CallShape::kStream && !setup.has_plan() && !setup.plan_follows())
    return FieldError(
        "setup.plan",
        "is missing: a stream plans first (mode PLAN), then cleans with the plan");
  if (shape != CallShape::kStream && setup.plan_follows())
    return FieldError("setup.plan_follows", "has a meaning in SolveStream only");
  std::unique_ptr<CleanSession> session(
      new CleanSession(*std::move(clip), setup, limits, shape, std::move(warnings)));
  absl::Status s = session->Announce(setup.all_joints());
  if (s.ok() && setup.has_plan()) s = session->TakePlan(setup.plan());
  if (!s.ok()) return s;
  if (session->cleaner_ != nullptr)
    session->ready_.set_lag_frames(static_cast<int>(session->cleaner_->lag_frames()));
  session->warnings_.MoveTo(*session->ready_.mutable_warnings());
  return std::unique_ptr<Session>(std::move(session));
}

CleanSession::CleanSession(ClipSetup clip, const v1::Setup& message, const Limits& limits,
                           CallShape shape, Warnings warnings)
    : limits_(limits),
      shape_(shape),
      setup_(std::move(clip)),
      window_(message),
      warnings_(std::move(warnings)),
      parts_expected_(message.plan_follows()) {}

absl::Status CleanSession::Announce(bool all_joints) {
  ClipSpec clip = setup_.clip;
  Plan blank = BlankPlan(setup_);
  clip.frame_count = blank.frame_count;
  const auto probe =
      Cleaner::Create(std::move(clip), std::move(blank), setup_.settings, setup_.plan_ground());
  if (!probe.ok()) return Under("setup", probe.status());
  ResultWriter::Layout layout;
  layout.skeleton_joints = setup_.rig->skeleton().size();
  layout.joints.assign((*probe)->driven_joints().begin(), (*probe)->driven_joints().end());
  if (all_joints) {
    layout.joints.resize(layout.skeleton_joints);
    std::iota(layout.joints.begin(), layout.joints.end(), 0);
  }
  layout.root = all_joints || (*probe)->moves_root();
  if (layout.root) layout.translated = static_cast<int>(setup_.clip.translated_joints.size());
  layout.feet = static_cast<int>(setup_.clip.feet.size());
  layout.max_bytes = shape_ == CallShape::kUnary ? 0 : limits_.max_reply_bytes;
  ready_.set_max_batch_frames(limits_.max_batch_frames);
  ready_.mutable_driven_joints()->Add(layout.joints.begin(), layout.joints.end());
  ready_.set_lag_frames(static_cast<int>((*probe)->lag_frames()));
  ready_.set_root_moves(layout.root);
  setup_.Describe(ready_);
  writer_.emplace(std::move(layout));
  return absl::OkStatus();
}

absl::Status CleanSession::TakePlan(const v1::Plan& message) {
  auto plan = ToPlan(message, setup_.rig->skeleton().size());
  if (!plan.ok()) return Under("setup.plan", plan.status());
  WarnOfPlan(*plan, setup_, warnings_);
  return StartCleaner(*std::move(plan));
}

absl::Status CleanSession::StartCleaner(Plan plan) {
  needs_samples_ = plan.floor.kind == Floor::Kind::kSamples;
  const bool terrain = setup_.ground_input->terrain() != nullptr;
  const GroundQuery* ground = terrain || needs_samples_ ? setup_.ground.get() : nullptr;
  takes_samples_ = ground != nullptr;
  ClipSpec clip = setup_.clip;
  if (clip.frame_count == 0) clip.frame_count = plan.frame_count;
  auto cleaner = Cleaner::Create(std::move(clip), std::move(plan), setup_.settings, ground);
  if (!cleaner.ok()) return Under("setup", cleaner.status());
  cleaner_ = *std::move(cleaner);
  return absl::OkStatus();
}

absl::Status CleanSession::AddPlanPart(const v1::PlanPart& part) {
  if (!parts_expected_)
    return FieldError("plan_part",
                      "came, but setup.plan_follows is not set or the last part "
                      "came already");
  joined_bytes_ += static_cast<std::int64_t>(part.ByteSizeLong());
  if (joined_bytes_ > limits_.max_message_bytes)
    return FieldError(absl::StatusCode::kResourceExhausted, "plan_part",
                      absl::StrCat("the plan has more than ", limits_.max_message_bytes,
                                   " bytes, the limit"));
  if (absl::Status s = JoinPlanPart(part, !parts_begun_, joined_); !s.ok()) return s;
  parts_begun_ = true;
  if (!part.last()) return absl::OkStatus();
  parts_expected_ = false;
  absl::Status s = TakePlan(joined_);
  joined_ = v1::Plan();
  return s;
}

absl::Status CleanSession::MakePlan(const Stop& stop, Replies& replies) {
  setup_.clip.frame_count = window_.count();
  PlannerInputs inputs;
  inputs.contacts = setup_.contacts;
  inputs.source_sha256 = setup_.source_sha256;
  inputs.ground = setup_.plan_ground();
  inputs.ground_kind = setup_.ground_kind();
  auto planner = Planner::Create(setup_.clip, setup_.settings, inputs);
  if (!planner.ok()) return Under("setup", planner.status());
  if (absl::Status s = PlanFrames(setup_, motion_.view(), stop, **planner); !s.ok()) return s;
  auto plan = (*planner)->Finish();
  if (!plan.ok()) return Under("setup", plan.status());
  for (v1::PlanPart& part : CutPlan(ToProto(*plan), limits_.max_reply_bytes / 2))
    *replies.emplace_back().mutable_plan_part() = std::move(part);
  return StartCleaner(*std::move(plan));
}

absl::Status CleanSession::Prepare(const Stop& stop, Replies& replies) {
  if (shape_ == CallShape::kUnary)
    if (absl::Status s = CheckUnaryReply(writer_->Bytes(motion_.sent_frames()), limits_);
        !s.ok())
      return s;
  if (cleaner_ != nullptr) return CheckSamples();
  if (shape_ == CallShape::kStream)
    return FieldError("plan_part", "the plan's last part has not come before the first frames");
  // Planned from half a clip, a plan would be wrong for the rest of it.
  if (!motion_.error().ok()) return motion_.error();
  if (absl::Status s = window_.Close(); !s.ok()) return s;
  return MakePlan(stop, replies);
}

// A plan that was made on samples needs them again, one that was not would ignore them.
absl::Status CleanSession::CheckSamples() const {
  const bool sampled = setup_.ground_input->sampled();
  if (needs_samples_ && !sampled)
    return FieldError("motion.samples",
                      "is empty, but the plan was made on samples: send them again");
  if (sampled && !takes_samples_)
    return FieldError("motion.samples",
                      "came, but the plan was made without: make it anew, with them");
  return absl::OkStatus();
}

absl::Status CleanSession::Push(const v1::Motion& motion, const Stop& stop, Replies& replies) {
  work_ = {};
  first_frame_ = window_.taken() - window_.lead_in();
  absl::Status s = motion_.Read(motion, *setup_.rig, limits_, first_frame_, warnings_);
  if (s.ok()) s = setup_.ReadGround(motion, first_frame_, motion_, warnings_);
  if (s.ok()) s = window_.Take(motion_.sent_frames(), shape_ != CallShape::kStream);
  const auto begun = Stop::Clock::now();
  if (s.ok()) s = Prepare(stop, replies);
  work_.solve_seconds += SecondsSince(begun);
  if (!s.ok()) return s;
  sent_.Remember(motion_, setup_.rig->skeleton().size(), first_frame_);
  s = CleanFrames(stop, replies);
  writer_->Flush(replies);
  solve_seconds_ += work_.solve_seconds;
  return s.ok() ? motion_.error() : s;
}

absl::Status CleanSession::CleanFrames(const Stop& stop, Replies& replies) {
  const MotionView& whole = motion_.view();
  for (int begin = 0; begin < whole.frames; begin += kSliceFrames) {
    if (absl::Status s = stop.status(); !s.ok()) return s;
    const auto start = Stop::Clock::now();
    const int count = std::min(kSliceFrames, whole.frames - begin);
    batch_.Clear();
    if (absl::Status s = cleaner_->Push(SliceOf(whole, *setup_.rig, begin, count), batch_);
        !s.ok())
      return s;
    work_.solve_seconds += SecondsSince(start);
    Answer(replies);
  }
  return absl::OkStatus();
}

void CleanSession::Answer(Replies& replies) {
  const auto start = Stop::Clock::now();
  const std::int64_t joints = setup_.rig->skeleton().size();
  const auto moved = static_cast<std::int64_t>(setup_.clip.translated_joints.size());
  sent_.Restore(batch_.local_rotations.data(), static_cast<int>(joints), batch_.first_frame,
                batch_.frames);
  for (std::int64_t begin = 0; begin < batch_.frames;) {
    if (writer_->Room() == 0) writer_->Flush(replies);
    const int count =
        static_cast<int>(std::min<std::int64_t>(batch_.frames - begin, writer_->Room()));
    SolvedFrames solved;
    solved.first_frame = batch_.first_frame + begin;
    solved.frames = count;
    solved.rotations = batch_.local_rotations.data() + 4 * joints * begin;
    solved.root_positions = batch_.root_positions.data() + 3 * begin;
    if (moved > 0) solved.translations = batch_.local_translations.data() + 3 * moved * begin;
    v1::MotionResult& out = writer_->Append(solved);
    AddFeet(begin, count, out);
    warnings_.MoveTo(*out.mutable_warnings());
    begin += count;
  }
  frames_done_ += batch_.frames;
  work_.frames += batch_.frames;
  work_.encode_seconds += SecondsSince(start);
}

void CleanSession::AddFeet(std::int64_t begin, int count, v1::MotionResult& out) const {
  for (std::size_t f = 0; f < batch_.feet.size(); ++f) {
    const CleanBatch::FootFrames& from = batch_.feet[f];
    v1::FootResult& to = *out.mutable_feet(static_cast<int>(f));
    to.mutable_weights()->Add(from.weights.begin() + begin,
                              from.weights.begin() + begin + count);
    to.mutable_contacts()->Add(from.contacts.begin() + begin,
                               from.contacts.begin() + begin + count);
    to.mutable_residuals()->Add(from.residuals.begin() + begin,
                                from.residuals.begin() + begin + count);
    if (f == 0)
      to.mutable_pelvis_offsets()->Add(batch_.pelvis_offsets.begin() + begin,
                                       batch_.pelvis_offsets.begin() + begin + count);
  }
}

absl::Status CleanSession::Finish(const Stop& stop, Replies& replies) {
  work_ = {};
  absl::Status s = window_.Close();
  if (s.ok()) s = stop.status();
  if (s.ok() && cleaner_ == nullptr)
    s = FieldError("motion", "no frames came: there is nothing to clean");
  if (!s.ok()) return s;
  const auto start = Stop::Clock::now();
  batch_.Clear();
  if (s = cleaner_->Finish(batch_); !s.ok()) return s;
  work_.solve_seconds = SecondsSince(start);
  solve_seconds_ += work_.solve_seconds;
  Answer(replies);
  writer_->Flush(replies);
  FillSummary(*replies.emplace_back().mutable_summary());
  return absl::OkStatus();
}

void CleanSession::FillSummary(v1::Summary& summary) {
  AddFacts(summary);
  AddSettings(setup_.settings, summary);
  setup_.Describe(summary);
  summary.set_frames(frames_done_);
  summary.set_solve_seconds(solve_seconds_);
  const QualityReport report = cleaner_->report();
  *summary.mutable_quality() = ToProto(report);
  WarnOfUnreachable(report, setup_, warnings_);
  warnings_.MoveTo(*summary.mutable_warnings());
}

}  // namespace ikstream
