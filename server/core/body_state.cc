// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/body_state.h"

#include <algorithm>
#include <cmath>

#include "core/solver_list.h"

namespace ikstream {
namespace {

float WeightOf(const ChainTargets& targets, int frame) {
  return targets.weights ? std::clamp(*targets.weights.at(frame), 0.0f, 1.0f) : 1.0f;
}

// The shorter way.
Quatf Slerp(Quatf from, Quatf to, float t) {
  Quatf d = to * Conjugate(from);
  if (d.w < 0) d = -d;
  const Vec3f v{d.x, d.y, d.z};
  const float n = Length(v), half = std::atan2(n, d.w) * t;
  const Vec3f u = n > 1e-9f ? v * (std::sin(half) / n) : v * t;
  return Normalized(Quatf{u.x, u.y, u.z, std::cos(half)} * from);
}

template <class T>
void Grow(std::vector<T>& v, size_t size) {
  if (v.size() < size) v.resize(size);
}

}  // namespace

BodyState::BodyState(const Rig& rig, const BodyGroup& group)
    : rig_(rig), group_(group), joints_(group.turned.size()), repeats_(group) {
  for (const BodyEffector& effector : group.effectors)
    moved_later_ = moved_later_ || rig.chains()[effector.chain].moved_later;
}

void BodyState::Reset() {
  joints_.Reset();
  repeats_.Reset();
  last_ = {};
}

void BodyState::AddItems(std::span<const ChainTargets> targets, int frame) {
  FrameItems& list = frames_[frame];
  list = {static_cast<int>(items_.size()), 0};
  for (float above = 2;;) {
    float next = 0;
    for (const BodyEffector& effector : group_.effectors) {
      const float w = WeightOf(targets[effector.chain], frame);
      if (w < above) next = std::max(next, w);
    }
    if (next == 0) return;
    BodyItem item{frame, 0};
    for (size_t e = 0; e < group_.effectors.size(); ++e)
      if (WeightOf(targets[group_.effectors[e].chain], frame) >= next) item.active |= 1u << e;
    items_.push_back(item);
    weights_.push_back(next);
    ++list.count;
    above = next;
  }
}

// Moves the last frame's items and their answers to the front: the next one may repeat it.
void BodyState::KeepLast() {
  const auto first = static_cast<std::ptrdiff_t>(last_.first);
  kept_items_ = static_cast<size_t>(last_.count);
  const auto keep = [&](auto& list, size_t width) {
    if (first == 0) return;
    const auto from = list.begin() + first * static_cast<std::ptrdiff_t>(width);
    std::copy_n(from, kept_items_ * width, list.begin());
  };
  keep(items_, 1);
  keep(weights_, 1);
  keep(solved_, 4 * group_.turned.size());
  keep(moves_, 3);
  keep(outcomes_, group_.effectors.size());
  items_.resize(kept_items_);
  weights_.resize(kept_items_);
  last_.first = 0;
}

void BodyState::ListItems(const MotionView& motion, std::span<const ChainTargets> targets,
                          const float* pose) {
  const auto frames = static_cast<size_t>(motion.frames);
  const auto moved = static_cast<std::int64_t>(rig_.translated_joints().size());
  KeepLast();
  Grow(frames_, frames);
  Grow(kept_, group_.effectors.size() * frames);
  for (int f = 0; f < motion.frames; ++f) {
    const bool repeats =
        repeats_.Next(motion.root_positions + 3LL * f, pose + 4LL * rig_.skeleton().size() * f,
                      motion.local_translations + 3 * moved * f, targets, f);
    if (repeats)
      frames_[f] = last_;
    else
      AddItems(targets, f);
    last_ = frames_[f];
  }
  GrowAnswers();
}

// With room for what a batch keeps of the one before: a frame has no more items than effectors.
void BodyState::GrowAnswers() {
  const size_t items = items_.size() - kept_items_ + group_.effectors.size();
  items_.reserve(items);
  weights_.reserve(items);
  Grow(solved_, 4 * group_.turned.size() * items);
  Grow(moves_, 3 * items);
  Grow(outcomes_, group_.effectors.size() * items);
}

void BodyState::RunLanes(const MotionView& motion, std::span<const ChainTargets> targets,
                         const float* pose, LaneSpace& space) {
  BodyJob job;
  job.group = &group_;
  job.rig = &rig_;
  job.motion = &motion;
  job.pose = pose;
  job.targets = targets.data();
  job.items = std::span(items_).subspan(kept_items_);
  job.solved = solved_.data() + 4 * group_.turned.size() * kept_items_;
  job.moves = moves_.data() + 3 * kept_items_;
  job.outcomes = outcomes_.data() + group_.effectors.size() * kept_items_;
  const Chain& first = rig_.chains()[group_.effectors.front().chain];
  SolverEntries()[static_cast<size_t>(first.solver)].run_group(job, space);
}

void BodyState::Solve(const MotionView& motion, std::span<const ChainTargets> targets,
                      float* pose, float* roots, std::span<const ChainResults> results,
                      LaneSpace& space) {
  // The lanes measure rotations against what their weight makes of the target.
  asks_otherwise_ = false;
  for (const BodyEffector& effector : group_.effectors)
    asks_otherwise_ = asks_otherwise_ || targets[effector.chain].rotations ||
                      rig_.chains()[effector.chain].spec.keep_end_rotation;
  ListItems(motion, targets, pose);
  if (items_.size() > kept_items_) RunLanes(motion, targets, pose, space);
  for (int f = 0; f < motion.frames; ++f)
    Finish(motion, f, targets, pose + 4LL * rig_.skeleton().size() * f,
           roots == nullptr ? nullptr : roots + 3LL * f, results);
}

void BodyState::Finish(const MotionView& motion, int frame,
                       std::span<const ChainTargets> targets, float* pose, float* root,
                       std::span<const ChainResults> results) {
  const FrameItems items = frames_[frame];
  // The lanes measured the pose at weight 1.
  const bool measured = !IsWhole(frame) || asks_otherwise_;
  if (measured || moved_later_) {
    Measure(motion, frame, pose);
    Keep(frame);
  }
  Blend(items, pose, root);
  Report(frame, items, targets, results);
  if (!measured || moved_later_) return;
  Measure(motion, frame, pose);
  MeasureResiduals(frame, targets, results);
}

// The part of an item's pose in the blend.
float BodyState::Part(FrameItems items, int i) const {
  const float below = i + 1 < items.count ? weights_[items.first + i + 1] : 0;
  return weights_[items.first + i] - below;
}

// The solved poses of a frame, mixed by their parts.
Quatf BodyState::Mix(size_t k, FrameItems items, Quatf input) const {
  Quatf mixed = input;
  float sum = 0;
  for (int i = 0; i < items.count; ++i) {
    const size_t item = items.first + i;
    const bool changed = outcomes_[group_.effectors.size() * item].changed;
    const Quatf q =
        changed ? LoadQuat(solved_.data() + 4 * (group_.turned.size() * item + k)) : input;
    const float part = Part(items, i);
    sum += part;
    mixed = i == 0 ? q : Slerp(mixed, q, part / sum);
  }
  return mixed;
}

void BodyState::Blend(FrameItems items, float* pose, float* root) {
  const float weight = items.count > 0 ? weights_[items.first] : 0;
  for (size_t k = 0; k < joints_.size(); ++k) {
    float* at = pose + 4LL * group_.nodes[group_.turned[k]].joint;
    const Quatf input = LoadQuat(at), mixed = Mix(k, items, input);
    if (items.count == 0 || mixed == input || Unchanged(mixed, input))
      joints_.Skip(k);
    else
      Store(joints_.Blend(k, input, mixed, weight), at);
  }
  if (!group_.moves_root) return;
  Vec3f move;
  for (int i = 0; i < items.count; ++i) {
    const size_t item = items.first + i;
    if (outcomes_[group_.effectors.size() * item].changed)
      move += LoadVec3(moves_.data() + 3 * item) * Part(items, i);
  }
  if (!(move == Vec3f{})) Store(LoadVec3(root) + move, root);
}

// Statuses are those of the pose that all effectors of the frame take part in.
void BodyState::Report(int frame, FrameItems items, std::span<const ChainTargets> targets,
                       std::span<const ChainResults> results) const {
  const size_t last = items.first + items.count - 1;
  for (size_t e = 0; e < group_.effectors.size(); ++e) {
    const int chain = group_.effectors[e].chain;
    const ChainResults& to = results[chain];
    FrameOutcome outcome;
    if (items.count > 0 && WeightOf(targets[chain], frame) > 0)
      outcome = outcomes_[group_.effectors.size() * last + e];
    if (to.statuses != nullptr) to.statuses[frame] = outcome.status;
    if (to.iterations != nullptr) to.iterations[frame] = outcome.iterations;
    if (to.residuals != nullptr) to.residuals[frame] = outcome.residual;
    if (to.residual_angles != nullptr) to.residual_angles[frame] = outcome.residual_angle;
  }
}

// Whether all effectors of a frame have weight 1.
bool BodyState::IsWhole(int frame) const {
  const FrameItems items = frames_[frame];
  const std::uint32_t all = (1u << group_.effectors.size()) - 1;
  return items.count == 1 && weights_[items.first] == 1 && items_[items.first].active == all;
}

Vec3d BodyState::EndOf(const BodyEffector& effector) const {
  const int joint = group_.nodes[effector.node].joint;
  return model_.positions[joint] + Rotate(model_.rotations[joint], Cast<double>(effector.tip));
}

void BodyState::Keep(int frame) {
  Kept* kept = kept_.data() + group_.effectors.size() * frame;
  for (const BodyEffector& effector : group_.effectors)
    *kept++ = {EndOf(effector), model_.rotations[group_.nodes[effector.node].joint]};
}

void BodyState::MeasureAgain(const MotionView& motion, std::span<const ChainTargets> targets,
                             const float* pose, std::span<const ChainResults> results) {
  for (int f = 0; moved_later_ && f < motion.frames; ++f) {
    Measure(motion, f, pose + 4LL * rig_.skeleton().size() * f);
    MeasureResiduals(f, targets, results);
  }
}

void BodyState::Measure(const MotionView& motion, int frame, const float* pose) {
  const auto moved = static_cast<std::int64_t>(rig_.translated_joints().size());
  const float* translations = motion.local_translations;
  if (translations != nullptr) translations += 3 * moved * frame;
  ForwardKinematics(rig_.skeleton(), {motion.root_positions + 3LL * frame, pose, translations},
                    rig_.translated_joints(), model_);
}

void BodyState::MeasureResiduals(int frame, std::span<const ChainTargets> targets,
                                 std::span<const ChainResults> results) const {
  const Kept* kept = kept_.data() + group_.effectors.size() * frame;
  for (const BodyEffector& effector : group_.effectors) {
    const ChainTargets& asked = targets[effector.chain];
    const ChainResults& to = results[effector.chain];
    const Kept& input = *kept++;
    const Vec3d target =
        asked.positions ? Cast<double>(LoadVec3(asked.positions.at(frame))) : input.end;
    if (to.residuals != nullptr)
      to.residuals[frame] = static_cast<float>(Length(target - EndOf(effector)));
    Quatd goal = input.rotation;
    if (asked.rotations)
      goal = Normalized(Cast<double>(LoadQuat(asked.rotations.at(frame))));
    else if (!rig_.chains()[effector.chain].spec.keep_end_rotation)
      continue;
    if (to.residual_angles != nullptr)
      to.residual_angles[frame] = static_cast<float>(
          AngleBetween(goal, model_.rotations[group_.nodes[effector.node].joint]));
  }
}

}  // namespace ikstream
