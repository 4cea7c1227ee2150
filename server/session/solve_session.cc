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
  if (setup.all_joints() || rig.moves_root() || rig.stretches())
    layout.translated = static_cast<int>(rig.translated_joints().size());
  layout.chains = static_cast<int>(rig.chains().size());
  layout.velocity_joints.assign(velocity_joints.begin(), velocity_joints.end());
  layout.max_bytes = shape == CallShape::kUnary ? 0 : limits.max_reply_bytes;
  return layout;
}

// Frames of one slice at most: it may have to go on to a frame that all chains solve.
int MostFrames(const Rig& rig) { return kMostSlice + rig.frames_together() - 1; }

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
      store_(*rig_),
      answers_(*rig_, MostFrames(*rig_)),
      writer_(LayoutOf(setup, limits, shape, *rig_, answers_.velocity_joints())),
      warnings_(std::move(warnings)) {
  const std::size_t chains = rig_->chains().size();
  solver_.Reset(-window_.lead_in());
  rotations_.resize(4LL * rig_->skeleton().size() * MostFrames(*rig_));
  roots_.resize(3LL * MostFrames(*rig_));
  if (rig_->stretches())
    translations_.resize(3 * rig_->translated_joints().size() * MostFrames(*rig_));
  slice_targets_.resize(chains);
  totals_.resize(chains);
  worst_residuals_.resize(chains);
  work_.chains.resize(chains);
  ready_.set_max_batch_frames(limits.max_batch_frames);
  const auto joints = SentJoints(*rig_, setup.all_joints());
  ready_.mutable_driven_joints()->Add(joints.begin(), joints.end());
  ready_.set_root_moves(rig_->moves_root());
  ready_.set_lag_frames(rig_->frames_together() - 1);
  warnings_.MoveTo(*ready_.mutable_warnings());
}

absl::Status SolveSession::AddPlanPart(const v1::PlanPart&) {
  return FieldError("plan_part", "has no meaning in mode SOLVE");
}

absl::Status SolveSession::Push(const v1::Motion& motion, const Stop& stop, Replies& replies) {
  BeginWork();
  const std::int64_t begin = window_.taken();
  absl::Status s = CheckSolveMotion(motion);
  if (s.ok()) s = motion_.Read(motion, *rig_, limits_, begin - window_.lead_in(), warnings_);
  if (s.ok()) s = window_.Take(motion_.sent_frames(), shape_ != CallShape::kStream);
  if (s.ok() && shape_ == CallShape::kUnary)
    s = CheckUnaryReply(writer_.Bytes(motion_.sent_frames()), limits_);
  if (s.ok() && rig_->frames_together() > 1) s = Hold(stop, replies);
  if (s.ok() && rig_->frames_together() == 1)
    s = SolveFrames(motion_, motion_.view().frames, stop, replies);
  return s.ok() ? motion_.error() : s;
}

void SolveSession::BeginWork() {
  work_ = {};
  work_.chains.resize(totals_.size());
  for (std::size_t c = 0; c < totals_.size(); ++c)
    work_.chains[c].solver = rig_->chains()[c].solver;
}

absl::Status SolveSession::Hold(const Stop& stop, Replies& replies) {
  // Where other tracks begin, what is interpolated ends.
  if (!store_.Fits(motion_))
    if (absl::Status s = Release(store_.frames(), stop, replies); !s.ok()) return s;
  store_.Append(motion_);
  return Release(ReadyFrames(store_.frames()), stop, replies);
}

absl::Status SolveSession::Release(int frames, const Stop& stop, Replies& replies) {
  absl::Status s = SolveFrames(store_, frames, stop, replies);
  if (s.ok()) store_.Drop(frames);
  return s;
}

// Those of the next `frames` frames up to the last one whose index divides by frames_together.
int SolveSession::ReadyFrames(int frames) const {
  const std::int64_t together = rig_->frames_together();
  const std::int64_t last = next_frame_ - window_.lead_in() + frames - 1;
  const std::int64_t over = ((last % together) + together) % together;
  return static_cast<int>(std::max<std::int64_t>(0, frames - over));
}

