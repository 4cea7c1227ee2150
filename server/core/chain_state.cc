// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/chain_state.h"

#include <algorithm>
#include <cstring>

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

}  // namespace

ChainState::ChainState(const Rig& rig, const Chain& chain)
    : rig_(rig), chain_(chain), joints_(chain.turned.size()) {}

void ChainState::Reset() {
  bend_.Reset();
  joints_.assign(joints_.size(), {});
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
  if (!list_.empty()) SolverEntries()[static_cast<size_t>(chain_.solver)].run(job, space);
  BlendAll(targets, pose, motion.frames);
  MeasureBlended(job, targets, space);
  Commit(pose, motion.frames);
  Report(results, motion.frames);
}

// Blends in place: solved_ then holds the answers of all frames.
void ChainState::BlendAll(const ChainTargets& targets, const float* pose, int frames) {
  for (int f = 0; f < frames; ++f) BlendFrame(f, WeightOf(targets, f), pose);
}

void ChainState::BlendFrame(int frame, float weight, const float* pose) {
  const size_t turned = joints_.size();
  float* row = solved_.data() + 4 * turned * frame;
  const float* in = pose + 4LL * rig_.skeleton().size() * frame;
  for (size_t k = 0; k < turned; ++k, row += 4) {
    const float* input = in + chain_.pose_offsets[k];
    const bool same =
        !outcomes_[frame].changed || std::memcmp(row, input, 4 * sizeof(float)) == 0;
    if (same) {
      std::memcpy(row, input, 4 * sizeof(float));
      joints_[k].Skip();
    } else {
      Store(joints_[k].Blend(Normalized(LoadQuat(input)), LoadQuat(row), weight), row);
    }
  }
}

// Residuals are those of the answers: what was blended is measured again.
void ChainState::MeasureBlended(const ChainJob& job, const ChainTargets& targets,
                                LaneSpace& space) {
  if (!targets.weights) return;
  list_.clear();
  for (int f = 0; f < job.motion->frames; ++f)
    if (WeightOf(targets, f) < 1) list_.push_back(f);
  if (list_.empty()) return;
  ChainJob measured = job;
  measured.frames = list_;
  measured.start = {solved_.data(), static_cast<std::ptrdiff_t>(4 * joints_.size()),
                    chain_.packed_offsets.data()};
  MeasureFrames(measured, space);
}

void ChainState::Commit(float* pose, int frames) const {
  const size_t turned = joints_.size();
  for (int f = 0; f < frames; ++f) {
    if (!outcomes_[f].changed) continue;
    const float* row = solved_.data() + 4 * turned * f;
    float* out = pose + 4LL * rig_.skeleton().size() * f;
    for (size_t k = 0; k < turned; ++k)
      std::memcpy(out + chain_.pose_offsets[k], row + 4 * k, 4 * sizeof(float));
  }
}

void ChainState::Report(const ChainResults& results, int frames) const {
  for (int f = 0; f < frames; ++f) {
    const FrameOutcome& outcome = outcomes_[f];
    if (results.statuses != nullptr) results.statuses[f] = outcome.status;
    if (results.iterations != nullptr) results.iterations[f] = outcome.iterations;
    if (results.residuals != nullptr) results.residuals[f] = outcome.residual;
    if (results.residual_angles != nullptr) results.residual_angles[f] = outcome.residual_angle;
  }
}

}  // namespace ikstream
