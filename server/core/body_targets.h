// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// What the members of a group are asked for in the end: weights that move no faster than they
// may, targets on their way (Temporal in core/rig.h), each by its own settings. A serial pass
// before the group's solve. Not thread-safe.
#pragma once

#include <span>
#include <vector>

#include "core/body.h"
#include "core/solve.h"
#include "core/temporal.h"

namespace ikstream {

class BodyTargets {
 public:
  // Both outlive this.
  BodyTargets(const Rig& rig, const BodyGroup& group);

  // Targets in force, by chain of the rig: those of the members have weights by frame, 0..1.
  // Good until the next call.
  std::span<const ChainTargets> Apply(std::span<const ChainTargets> asked, int frames);
  // The greatest weight in force of a frame.
  float weight(int frame) const { return greatest_[static_cast<size_t>(frame)]; }
  // That of an effector of the group.
  float weight(size_t effector, int frame) const {
    return members_[effector].weights[static_cast<size_t>(frame)];
  }
  const float* weights() const { return greatest_.data(); }
  // Whether a member's targets are smoothed.
  bool smooths() const;
  void Reset();

 private:
  struct Member {
    int chain;
    WeightRate rate;
    TargetSmoothing smoothing;
    std::vector<float> weights;
  };

  std::vector<Member> members_;
  std::vector<float> greatest_;
  std::vector<ChainTargets> in_force_;
};

}  // namespace ikstream