template <class Source>
absl::Status SolveSession::SolveFrames(const Source& source, int frames, const Stop& stop,
                                       Replies& replies) {
  absl::Status status;
  for (int begin = 0; begin < frames && status.ok();) {
    int count = std::min(slice_frames_, frames - begin);
    // At least slice_frames_, up to a frame that all chains solve, or all.
    const int more = ReadyFrames(count + rig_->frames_together() - 1);
    count = more <= frames - begin ? more : frames - begin;
    const auto start = Stop::Clock::now();
    SolveSlice(source, begin, count);
    const double spent = SecondsSince(start);
    work_.solve_seconds += spent;
    solve_seconds_ += spent;
    slice_frames_ = std::clamp(static_cast<int>(count * kSliceSeconds / std::max(spent, 1e-9)),
                               kLeastSlice, kMostSlice);
    const auto encode = Stop::Clock::now();
    Answer(source, begin, count, replies);
    work_.encode_seconds += SecondsSince(encode);
    begin += count;
    if (begin < frames) status = stop.status();
  }
  writer_.Flush(replies);
  return status;
}

template <class Source>
void SolveSession::SolveSlice(const Source& source, int begin, int count) {
  const MotionView slice = SliceOf(source.view(), *rig_, begin, count);
  for (std::size_t c = 0; c < slice_targets_.size(); ++c) {
    const ChainTargets& t = source.targets()[c];
    slice_targets_[c] = {Skip(t.positions, begin), Skip(t.rotations, begin),
                         Skip(t.weights, begin), Skip(t.poles, begin)};
  }
  solver_.Solve(slice, slice_targets_, rotations_.data(), answers_.results(), roots_.data(),
                translations_.data());
  source.RestoreSent(rotations_.data(), begin, begin + count);
  Count(count);
}

// The frames of the slice that are not of the lead-in or lead-out.
template <class Source>
void SolveSession::Answer(const Source& source, int begin, int count, Replies& replies) {
  const MotionView slice = SliceOf(source.view(), *rig_, begin, count);
  const auto [first, last] = window_.Clip(next_frame_, next_frame_ + count);
  for (std::int64_t at = first; at < last;) {
    if (writer_.Room() == 0) writer_.Flush(replies);
    const int n = static_cast<int>(std::min<std::int64_t>(last - at, writer_.Room()));
    const auto in_slice = static_cast<int>(at - next_frame_);
    SolvedFrames solved;
    solved.first_frame = window_.Answered(at);
    solved.frames = n;
    solved.rotations = rotations_.data() + 4LL * rig_->skeleton().size() * in_slice;
    solved.root_positions = roots_.data() + 3LL * in_slice;
    solved.translations = TranslationsOf(SliceOf(slice, *rig_, in_slice, n), in_slice);
    v1::MotionResult& out = writer_.Append(solved);
    answers_.AppendTo(out, in_slice, n, source.targets());
    warnings_.MoveTo(*out.mutable_warnings());
    at += n;
  }
  next_frame_ += count;
  frames_done_ += last - first;
  work_.frames += last - first;
}

// The answered ones where chains stretch, else those that were sent.
const float* SolveSession::TranslationsOf(const MotionView& sent, int in_slice) const {
  const auto moved = static_cast<std::int64_t>(rig_->translated_joints().size());
  return translations_.empty() ? sent.local_translations
                               : translations_.data() + 3 * moved * in_slice;
}

void SolveSession::Count(int count) {
  for (std::size_t c = 0; c < totals_.size(); ++c) {
    const WorkStats::Chain add = answers_.Count(c, count, worst_residuals_[c]);
    AddTo(work_.chains[c], add);
    AddTo(totals_[c], add);
  }
}

absl::Status SolveSession::Finish(const Stop& stop, Replies& replies) {
  BeginWork();
  if (absl::Status s = window_.Close(); !s.ok()) return s;
  if (store_.frames() > 0)
    if (absl::Status s = Release(store_.frames(), stop, replies); !s.ok()) return s;
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
