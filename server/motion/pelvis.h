// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// How far the pelvis moves, so that planted legs reach: worked out from the legs' reach, not
// from heights. Two stages over the frames in order. Not thread-safe.
#pragma once

#include <span>
#include <vector>

#include "motion/foot_cleaner.h"
#include "motion/frame_ring.h"
#include "motion/settings.h"

namespace ikstream {

// A leg's soft zone in one frame, rig units: up to `start` a distance is met; beyond, the leg
// approaches `end` exponentially; `start` = `end` is a hard stop. Neither touches what the
// source itself reaches.
struct SoftZone {
  double start = 0, end = 0;
  double nearest = 0;  // the least distance that the knee's limit allows

  // The distance that a leg takes for one that is asked.
  double Soften(double distance) const;
};
SoftZone ZoneOf(const FootFrame& frame, const FootShape& shape,
                const CleanupSettings& settings);

class Pelvis {
 public:
  // `trusted_ground`: its height is known, not fitted: a body whose feet all sank is raised.
  // `frames`: of the whole stream; `history`: how many frames back the caller still asks for.
  Pelvis(const ClipSpec& clip, const CleanupSettings& settings, bool trusted_ground,
         std::int64_t frames, std::int64_t history);

  std::int64_t smooth_lag() const { return 2 * radius_; }

  // What the planted legs of frame i ask for.
  void Need(std::int64_t i, std::span<const FootCleaner> feet);
  // Zero outside windows. Called once per frame in order. REQUIRES: Need() was called for all
  // frames up to i + smooth_lag().
  Vec3d Offset(std::int64_t i);
  // How much of the offset asked last raises a body that sank: feet that do not stand sank too.
  double raised() const { return raised_; }

 private:
  struct Frame {
    double sunk = 0;          // how far the body is to be raised
    double down = 0, up = 0;  // what legs need beyond; down <= 0 <= up
    // Of those, over the radius; `along`: of what legs need.
    double raise = 0, along = 0;
    Vec3d across;
  };
  double Sunk(std::int64_t i, std::span<const FootCleaner> feet) const;
  double At(std::int64_t j, double Frame::*value) const;
  void Spread(std::int64_t i);

  const ClipSpec& clip_;
  const CleanupSettings& settings_;
  const Vec3d up_;
  const bool trusted_ground_;
  const std::int64_t frames_;
  std::vector<double> kernel_;
  std::int64_t radius_;
  FrameRing<Frame> ring_;
  double raised_ = 0;
  double sunk_ = 0;              // in the frame before
  std::int64_t last_need_ = -1;  // the last frame that asks for anything
};

}  // namespace ikstream
