// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Bones that lengthen where the target is out of reach (ChainSpec::max_stretch): a serial pass
// before the lanes, which then solve longer bones.
//
// With D the distance from the chain's root to the target and R the reach of its bones, all
// bones that may lengthen do so by one factor, so that their reach becomes D, or until they are
// 1 + max_stretch of their length. Nearer targets change nothing. The factor is applied to the
// translations of the joints at the bones' ends; a tip (tip_offset) keeps its length. Where
// limits turn the chain away from its target, so that longer bones end farther from it, bones
// keep their lengths.
#pragma once

#include <span>
#include <vector>

#include "core/chain_place.h"

namespace ikstream {

class Stretch {
 public:
  // Both outlive this.
  Stretch(const Rig& rig, const Chain& chain);
  bool active() const { return chain_.spec.max_stretch > 0; }

  // The motion with the bones' lengths at weight 1; its translations belong to this object and
  // are good until the next call. `pose` as for ChainPlacer.
  MotionView Apply(const MotionView& motion, const ChainTargets& targets, const float* weights,
                   const float* pose);
  // Whether Apply() gave `frame` longer bones; takes them back.
  bool Lengthens(int frame) const { return factors_[static_cast<size_t>(frame)] > 1; }
  void KeepLengths(int frame, const float* translations);
  // Blends those lengths into `translations` (3 T F floats), linearly by weight.
  void Commit(const float* weights, int frames, float* translations) const;
  // How many times longer bones get at weight 1; 1 where the target is within reach. `placer`:
  // where the chain stands at `frame`.
  double Factor(const ChainPlacer& placer, const ChainTargets& targets, int frame) const;
  // The translations that lengthen.
  std::span<const int> slots() const { return slots_; }

 private:
  const Rig& rig_;
  const Chain& chain_;
  std::vector<int> slots_;         // translations that lengthen
  std::vector<float> lengthened_;  // 3 T F
  std::vector<double> factors_;    // by frame
};

}  // namespace ikstream
