// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Moving platforms: where each is in a frame, and how fast a point of it moves. Platforms are
// known by a number: Terrain::platforms() come first, in that order, then any that only
// terrain samples name.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/math.h"
#include "core/solve.h"

namespace ikstream {

struct RigidPose {
  Vec3d position;
  Quatd rotation;  // unit

  Vec3d Apply(Vec3d p) const { return position + Rotate(rotation, p); }
  Vec3d Unapply(Vec3d p) const { return Rotate(Conjugate(rotation), p - position); }
  Vec3d Turn(Vec3d v) const { return Rotate(rotation, v); }
  Vec3d Unturn(Vec3d v) const { return Rotate(Conjugate(rotation), v); }
  friend bool operator==(const RigidPose&, const RigidPose&) = default;
};

// One platform over the frames of a batch, in the space of root_positions.
struct PlatformTrack {
  Track positions;  // 3; never null
  Track rotations;  // 4, unit; null: identity
};

inline RigidPose PoseAt(const PlatformTrack& track, int frame) {
  RigidPose pose;
  pose.position = Cast<double>(LoadVec3(track.positions.at(frame)));
  if (track.rotations)
    pose.rotation = Normalized(Cast<double>(LoadQuat(track.rotations.at(frame))));
  return pose;
}

// The platforms of one frame, by number, and those of the frame before where there is one.
struct PlatformPoses {
  std::span<const RigidPose> now;
  std::span<const RigidPose> before = {};  // may be shorter: platforms that are new stand still
  double seconds = 0;                      // between the two

  // Where a point that is at `point` now was in the frame before, carried by the platform.
  Vec3d Before(int platform, Vec3d point) const {
    if (platform < 0 || platform >= static_cast<int>(std::min(now.size(), before.size())))
      return point;
    return before[platform].Apply(now[platform].Unapply(point));
  }
  // Units per second; 0 where nothing is known of the frame before.
  Vec3d Velocity(int platform, Vec3d point) const {
    return seconds > 0 ? (point - Before(platform, point)) / seconds : Vec3d{};
  }
};

}  // namespace ikstream
