// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/repeats.h"

#include <algorithm>
#include <cstring>

#include "core/grow.h"

namespace ikstream {
namespace {

bool SameFloats(const float* a, const float* b, size_t count) {
  if (a == nullptr || b == nullptr) return a == b;
  return std::memcmp(a, b, count * sizeof(float)) == 0;
}

bool SameSlots(const std::vector<int>& slots, const float* a, const float* b) {
  return std::all_of(slots.begin(), slots.end(), [&](int slot) {
    return slot < 0 || SameFloats(a + 3 * slot, b + 3 * slot, 3);
  });
}

std::int64_t ColliderFloats(const ChainJob& job) {
  return 6 * static_cast<std::int64_t>(job.chain->colliders.size());
}

const float* At(const Track& track, int frame) { return track ? track.at(frame) : nullptr; }

}  // namespace

Repeats::Input Repeats::InputOf(const ChainJob& job, const float* weights, int frame) {
  const MotionView& motion = *job.motion;
  const std::int64_t f = frame;
  return {
      job.pose + 4 * job.joints * f,
      motion.root_positions + 3 * f,
      job.translations == 0 ? nullptr : motion.local_translations + 3 * job.translations * f,
      At(job.targets->positions, frame),
      At(job.targets->rotations, frame),
      job.bends == nullptr ? nullptr : job.bends + 3 * f,
      job.colliders == nullptr ? nullptr : job.colliders + ColliderFloats(job) * f,
      weights[frame]};
}

// What differs most often comes first.
bool Repeats::Same(const ChainJob& job, const Input& a, const Input& b) {
  const Chain& chain = *job.chain;
  if (!SameFloats(a.target, b.target, 3) || !SameFloats(a.root, b.root, 3)) return false;
  if (std::memcmp(&a.weight, &b.weight, sizeof a.weight) != 0) return false;
  for (std::ptrdiff_t at : chain.pose_offsets)
    if (!SameFloats(a.pose + at, b.pose + at, 4)) return false;
  for (int joint : chain.prefix)
    if (!SameFloats(a.pose + 4 * joint, b.pose + 4 * joint, 4)) return false;
  if (!SameFloats(a.rotation, b.rotation, 4) || !SameFloats(a.bend, b.bend, 3) ||
      !SameFloats(a.colliders, b.colliders, static_cast<size_t>(ColliderFloats(job))))
    return false;
  return job.translations == 0 ||
         (SameSlots(chain.bone_slots, a.translations, b.translations) &&
          SameSlots(chain.prefix_slots, a.translations, b.translations));
}

void Repeats::Find(const ChainJob& job, const float* weights) {
  const int frames = job.motion->frames;
  Grow(marks_, static_cast<size_t>(frames));
  if (frames == 0) return;
  const Input first = InputOf(job, weights, 0);
  marks_[0] = has_last_ && first.weight > 0 && Same(job, Saved(), first) ? 1 : 0;
  const Track& targets = job.targets->positions;
  for (int f = 1; f < frames; ++f) {
    // The target tells most frames apart.
    if (targets && !SameFloats(targets.at(f - 1), targets.at(f), 3))
      marks_[f] = 0;
    else
      marks_[f] =
          weights[f] > 0 && Same(job, InputOf(job, weights, f - 1), InputOf(job, weights, f))
              ? 1
              : 0;
  }
  // Saved here, since the pose will hold answers by the time of Copy().
  Save(job, InputOf(job, weights, frames - 1));
}

void Repeats::Save(const ChainJob& job, const Input& input) {
  saved_.clear();
  size_t part = 0;
  const auto add = [&](const float* from, std::ptrdiff_t count) {
    at_[part++] = from == nullptr ? -1 : static_cast<std::ptrdiff_t>(saved_.size());
    if (from != nullptr) saved_.insert(saved_.end(), from, from + count);
  };
  saved_.reserve(
      static_cast<size_t>(4 * job.joints + 3 * job.translations + 13 + ColliderFloats(job)));
  add(input.pose, 4LL * job.joints);
  add(input.root, 3);
  add(input.translations, 3LL * job.translations);
  add(input.target, 3);
  add(input.rotation, 4);
  add(input.bend, 3);
  add(input.colliders, ColliderFloats(job));
  saved_weight_ = input.weight;
}

Repeats::Input Repeats::Saved() const {
  const auto at = [this](int part) {
    return at_[part] < 0 ? nullptr : saved_.data() + at_[part];
  };
  return {at(0), at(1), at(2), at(3), at(4), at(5), at(6), saved_weight_};
}

void Repeats::Copy(const ChainJob& job) {
  const size_t size = 4 * job.chain->turned.size();
  const int frames = job.motion->frames;
  for (int f = 0; f < frames; ++f) {
    if (!at(f)) continue;
    const float* row = f == 0 ? row_.data() : job.solved + size * (f - 1);
    std::copy_n(row, size, job.solved + size * f);
    job.outcomes[f] = f == 0 ? outcome_ : job.outcomes[f - 1];
  }
  if (frames == 0) return;
  const float* last = job.solved + size * (frames - 1);
  row_.assign(last, last + size);
  outcome_ = job.outcomes[frames - 1];
  has_last_ = true;
}

}  // namespace ikstream
