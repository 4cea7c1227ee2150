// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// What the planner keeps of each foot and frame: 40 bytes. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "motion/ground.h"
#include "motion/leg_pose.h"

namespace ikstream {

// Frames are indices of the track, from the first lead-in frame on.
class FootTrack {
 public:
  explicit FootTrack(const FootShape& shape) : shape_(shape) {}

  // Where the ground is fitted later: keeps all points.
  void Add(const LegPose& leg);
  // Where the ground is known: keeps the heights over it; those of a point that is over another
  // step than the anchor's point are over the anchor's. On a platform the points are kept in
  // its frame, so that a foot at rest on it is at rest.
  void Add(std::int64_t frame, int foot, const LegPose& leg, const GroundQuery& ground,
           const ClipSpec& clip);

  std::int64_t size() const { return size_; }
  const FootShape& shape() const { return shape_; }
  Vec3d Point(std::int64_t i, FootPoint point) const;
  // -1: none.
  int platform(std::int64_t i) const { return has_ground(i) ? at(i).platform : -1; }
  bool has_ground(std::int64_t i) const { return at(i).platform != kNotAsked; }
  // How much higher over its ground a foot is whose body has slid by `way`, in the frame of its
  // points, across `up`: over the plane that is under it in this frame, to 0.004 of the way,
  // and for ground no steeper than 0.6.
  double Slant(std::int64_t i, Vec3d way, Vec3d up) const;

  // Heights of a point over the ground along its normal, rig units; infinite where there is
  // none. `fitted` is used where the track has no ground of its own.
  double Height(std::int64_t i, FootPoint point, const GroundQuery* fitted,
                std::int64_t lead_in) const;

  // Metres per second, over a window of about 1/30 s before or after the frame, whichever is
  // slower: the first and the last frame of a plant are as slow as its middle. A change of
  // platform is infinitely fast.
  double Speed(std::int64_t i, FootPoint point, double fps, double units_per_metre) const;
  // The component along `up` alone.
  double VerticalSpeed(std::int64_t i, FootPoint point, double fps, double units_per_metre,
                       Vec3d up) const;

 private:
  static constexpr std::int16_t kNotAsked = -2;
  struct Record {
    float heel[3], toe[3];
    float third[3];         // the tip, or the heights of the three points
    std::int16_t platform;  // kNotAsked: `third` is the tip
    std::int8_t slant[2];   // of the ground, across `up`, in kSlantUnit
  };
  static_assert(sizeof(Record) == 40);

  // Records lie in blocks: a vector that grows would hold a long clip up to three times.
  static constexpr std::int64_t kBlock = 4096;
  const Record& at(std::int64_t i) const { return blocks_[i / kBlock][i % kBlock]; }
  void Append(const Record& record);

  FootShape shape_;
  std::vector<std::unique_ptr<Record[]>> blocks_;
  std::int64_t size_ = 0;
};

// Frames in about 1/30 s, at least one.
std::int64_t SpeedWindow(double fps);
// Whether frames are so far apart that a foot comes or leaves within one.
inline bool FewFrames(double fps) { return fps < 45; }

}  // namespace ikstream
