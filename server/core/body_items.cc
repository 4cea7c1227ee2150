// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/body_items.h"

#include <algorithm>

#include "core/grow.h"
#include "core/solver_list.h"

namespace ikstream {
namespace {

float WeightOf(const ChainTargets& targets, int frame) { return *targets.weights.at(frame); }

}  // namespace

BodyItems::BodyItems(const Rig& rig, const BodyGroup& group)
    : rig_(rig), group_(group), repeats_(group), stretch_(rig, group) {}

void BodyItems::Reset() {
  repeats_.Reset();
  last_ = {};
}

void BodyItems::AddItems(std::span<const ChainTargets> targets, int frame) {
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
void BodyItems::KeepLast() {
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
  keep(extensions_, stretch_.size());
  items_.resize(kept_items_);
  weights_.resize(kept_items_);
  last_.first = 0;
}

// With room for what a batch keeps of the one before: a frame has no more items than effectors.
void BodyItems::GrowAnswers() {
  const size_t items = items_.size() - kept_items_ + group_.effectors.size();
  items_.reserve(items);
  weights_.reserve(items);
  GrowTo(items);
  Grow(extensions_, stretch_.size() * items);
}

// Room for answers of so many items.
void BodyItems::GrowTo(size_t items) {
  Grow(solved_, 4 * group_.turned.size() * items);
  Grow(moves_, 3 * items);
  Grow(outcomes_, group_.effectors.size() * items);
}

void BodyItems::RunLanes(const BodyGroup& group, const MotionView& motion,
                         std::span<const ChainTargets> targets, const float* pose,
                         std::span<const BodyItem> items, size_t first_item, LaneSpace& space) {
  if (items.empty()) return;
  BodyJob job;
  job.group = &group;
  job.rig = &rig_;
  job.motion = &motion;
  job.pose = pose;
  job.targets = targets.data();
  job.items = items;
  job.solved = solved_.data() + 4 * group_.turned.size() * first_item;
  job.moves = moves_.data() + 3 * first_item;
  job.outcomes = outcomes_.data() + group_.effectors.size() * first_item;
  const Chain& first = rig_.chains()[group_.effectors.front().chain];
  SolverEntries()[static_cast<size_t>(first.solver)].run_group(job, space);
}

void BodyItems::Solve(const MotionView& motion, std::span<const ChainTargets> targets,
                      const float* pose, std::span<const std::int32_t> list, LaneSpace& space) {
  const auto moved = static_cast<std::int64_t>(rig_.translated_joints().size());
  KeepLast();
  frames_.assign(std::max(frames_.size(), static_cast<size_t>(motion.frames)), {});
  for (int f : list) {
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
  RunLanes(group_, motion, targets, pose, std::span(items_).subspan(kept_items_), kept_items_,
           space);
  if (stretch_.size() > 0) SolveLonger(motion, targets, pose, list, space);
}

// The part of an item's pose in the blend.
float BodyItems::Part(FrameItems items, int i) const {
  const float below = i + 1 < items.count ? weights_[items.first + i + 1] : 0;
  return weights_[items.first + i] - below;
}

Quatf BodyItems::MixOf(size_t k, FrameItems items, Quatf input) const {
  Quatf mixed = input;
  float sum = 0;
  for (int i = 0; i < items.count; ++i) {
    const int item = items.first + i;
    const Quatf q = IsChanged(item)
                        ? LoadQuat(solved_.data() + 4 * (group_.turned.size() * item + k))
                        : input;
    const float part = Part(items, i);
    sum += part;
    mixed = i == 0 ? q : Slerp(mixed, q, part / sum);
  }
  return mixed;
}

bool BodyItems::Mix(int frame, const float* pose, float* row, float* numbers) const {
  const FrameItems items = frames_[frame];
  bool changed = false;
  Vec3f move;
  for (int i = 0; i < items.count; ++i) {
    if (!IsChanged(items.first + i)) continue;
    changed = true;
    move += LoadVec3(moves_.data() + 3 * (items.first + i)) *
            (Part(items, i) / weights_[items.first]);
  }
  Store(move, numbers);
  const size_t size = stretch_.size();
  for (size_t m = 0; m < size; ++m)
    numbers[3 + m] = changed ? extensions_[size * items.first + m] : 0;
  const float* input = pose + 4LL * rig_.skeleton().size() * frame;
  for (size_t k = 0; changed && k < group_.turned.size(); ++k)
    Store(MixOf(k, items, LoadQuat(input + 4LL * group_.nodes[group_.turned[k]].joint)),
          row + 4 * k);
  return changed;
}

FrameOutcome BodyItems::OutcomeOf(int frame, size_t effector) const {
  const FrameItems items = frames_[frame];
  if (items.count == 0) return {};
  const size_t last = static_cast<size_t>(items.first + items.count) - 1;
  if (((items_[last].active >> effector) & 1) == 0) return {};
  return outcomes_[group_.effectors.size() * last + effector];
}

bool BodyItems::IsWhole(int frame) const {
  const FrameItems items = frames_[frame];
  const std::uint32_t all = (1u << group_.effectors.size()) - 1;
  return items.count == 1 && weights_[items.first] == 1 && items_[items.first].active == all;
}

}  // namespace ikstream
