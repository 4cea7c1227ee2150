// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Smoothing over time of one chain (Temporal in core/rig.h): serial passes before and after the
// lanes. State goes from frame to frame; at first, and where the chain had no weight, it starts
// at what is asked. Not thread-safe.
#pragma once

#include <vector>

#include "core/math.h"
#include "core/rig.h"
#include "core/solve.h"

namespace ikstream {

// Weights follow the asked ones no faster than they may rise and fall.
class WeightRate {
 public:
  WeightRate(const Temporal& temporal, double frames_per_second);
  float Next(float asked);
  // Whether all that is next is `asked` as long as it is asked for.
  bool Stays(float asked) const { return !active_ || at_ == asked; }
  void Reset() { active_ = false; }

 private:
  double most_up_, most_down_;  // per frame
  bool active_ = false;
  double at_ = 0;
};

// Targets follow the asked ones: each frame makes the share 1 - 2^(-dt / half-life) of the way.
// Positions and pole points on the line, rotations and pole directions on the shortest arc.
class TargetSmoothing {
 public:
  TargetSmoothing(const Chain& chain, double frames_per_second);
  bool active() const { return share_ < 1; }

  // What to solve for. Tracks that were not given stay so, but for the pole, which has a value
  // of its own. The answer points into this object and is good until the next call.
  ChainTargets Apply(const ChainTargets& asked, const float* weights, int frames);
  void Reset();

 private:
  template <class V>
  struct Eased {
    bool active = false;
    V at{};
  };

  void Ease(const ChainTargets& asked, int frame);
  void EasePole(Vec3d asked, float* out);

  const Chain& chain_;
  double share_;
  Eased<Vec3d> position_, pole_;
  Eased<Quatd> rotation_;
  std::vector<float> positions_, rotations_, poles_;
};

struct OneEuroSettings {
  double min_cutoff = 0, beta = 0, rate = 0;  // Hz, Hz per rad/s, frames per second
};

// The One Euro filter (Casiez, Roussel and Vogel 2012): a low pass whose cut-off is
// min + beta |w|, w being the velocity of its input behind a low pass of 1 Hz. Of rotations
// (Quatd) that is the angular one; of shifts (Vec3d, in sizes of the body) their own.
template <class V>
class OneEuroOf {
 public:
  // What was filtered is `out`. False: it is the first, and stays as it is.
  bool Next(const V& raw, const OneEuroSettings& settings);
  // A frame that is not to be filtered: the next one goes on from here, or, where there is no
  // weight, starts anew.
  void Skip(const V& raw, float weight, const OneEuroSettings& settings);
  const V& out() const { return out_; }

 private:
  void Track(const V& raw, const OneEuroSettings& settings);

  bool active_ = false;
  V raw_{}, out_{};
  Vec3d speed_;
};

// The same on answered rotations.
class OneEuro {
 public:
  Quatf Next(Quatf raw, const OneEuroSettings& settings);
  void Skip(Quatf raw, float weight, const OneEuroSettings& settings);

 private:
  OneEuroOf<Quatd> filter_;
};

}  // namespace ikstream
