// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "session/solve_session.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/field_error.h"
#include "session/facts.h"
#include "session/solve_setup.h"

namespace ikstream {
namespace {

// Work is cut into slices so that a stop is seen in time; the cut changes no bit.
constexpr double kSliceSeconds = 0.5e-3;
constexpr int kLeastSlice = 16;
constexpr int kMostSlice = 1024;

std::vector<int> SentJoints(const Rig& rig, bool all) {
  if (!all) return {rig.driven_joints().begin(), rig.driven_joints().end()};
  std::vector<int> joints(rig.skeleton().size());
  std::iota(joints.begin(), joints.end(), 0);
  return joints;
}

ResultWriter::Layout LayoutOf(const v1::Setup& setup, const Limits& limits, CallShape shape,
                              const Rig& rig, std::span<const int> velocity_joints) {
  ResultWriter::Layout layout;
  layout.skeleton_joints = rig.skeleton().size();
  layout.joints = SentJoints(rig, setup.all_joints());
  layout.root = setup.all_joints() || rig.moves_root();
  layout.translated = static_cast<int>(rig.translated_joints().size());
  layout.chains = static_cast<int>(rig.chains().size());
  layout.velocity_joints.assign(velocity_joints.begin(), velocity_joints.end());
  layout.max_bytes = shape == CallShape::kUnary ? 0 : limits.max_reply_bytes;
  return layout;
}

Track Skip(Track track, int frames) {
  return track ? Track{track.at(frames), track.stride} : track;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Session>> SolveSession::Open(const v1::Setup& setup,
                                                            const Limits& limits,
                                                            CallShape shape) {
  if (absl::Status s = FrameWindow::Check(setup, shape != CallShape::kStream); !s.ok())
    return s;
  Warnings warnings;
  auto rig = ReadSolveRig(setup, limits, warnings);
  if (!rig.ok()) return rig.status();
  return std::unique_ptr<Session>(
      new SolveSession(setup, limits, shape, *std::move(rig), std::move(warnings)));
}

SolveSession::SolveSession(const v1::Setup& setup, const Limits& limits, CallShape shape,
                           std::shared_ptr<const Rig> rig, Warnings warnings)
    : limits_(limits),
      shape_(shape),
      rig_(std::move(rig)),
      solver_(rig_),
      window_(setup),
      answers_(*rig_, kMostSlice),
      writer_(LayoutOf(setup, limits, shape, *rig_, answers_.velocity_joints())),
      warnings_(std::move(warnings)) {
  const std::size_t chains = rig_->chains().size();
  rotations_.resize(4LL * rig_->skeleton().size() * kMostSlice);
  roots_.resize(3LL * kMostSlice);
  slice_targets_.resize(chains);
  totals_.resize(chains);
  worst_residuals_.resize(chains);
  work_.chains.resize(chains);
  ready_.set_max_batch_frames(limits.max_batch_frames);
  const auto joints = SentJoints(*rig_, setup.all_joints());
  ready_.mutable_driven_joints()->Add(joints.begin(), joints.end());
  ready_.set_root_moves(rig_->moves_root());
  warnings_.MoveTo(*ready_.mutable_warnings());
}

absl::Status SolveSession::AddPlanPart(const v1::PlanPart&) {
  return FieldError("plan_part", "has no meaning in mode SOLVE");
}

absl::Status SolveSession::Push(const v1::Motion& motion, const Stop& stop, Replies& replies) {
  work_ = {};
  work_.chains.resize(totals_.size());
  for (std::size_t c = 0; c < totals_.size(); ++c)
    work_.chains[c].solver = rig_->chains()[c].solver;
  batch_start_ = window_.taken();
  if (absl::Status s = CheckSolveMotion(motion); !s.ok()) return s;
  if (absl::Status s =
          motion_.Read(motion, *rig_, limits_, batch_start_ - window_.lead_in(), warnings_);
      !s.ok())
    return s;
  if (absl::Status s = window_.Take(motion_.sent_frames(), shape_ != CallShape::kStream);
      !s.ok())
    return s;
  if (shape_ == CallShape::kUnary)
    if (absl::Status s = CheckUnaryReply(writer_.Bytes(motion_.sent_frames()), limits_);
        !s.ok())
      return s;
  if (absl::Status s = SolveAll(stop, replies); !s.ok()) return s;
  return motion_.error();
}

absl::Status SolveSession::SolveAll(const Stop& stop, Replies& replies) {
  const int frames = motion_.view().frames;
  absl::Status status;
  for (int begin = 0; begin < frames && status.ok();) {
    const int count = std::min(slice_frames_, frames - begin);
    const auto start = Stop::Clock::now();
    SolveSlice(begin, count);
    const double spent = SecondsSince(start);
    work_.solve_seconds += spent;
    slice_frames_ = std::clamp(static_cast<int>(count * kSliceSeconds / std::max(spent, 1e-9)),
                               kLeastSlice, kMostSlice);
    const auto encode = Stop::Clock::now();
    Answer(begin, count, replies);
    work_.encode_seconds += SecondsSince(encode);
    begin += count;
    if (begin < frames) status = stop.status();
  }
  writer_.Flush(replies);
  solve_seconds_ += work_.solve_seconds;
  return status;
}

void SolveSession::SolveSlice(int begin, int count) {
  const MotionView slice = SliceOf(motion_.view(), *rig_, begin, count);
  for (std::size_t c = 0; c < slice_targets_.size(); ++c) {
    const ChainTargets& t = motion_.targets()[c];
    slice_targets_[c] = {Skip(t.positions, begin), Skip(t.rotations, begin),
                         Skip(t.weights, begin), Skip(t.poles, begin)};
  }
  solver_.Solve(slice, slice_targets_, rotations_.data(), answers_.results(), roots_.data());
  motion_.RestoreSent(rotations_.data(), begin, begin + count);
  Count(count);
}

void SolveSession::Answer(int begin, int count, Replies& replies) {
  const MotionView& whole = motion_.view();
  const std::int64_t absolute = batch_start_ + begin;
  const auto [first, last] = window_.Clip(absolute, absolute + count);
  for (std::int64_t at = first; at < last;) {
    if (writer_.Room() == 0) writer_.Flush(replies);
    const int n = static_cast<int>(std::min<std::int64_t>(last - at, writer_.Room()));
    const auto in_batch = static_cast<int>(at - batch_start_);
    const auto in_slice = static_cast<int>(at - absolute);
    SolvedFrames solved;
    solved.first_frame = window_.Answered(at);
    solved.frames = n;
    solved.rotations = rotations_.data() + 4LL * rig_->skeleton().size() * in_slice;
    solved.root_positions = roots_.data() + 3LL * in_slice;
    if (whole.local_translations != nullptr)
      solved.translations =
          whole.local_translations +
          3LL * static_cast<std::int64_t>(rig_->translated_joints().size()) * in_batch;
    v1::MotionResult& out = writer_.Append(solved);
    answers_.AppendTo(out, in_slice, n, motion_.targets());
    warnings_.MoveTo(*out.mutable_warnings());
    at += n;
  }
  frames_done_ += last - first;
  work_.frames += last - first;
}

void SolveSession::Count(int count) {
  for (std::size_t c = 0; c < totals_.size(); ++c) {
    const WorkStats::Chain add = answers_.Count(c, count, worst_residuals_[c]);
    AddTo(work_.chains[c], add);
    AddTo(totals_[c], add);
  }
}

absl::Status SolveSession::Finish(const Stop&, Replies& replies) {
  work_ = {};
  if (absl::Status s = window_.Close(); !s.ok()) return s;
  FillSummary(*replies.emplace_back().mutable_summary());
  return absl::OkStatus();
}

void SolveSession::FillSummary(v1::Summary& summary) {
  AddFacts(summary);
  summary.set_frames(frames_done_);
  summary.set_solve_seconds(solve_seconds_);
  for (std::size_t c = 0; c < totals_.size(); ++c) {
    v1::ChainSummary& out = *summary.add_chains();
    const WorkStats::Chain& total = totals_[c];
    out.set_name(rig_->chains()[c].spec.name);
    out.mutable_frames_by_status()->Add(total.by_status.begin(), total.by_status.end());
    out.set_mean_iterations(total.solved == 0 ? 0.0f
                                              : static_cast<float>(total.iterations) /
                                                    static_cast<float>(total.solved));
    out.set_max_residual(worst_residuals_[c]);
  }
  warnings_.MoveTo(*summary.mutable_warnings());
}

}  // namespace ikstream
