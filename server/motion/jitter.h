// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Takes the tremor out of a swinging ankle's path. Frames in order; not thread-safe.
#pragma once

#include <vector>

#include "core/math.h"
#include "motion/frame_ring.h"
#include "motion/histogram.h"
#include "motion/settings.h"

namespace ikstream {

class JitterFilter {
 public:
  // `settings` are complete and not OFF; `frames` of the whole stream; `lag`: how far Offset()
  // trails Add(), at least Radius().
  JitterFilter(const JitterSettings& settings, double fps, double units_per_metre,
               std::int64_t frames, std::int64_t lag);

  // Frames that the low pass looks ahead and back; 0 for One Euro, which looks back only.
  static std::int64_t Radius(const JitterSettings& settings, double fps);

  void Add(std::int64_t i, Vec3d ankle);
  // The filtered path less the path. Zero where the acceleration exceeds four times the median
  // of the frames so far: impacts stay. Called once per frame in order.
  Vec3d Offset(std::int64_t i);

 private:
  Vec3d LowPass(std::int64_t i) const;
  Vec3d OneEuro(std::int64_t i);
  bool IsImpact(std::int64_t i);

  const bool low_pass_;
  const double fps_, cutoff_hz_, beta_per_unit_;
  const std::int64_t frames_;
  std::vector<double> kernel_;
  FrameRing<Vec3d> path_;
  LogHistogram accelerations_;  // rig units per frame squared
  double median_ = -1;          // of accelerations_
  Vec3d filtered_, speed_;      // One Euro's state
};

}  // namespace ikstream
