// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/chain_state.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>

#include "core/collider_solve.h"
#include "core/grow.h"
#include "core/measure.h"
#include "core/solver_list.h"

namespace ikstream {
namespace {

OneEuroSettings EuroOf(const Rig& rig, const ChainSpec& spec) {
  return {spec.temporal.one_euro_min_cutoff, spec.temporal.one_euro_beta,
          rig.frames_per_second()};
}

}  // namespace

ChainState::ChainState(const Rig& rig, const Chain& chain)
    : rig_(rig),
      chain_(chain),
      euro_(EuroOf(rig, chain.spec)),
      all_late_(euro_.min_cutoff > 0 || chain.spec.temporal.target_half_life > 0 ||
                chain.spec.solve_every > 1),
      finds_repeats_(!chain.spec.temporal.active() && chain.spec.solve_every == 1),
      rate_(chain.spec.temporal, rig.frames_per_second()),
      smoothing_(chain, rig.frames_per_second()),
      stretch_(rig, chain),
      between_(chain.spec.solve_every, chain.spec.between, chain.turned.size()),
      collider_track_(rig, chain),
      input_targets_(rig, chain),
      joints_(chain.turned.size(), chain.pose_offsets.data()),
      filters_(euro_.min_cutoff > 0 ? chain.turned.size() : 0),
      before_(chain.turned.size()) {}

void ChainState::Reset(std::int64_t first_frame) {
  next_frame_ = first_frame;
  rate_.Reset();
  smoothing_.Reset();
  bend_.Reset();
  between_.Reset();
  repeats_.Reset();
  joints_.Reset();
  filters_.assign(filters_.size(), {});
  has_before_ = false;
}

void ChainState::Prepare(const ChainTargets& asked, int frames) {
  const auto count = static_cast<size_t>(frames);
  Grow(outcomes_, count);
  Grow(solved_, count * 4 * chain_.turned.size() + ContinuityRows::kPad);
  Grow(weights_, count);
  if (list_.capacity() < count) list_.reserve(count);
  if (stretch_.active() && chain_.limited) keeps_.assign(count, 0);
  if (!asked.weights && frames > 0 && rate_.Stays(1))
    std::fill_n(weights_.data(), count, rate_.Next(1));
  else
    for (int f = 0; f < frames; ++f)
      weights_[f] =
          rate_.Next(asked.weights ? std::clamp(*asked.weights.at(f), 0.0f, 1.0f) : 1.0f);
  between_.Begin(next_frame_, frames);
  next_frame_ += frames;
}

void ChainState::ListFrames(int frames) {
  list_.clear();
  for (int f = 0; f < frames; ++f) {
    outcomes_[f] = {};
    if (!(weights_[f] > 0) || !between_.IsSolved(f)) continue;
    if (!finds_repeats_ || !repeats_.at(f)) list_.push_back(f);
  }
}

ChainJob ChainState::MakeJob(const MotionView& motion, const ChainTargets& targets,
                             const float* pose) {
  ChainJob job;
  job.chain = &chain_;
  job.motion = &motion;
  job.translations = static_cast<int>(rig_.translated_joints().size());
  job.pose = pose;
  job.joints = rig_.skeleton().size();
  job.start = {pose, 4 * job.joints, chain_.pose_offsets.data()};
  job.before = job.start;
  job.targets = &targets;
  job.max_iterations = chain_.spec.max_iterations;
  job.solved = solved_.data();
  job.outcomes = outcomes_.data();
  return job;
}

// Under limits longer bones can end farther from the target: frames that missed it are solved
// with their own lengths, too, and the better answer stays.
void ChainState::KeepLengths(ChainJob job, const MotionView& motion, LaneSpace& space) {
  const size_t row = 4 * chain_.turned.size();
  const auto ends = [this](int f) {
    return std::pair(outcomes_[f].depth, outcomes_[f].residual);
  };
  missed_.clear();
  longer_rows_.clear();
  longer_outcomes_.clear();
  for (const std::int32_t f : job.frames) {
    if (!stretch_.Lengthens(f) || !(outcomes_[f].residual > chain_.tolerance)) continue;
    missed_.push_back(f);
    longer_rows_.insert(longer_rows_.end(), job.solved + row * f, job.solved + row * (f + 1));
    longer_outcomes_.push_back(outcomes_[f]);
  }
  if (!missed_.empty()) {
    job.motion = &motion;
    job.frames = missed_;
    SolverEntries()[static_cast<size_t>(chain_.solver)].run(job, space);
    if (job.colliders != nullptr) ClearColliders(job, space);
  }
  for (size_t i = 0; i < missed_.size(); ++i) {
    const std::int32_t f = missed_[i];
    const FrameOutcome& longer = longer_outcomes_[i];
    keeps_[f] = ends(f) < std::pair(longer.depth, longer.residual) ? 1 : 0;
    if (keeps_[f] != 0) continue;
    std::copy_n(longer_rows_.data() + row * i, row, job.solved + row * f);
    outcomes_[f] = longer;
  }
  for (int f = 0; f < motion.frames; ++f) {
    if (finds_repeats_ && repeats_.at(f)) keeps_[f] = f == 0 ? last_keeps_ : keeps_[f - 1];
    if (keeps_[f] != 0) stretch_.KeepLengths(f, motion.local_translations);
  }
  if (motion.frames > 0) last_keeps_ = keeps_[motion.frames - 1];
}

void ChainState::Solve(const MotionView& motion, const ChainTargets& asked, float* pose,
                       float* translations, const ChainResults& results, LaneSpace& space) {
  const int frames = motion.frames;
  Prepare(asked, frames);
  if (chain_.moved_later) input_targets_.Record(motion, asked, pose);
  const ChainTargets targets =
      smoothing_.active() ? smoothing_.Apply(asked, weights_.data(), frames) : asked;
  const MotionView longer =
      stretch_.active() ? stretch_.Apply(motion, targets, weights_.data(), pose) : motion;
  ChainJob job = MakeJob(longer, targets, pose);
  if (chain_.spec.pole.kind != PoleKind::kNone) {
    Grow(bends_, 3 * static_cast<size_t>(frames));
    bend_.Resolve(rig_, chain_, motion, pose, targets, bends_.data());
    job.bends = bends_.data();
  }
  if (!chain_.colliders.empty()) {
    Grow(colliders_, 6 * chain_.colliders.size() * frames);
    collider_track_.Place(motion, pose, colliders_.data());
    job.colliders = colliders_.data();
  }
  if (finds_repeats_) {
    // By the lengths that were sent: other ones may lengthen to the same, and yet stay.
    job.motion = &motion;
    repeats_.Find(job, weights_.data());
    job.motion = &longer;
  }
  ListFrames(frames);
  job.frames = list_;
  if (!list_.empty()) SolverEntries()[static_cast<size_t>(chain_.solver)].run(job, space);
  if (!list_.empty() && job.colliders != nullptr) ClearColliders(job, space);
  if (stretch_.active() && chain_.limited) KeepLengths(job, motion, space);
  if (finds_repeats_) repeats_.Copy(job);
  if (between_.active()) FillBetween(job);
  BlendAll(pose, frames);
  if (!filters_.empty()) ClampFiltered(frames);
  if (stretch_.active()) stretch_.Commit(weights_.data(), frames, translations);
  job.motion = &motion;
  MeasureLate(job, asked, space);
  Commit(pose);
  Report(results, frames);
}

void ChainState::FillBetween(const ChainJob& job) {
  between_.Fill({job.start, job.solved, job.outcomes}, weights_.data(), list_);
  Clamp();
}

// Rows of the listed frames.
void ChainState::Clamp() {
  if (chain_.limited) ClampFrames(chain_.bounds, list_, solved_.data(), outcomes_.data());
}

void ChainState::BlendAll(float* pose, int frames) {
  const std::ptrdiff_t stride = 4LL * rig_.skeleton().size();
  for (int f = 0; f < frames;) {
    int end = f;
    while (end < frames && IsWhole(end)) ++end;
    float* row = solved_.data() + 4 * joints_.size() * static_cast<size_t>(f);
    if (end > f)
      joints_.BlendRun(row, pose + stride * f, stride, end - f);
    else
      BlendFrame(end++, pose + stride * f, row);
    f = end;
  }
}

// Late answers stay in `row` until they have been measured, since the measure needs the input's
// rotations too.
void ChainState::BlendFrame(int frame, float* pose, float* row) {
  const float weight = weights_[frame];
  const bool changed = outcomes_[frame].changed, late = IsLate(frame);
  for (size_t k = 0; k < joints_.size(); ++k, row += 4) {
    float* input = pose + chain_.pose_offsets[k];
    if (!changed || Unchanged(LoadQuat(row), LoadQuat(input))) {
      if (late) std::memcpy(row, input, 4 * sizeof(float));
      joints_.Skip(k);
      if (!filters_.empty()) filters_[k].Skip(LoadQuat(input), weight, euro_);
      continue;
    }
    Quatf answer = joints_.Blend(k, LoadQuat(input), LoadQuat(row), weight);
    if (!filters_.empty()) answer = filters_[k].Next(answer, euro_);
    Store(answer, late ? row : input);
  }
}

// A filter goes from one legal pose to another on the shortest way, which may lead outside.
void ChainState::ClampFiltered(int frames) {
  list_.clear();
  for (int f = 0; f < frames; ++f)
    if (weights_[f] == 1 && outcomes_[f].changed) list_.push_back(f);
  Clamp();
}

// Residuals are those of the answers against what was asked.
void ChainState::MeasureLate(ChainJob job, const ChainTargets& asked, LaneSpace& space) {
  list_.clear();
  for (int f = 0; f < job.motion->frames; ++f)
    if (IsLate(f)) list_.push_back(f);
  if (list_.empty()) return;
  job.frames = list_;
  job.targets = &asked;
  job.start = {solved_.data(), static_cast<std::ptrdiff_t>(4 * joints_.size()),
               chain_.packed_offsets.data()};
  MeasureFrames(job, space);
  if (job.colliders != nullptr) MeasureDepths(job, space);
}

void ChainState::MeasureAgain(const MotionView& motion, const ChainTargets& asked,
                              const float* pose, const ChainResults& results,
                              LaneSpace& space) {
  const ChainTargets targets = input_targets_.Complete(asked);
  ChainJob job = MakeJob(motion, targets, pose);
  list_.resize(static_cast<size_t>(motion.frames));
  std::iota(list_.begin(), list_.end(), 0);
  job.frames = list_;
  MeasureFrames(job, space);
  if (!chain_.colliders.empty()) {
    collider_track_.Place(motion, pose, colliders_.data());
    job.colliders = colliders_.data();
    MeasureDepths(job, space);
  }
  Report(results, motion.frames);
}

// Puts the late answers into the pose.
void ChainState::Commit(float* pose) const {
  const size_t turned = joints_.size();
  for (std::int32_t f : list_) {
    if (!outcomes_[f].changed) continue;
    const float* row = solved_.data() + 4 * turned * f;
    float* out = pose + 4LL * rig_.skeleton().size() * f;
    for (size_t k = 0; k < turned; ++k)
      std::memcpy(out + chain_.pose_offsets[k], row + 4 * k, 4 * sizeof(float));
  }
}

void ChainState::AngularVelocities(const float* pose, int frames, float* out) {
  const auto per_second = static_cast<float>(rig_.frames_per_second());
  const size_t turned = joints_.size();
  for (int f = 0; f < frames; ++f) {
    const float* in = pose + 4LL * rig_.skeleton().size() * f;
    for (size_t k = 0; k < turned; ++k, out += 3) {
      const Quatf q = LoadQuat(in + chain_.pose_offsets[k]);
      Quatf d = has_before_ ? q * Conjugate(before_[k]) : Quatf{};
      if (d.w < 0) d = -d;
      const Vec3f v{d.x, d.y, d.z};
      const float n = Length(v);
      const float angle = n > 1e-9f ? 2 * std::atan2(n, d.w) / n : 2;
      Store(v * (angle * per_second), out);
      before_[k] = q;
    }
    has_before_ = true;
  }
}

void ChainState::Report(const ChainResults& results, int frames) const {
  for (int f = 0; f < frames; ++f) {
    const FrameOutcome& outcome = outcomes_[f];
    if (results.statuses != nullptr) results.statuses[f] = outcome.status;
    if (results.iterations != nullptr) results.iterations[f] = outcome.iterations;
    if (results.residuals != nullptr) results.residuals[f] = outcome.residual;
    if (results.residual_angles != nullptr) results.residual_angles[f] = outcome.residual_angle;
    if (results.collider_depths != nullptr) results.collider_depths[f] = outcome.depth;
  }
}

}  // namespace ikstream
