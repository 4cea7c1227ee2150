// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/body_state.h"

#include <algorithm>
#include <cstring>

#include "core/grow.h"
#include "core/measure.h"

namespace ikstream {

BodyState::BodyState(const Rig& rig, const BodyGroup& group)
    : rig_(rig),
      group_(group),
      euro_{group.one_euro_min_cutoff, group.one_euro_beta, rig.frames_per_second()},
      targets_(rig, group),
      items_(rig, group),
      between_(group.solve_every, group.between, group.turned.size(), items_.numbers()),
      joints_(group.turned.size()),
      filters_(euro_.min_cutoff > 0 ? group.turned.size() : 0),
      measure_(rig, group) {
  changes_late_ = targets_.smooths() || between_.active() || !filters_.empty();
  for (const BodyEffector& effector : group.effectors)
    moved_later_ = moved_later_ || rig.chains()[effector.chain].moved_later;
  for (int node : group.turned) {
    offsets_.push_back(4LL * group.nodes[node].joint);
    bounds_.push_back(group.nodes[node].bound);
    limited_ = limited_ || bounds_.back().kind != JointBound::Kind::kFree;
  }
}

void BodyState::Reset(std::int64_t first_frame) {
  next_frame_ = first_frame;
  targets_.Reset();
  items_.Reset();
  between_.Reset();
  joints_.Reset();
  filters_.assign(filters_.size(), {});
  shift_filter_ = {};
}

void BodyState::Prepare(std::span<const ChainTargets> asked, int frames) {
  // The lanes measure rotations against what their weight makes of the target.
  all_late_ = changes_late_;
  for (const BodyEffector& effector : group_.effectors)
    all_late_ = all_late_ || asked[effector.chain].rotations ||
                rig_.chains()[effector.chain].spec.keep_end_rotation;
  const auto count = static_cast<size_t>(frames);
  Grow(outcomes_, count);
  Grow(rows_, 4 * joints_.size() * count);
  Grow(numbers_, items_.numbers() * count);
  measure_.Grow(frames);
  list_.reserve(count);
  between_.Begin(next_frame_, frames);
  next_frame_ += frames;
  list_.clear();
  for (int f = 0; f < frames; ++f)
    if (between_.IsSolved(f)) list_.push_back(f);
}

void BodyState::Solve(const MotionView& motion, std::span<const ChainTargets> asked,
                      float* pose, float* roots, float* translations,
                      std::span<const ChainResults> results, LaneSpace& space) {
  const int frames = motion.frames;
  Prepare(asked, frames);
  const std::span<const ChainTargets> targets = targets_.Apply(asked, frames);
  items_.Solve(motion, targets, pose, list_, space);
  for (int f = 0; f < frames; ++f) {
    if (IsLate(f) || moved_later_) measure_.Keep(motion, f, pose);
    outcomes_[f].changed = items_.Mix(f, pose, &rows_[4 * joints_.size() * f], NumbersOf(f));
  }
  if (between_.active()) FillBetween(pose);
  for (int f = 0; f < frames; ++f) BlendFrame(f, pose);
  if (!filters_.empty()) ClampFiltered(frames);
  for (int f = 0; f < frames; ++f) {
    Commit(f, pose, roots, translations);
    Report(f, results);
    if (IsLate(f) && !moved_later_) measure_.Residuals(motion, f, pose, asked, results);
  }
}

void BodyState::FillBetween(const float* pose) {
  const RotationRows inputs{pose, 4LL * rig_.skeleton().size(), offsets_.data()};
  between_.Fill({inputs, rows_.data(), outcomes_.data(), numbers_.data()}, targets_.weights(),
                list_);
  Clamp();
}

// Rows of the listed frames.
void BodyState::Clamp() {
  if (limited_) ClampFrames(bounds_, list_, rows_.data(), outcomes_.data());
}

// A filter goes from one legal pose to another on the shortest way, which may lead outside.
void BodyState::ClampFiltered(int frames) {
  list_.clear();
  for (int f = 0; f < frames; ++f)
    if (targets_.weight(f) == 1 && outcomes_[f].changed) list_.push_back(f);
  Clamp();
}

// From the pose at weight 1 to the answer, in place.
void BodyState::BlendFrame(int frame, const float* pose) {
  const float weight = targets_.weight(frame);
  const bool changed = outcomes_[frame].changed;
  float* row = rows_.data() + 4 * joints_.size() * static_cast<size_t>(frame);
  pose += 4LL * rig_.skeleton().size() * frame;
  for (size_t k = 0; k < joints_.size(); ++k, row += 4) {
    const Quatf input = LoadQuat(pose + offsets_[k]);
    if (!changed || Unchanged(LoadQuat(row), input)) {
      Store(input, row);
      joints_.Skip(k);
      if (!filters_.empty()) filters_[k].Skip(input, weight, euro_);
      continue;
    }
    Quatf answer = joints_.Blend(k, input, LoadQuat(row), weight);
    if (!filters_.empty()) answer = filters_[k].Next(answer, euro_);
    Store(answer, row);
  }
  float* numbers = NumbersOf(frame);
  BlendShift(changed, weight, numbers);
  for (size_t m = 0; m < items_.stretch().size(); ++m)
    numbers[3 + m] *= targets_.weight(items_.stretch().effector(m), frame);
}

void BodyState::BlendShift(bool changed, float weight, float* shift) {
  const Vec3f raw = LoadVec3(shift) * weight;
  Store(raw, shift);
  if (filters_.empty() || !group_.moves_root) return;
  const Vec3d sizes = Cast<double>(raw) / static_cast<double>(group_.size);
  if (!changed)
    shift_filter_.Skip(sizes, weight, euro_);
  else if (shift_filter_.Next(sizes, euro_))
    Store(Cast<float>(shift_filter_.out() * static_cast<double>(group_.size)), shift);
}

void BodyState::Commit(int frame, float* pose, float* roots, float* translations) const {
  const auto at = static_cast<size_t>(frame);
  const float* numbers = numbers_.data() + items_.numbers() * at;
  if (const BodyStretch& stretch = items_.stretch(); stretch.size() > 0)
    stretch.Lengthen(numbers + 3, translations + 3 * rig_.translated_joints().size() * at);
  if (outcomes_[frame].changed) {
    const float* row = rows_.data() + 4 * joints_.size() * static_cast<size_t>(frame);
    pose += 4LL * rig_.skeleton().size() * frame;
    for (size_t k = 0; k < joints_.size(); ++k)
      std::memcpy(pose + offsets_[k], row + 4 * k, 4 * sizeof(float));
  }
  const Vec3f shift = LoadVec3(numbers);
  if (!group_.moves_root || shift == Vec3f{}) return;
  float* root = roots + 3LL * frame;
  Store(LoadVec3(root) + shift, root);
}

void BodyState::Report(int frame, std::span<const ChainResults> results) const {
  for (size_t e = 0; e < group_.effectors.size(); ++e) {
    const ChainResults& to = results[group_.effectors[e].chain];
    const FrameOutcome outcome = items_.OutcomeOf(frame, e);
    if (to.statuses != nullptr) to.statuses[frame] = outcome.status;
    if (to.iterations != nullptr) to.iterations[frame] = outcome.iterations;
    if (to.residuals != nullptr) to.residuals[frame] = outcome.residual;
    if (to.residual_angles != nullptr) to.residual_angles[frame] = outcome.residual_angle;
  }
}

void BodyState::MeasureAgain(const MotionView& motion, std::span<const ChainTargets> asked,
                             const float* pose, std::span<const ChainResults> results) {
  for (int f = 0; moved_later_ && f < motion.frames; ++f)
    measure_.Residuals(motion, f, pose, asked, results);
}

}  // namespace ikstream
