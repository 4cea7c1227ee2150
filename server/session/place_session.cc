// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "session/place_session.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "convert/foot.h"
#include "core/field_error.h"
#include "session/facts.h"

namespace ikstream {
namespace {

// Work is cut into slices so that a stop is seen in time; the cut changes no bit.
constexpr int kSliceFrames = 64;

ResultWriter::Layout LayoutOf(const v1::Setup& message, const PlaceSetup& setup,
                              const Limits& limits, CallShape shape) {
  ResultWriter::Layout layout;
  layout.skeleton_joints = setup.rig->skeleton().size();
  const auto driven = setup.placer->driven_joints();
  layout.joints.assign(driven.begin(), driven.end());
  if (message.all_joints()) {
    layout.joints.resize(static_cast<size_t>(layout.skeleton_joints));
    std::iota(layout.joints.begin(), layout.joints.end(), 0);
  }
  layout.root = true;
  layout.translated = static_cast<int>(setup.rig->translated_joints().size());
  layout.feet = static_cast<int>(setup.feet.size());
  layout.max_bytes = shape == CallShape::kUnary ? 0 : limits.max_reply_bytes;
  return layout;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Session>> PlaceSession::Open(const v1::Setup& setup,
                                                            const Limits& limits,
                                                            CallShape shape) {
  Warnings warnings;
  auto read = PlaceSetup::Read(setup, limits, shape, warnings);
  if (!read.ok()) return read.status();
  return std::unique_ptr<Session>(
      new PlaceSession(*std::move(read), setup, limits, shape, std::move(warnings)));
}

PlaceSession::PlaceSession(PlaceSetup setup, const v1::Setup& message, const Limits& limits,
                           CallShape shape, Warnings warnings)
    : limits_(limits),
      shape_(shape),
      setup_(std::move(setup)),
      window_(message),
      ground_(setup_.terrain, static_cast<int>(setup_.feet.size()), /*live=*/true),
      writer_(LayoutOf(message, setup_, limits, shape)),
      warnings_(std::move(warnings)) {
  const auto joints = static_cast<size_t>(setup_.rig->skeleton().size());
  roots_.resize(3 * kSliceFrames);
  rotations_.resize(4 * joints * kSliceFrames);
  translations_.resize(3 * setup_.rig->translated_joints().size() * kSliceFrames);
  pelvis_.resize(kSliceFrames);
  feet_.resize(setup_.feet.size());
  for (FootArrays& foot : feet_) {
    foot.weights.resize(kSliceFrames);
    foot.residuals.resize(kSliceFrames);
    foot.contacts = std::make_unique<bool[]>(kSliceFrames);
    outputs_.push_back({foot.weights.data(), foot.contacts.get(), foot.residuals.data()});
  }
  const ResultWriter::Layout layout = LayoutOf(message, setup_, limits, shape);
  ready_.set_max_batch_frames(limits.max_batch_frames);
  ready_.mutable_driven_joints()->Add(layout.joints.begin(), layout.joints.end());
  ready_.set_root_moves(true);
  Describe(ready_);
  warnings_.MoveTo(*ready_.mutable_warnings());
}

template <class Message>
void PlaceSession::Describe(Message& message) const {
  for (const Foot& foot : setup_.feet) *message.add_feet() = ToProto(foot);
  message.set_units_per_metre(setup_.placer->units_per_metre());
}

absl::Status PlaceSession::AddPlanPart(const v1::PlanPart&) {
  return FieldError("plan_part", "has no meaning in mode PLACE");
}

absl::Status PlaceSession::Push(const v1::Motion& motion, const Stop& stop, Replies& replies) {
  work_ = {};
  if (absl::Status s = ReadBatch(motion); !s.ok()) return s;
  if (absl::Status s = PlaceAll(stop, replies); !s.ok()) return s;
  return motion_.error();
}

absl::Status PlaceSession::ReadBatch(const v1::Motion& motion) {
  batch_start_ = window_.taken();
  const std::int64_t first = batch_start_ - window_.lead_in();
  absl::Status s = motion_.Read(motion, *setup_.rig, limits_, first, warnings_);
  if (s.ok()) s = ground_.Read(motion, first, motion_, warnings_);
  if (s.ok()) s = window_.Take(motion_.sent_frames(), shape_ != CallShape::kStream);
  if (s.ok() && shape_ == CallShape::kUnary)
    s = CheckUnaryReply(writer_.Bytes(motion_.sent_frames()), limits_);
  return s;
}

absl::Status PlaceSession::PlaceAll(const Stop& stop, Replies& replies) {
  const int frames = motion_.view().frames;
  absl::Status status;
  for (int begin = 0; begin < frames && status.ok(); begin += kSliceFrames) {
    const int count = std::min(kSliceFrames, frames - begin);
    const auto start = Stop::Clock::now();
    PlaceSlice(begin, count);
    work_.solve_seconds += SecondsSince(start);
    const auto encode = Stop::Clock::now();
    Answer(begin, count, replies);
    work_.encode_seconds += SecondsSince(encode);
    if (begin + count < frames) status = stop.status();
  }
  writer_.Flush(replies);
  solve_seconds_ += work_.solve_seconds;
  return status;
}

void PlaceSession::PlaceSlice(int begin, int count) {
  inputs_.clear();
  for (const SampledFoot& foot : ground_.samples()) {
    PlaceFootInput& input = inputs_.emplace_back();
    input.heel = SliceOf(foot.heel, begin, count);
    input.toe = SliceOf(foot.toe, begin, count);
  }
  const std::vector<PlatformTrack> platforms = SliceOf(ground_.platforms(), begin);
  const PlaceInput input{SliceOf(motion_.view(), *setup_.rig, begin, count), platforms,
                         inputs_};
  PlaceOutput output;
  output.root_positions = roots_.data();
  output.local_translations = translations_.data();
  output.local_rotations = rotations_.data();
  output.pelvis_offsets = pelvis_.data();
  output.feet = outputs_;
  setup_.placer->Place(input, output);
  motion_.RestoreSent(rotations_.data(), begin, begin + count);
}

void PlaceSession::Answer(int begin, int count, Replies& replies) {
  const std::int64_t absolute = batch_start_ + begin;
  const auto [first, last] = window_.Clip(absolute, absolute + count);
  const auto joints = static_cast<std::int64_t>(setup_.rig->skeleton().size());
  const auto moved = static_cast<std::int64_t>(setup_.rig->translated_joints().size());
  for (std::int64_t at = first; at < last;) {
    if (writer_.Room() == 0) writer_.Flush(replies);
    const int n = static_cast<int>(std::min<std::int64_t>(last - at, writer_.Room()));
    const auto in_slice = static_cast<int>(at - absolute);
    SolvedFrames solved;
    solved.first_frame = window_.Answered(at);
    solved.frames = n;
    solved.rotations = rotations_.data() + 4 * joints * in_slice;
    solved.root_positions = roots_.data() + 3LL * in_slice;
    if (moved > 0) solved.translations = translations_.data() + 3 * moved * in_slice;
    v1::MotionResult& out = writer_.Append(solved);
    AddFeet(in_slice, n, out);
    warnings_.MoveTo(*out.mutable_warnings());
    at += n;
  }
  frames_done_ += last - first;
  work_.frames += last - first;
}

void PlaceSession::AddFeet(int begin, int count, v1::MotionResult& out) const {
  const auto append = [&](const auto* from, auto* to) {
    to->Add(from + begin, from + begin + count);
  };
  for (std::size_t f = 0; f < feet_.size(); ++f) {
    v1::FootResult& to = *out.mutable_feet(static_cast<int>(f));
    append(feet_[f].weights.data(), to.mutable_weights());
    append(feet_[f].contacts.get(), to.mutable_contacts());
    append(feet_[f].residuals.data(), to.mutable_residuals());
    if (f == 0) append(pelvis_.data(), to.mutable_pelvis_offsets());
  }
}

absl::Status PlaceSession::Finish(const Stop&, Replies& replies) {
  work_ = {};
  if (absl::Status s = window_.Close(); !s.ok()) return s;
  v1::Summary& summary = *replies.emplace_back().mutable_summary();
  AddFacts(summary);
  Describe(summary);
  summary.set_frames(frames_done_);
  summary.set_solve_seconds(solve_seconds_);
  warnings_.MoveTo(*summary.mutable_warnings());
  return absl::OkStatus();
}

}  // namespace ikstream
