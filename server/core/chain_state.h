// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// One chain of a Solver: its memory, and what it carries from frame to frame.
#pragma once

#include <vector>

#include "core/bend.h"
#include "core/chain_job.h"
#include "core/colliders.h"
#include "core/continuity.h"

namespace ikstream {

class ChainState {
 public:
  // Both outlive this.
  ChainState(const Rig& rig, const Chain& chain);

  // Solves the chain over all frames in `pose` (4 J F floats), which holds the answers of the
  // chains before and then that of this one too. No allocation unless F grows.
  void Solve(const MotionView& motion, const ChainTargets& targets, float* pose,
             const ChainResults& results, LaneSpace& space);
  // The turned joints' angular velocities in their parents' frames, rad/s, from the answers in
  // `pose` once every chain is solved: 3 floats per turned joint and frame; 0 at the first
  // frame.
  void AngularVelocities(const float* pose, int frames, float* out);
  void Reset();

 private:
  ChainJob MakeJob(const MotionView& motion, const ChainTargets& targets, const float* pose);
  void ListFrames(const ChainTargets& targets, int frames);
  void BlendAll(const ChainTargets& targets, float* pose, int frames);
  void MeasureBlended(const ChainJob& job, const ChainTargets& targets, LaneSpace& space);
  void Commit(float* pose) const;
  void Report(const ChainResults& results, int frames) const;

  const Rig& rig_;
  const Chain& chain_;
  BendTrack bend_;
  ColliderTrack collider_track_;
  std::vector<JointContinuity> joints_;
  bool has_before_ = false;
  std::vector<Quatf> before_;       // the answers of the frame before
  std::vector<std::int32_t> list_;  // frames to solve, then frames to measure
  std::vector<FrameOutcome> outcomes_;
  std::vector<float> solved_;  // 4 per turned joint and frame
  std::vector<float> bends_;
  std::vector<float> colliders_;  // 6 per collider of the chain and frame
};

}  // namespace ikstream
