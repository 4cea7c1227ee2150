// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/chain_state.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/collider_solve.h"
#include "core/measure.h"
#include "core/solver_list.h"

namespace ikstream {
namespace {

float WeightOf(const ChainTargets& targets, int frame) {
  return targets.weights ? std::clamp(*targets.weights.at(frame), 0.0f, 1.0f) : 1.0f;
}

template <class T>
void Grow(std::vector<T>& v, size_t size) {
  if (v.size() < size) v.resize(size);
}

// Apart by rounding alone: a turn of less than 6e-7 rad. The lanes work on normalised copies,
// so a joint that they left alone may come back with other last bits than were sent.
bool Unchanged(const float* solved, const float* input) {
  const Quatf d = LoadQuat(solved) * Conjugate(LoadQuat(input));
  return Dot(Vec3f{d.x, d.y, d.z}, Vec3f{d.x, d.y, d.z}) < 1e-13f;
}

}  // namespace

ChainState::ChainState(const Rig& rig, const Chain& chain)
    : rig_(rig),
      chain_(chain),
      collider_track_(rig, chain),
      joints_(chain.turned.size()),
      before_(chain.turned.size()) {}

void ChainState::Reset() {
  bend_.Reset();
  joints_.assign(joints_.size(), {});
  has_before_ = false;
}

void ChainState::ListFrames(const ChainTargets& targets, int frames) {
  list_.clear();
  for (int f = 0; f < frames; ++f) {
    outcomes_[f] = {};
    if (WeightOf(targets, f) > 0) list_.push_back(f);
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
  job.frames = list_;
  job.max_iterations = chain_.spec.max_iterations;
  job.solved = solved_.data();
  job.outcomes = outcomes_.data();
  return job;
}

void ChainState::Solve(const MotionView& motion, const ChainTargets& targets, float* pose,
                       const ChainResults& results, LaneSpace& space) {
  const auto frames = static_cast<size_t>(motion.frames);
  Grow(outcomes_, frames);
  Grow(solved_, frames * 4 * chain_.turned.size());
  if (list_.capacity() < frames) list_.reserve(frames);
  ListFrames(targets, motion.frames);
  ChainJob job = MakeJob(motion, targets, pose);
  if (chain_.spec.pole.kind != PoleKind::kNone) {
    Grow(bends_, 3 * frames);
    bend_.Resolve(rig_, chain_, motion, pose, targets, bends_.data());
    job.bends = bends_.data();
  }
  if (!chain_.colliders.empty()) {
    Grow(colliders_, 6 * chain_.colliders.size() * frames);
    collider_track_.Place(motion, pose, colliders_.data());
    job.colliders = colliders_.data();
  }
  if (!list_.empty()) SolverEntries()[static_cast<size_t>(chain_.solver)].run(job, space);
  if (!list_.empty() && job.colliders != nullptr) ClearColliders(job, space);
  BlendAll(targets, pose, motion.frames);
  MeasureBlended(job, targets, space);
  Commit(pose);
  Report(results, motion.frames);
}

// Whole answers go straight into the pose. Partial ones stay in solved_ until they have been
// measured, since the measure needs the input's rotations too.
void ChainState::BlendAll(const ChainTargets& targets, float* pose, int frames) {
  const size_t turned = joints_.size();
  for (int f = 0; f < frames; ++f) {
    float* in = pose + 4LL * rig_.skeleton().size() * f;
    float* row = solved_.data() + 4 * turned * f;
    const float weight = WeightOf(targets, f);
    const bool changed = outcomes_[f].changed;
    for (size_t k = 0; k < turned; ++k, row += 4) {
      float* input = in + chain_.pose_offsets[k];
      if (!changed || Unchanged(row, input)) {
        if (weight < 1) std::memcpy(row, input, 4 * sizeof(float));
        joints_[k].Skip();
      } else {
        Store(joints_[k].Blend(LoadQuat(input), LoadQuat(row), weight),
              weight < 1 ? row : input);
      }
    }
  }
}

// Residuals are those of the answers: what was blended is measured again.
void ChainState::MeasureBlended(const ChainJob& job, const ChainTargets& targets,
                                LaneSpace& space) {
  list_.clear();
  for (int f = 0; f < job.motion->frames; ++f)
    if (WeightOf(targets, f) < 1) list_.push_back(f);
  if (list_.empty()) return;
  ChainJob measured = job;
  measured.frames = list_;
  measured.start = {solved_.data(), static_cast<std::ptrdiff_t>(4 * joints_.size()),
                    chain_.packed_offsets.data()};
  MeasureFrames(measured, space);
  if (job.colliders != nullptr) MeasureDepths(measured, space);
}

// Puts the partial answers into the pose.
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
