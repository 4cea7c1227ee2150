// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// One foot, frame by frame: what ground it has, how much it stands on it, where its ankle is to
// go. What is carried from frame to frame lives here. Rig units, seconds, radians.
//
// Per frame, in this order: Read() of all feet, Detect(), Aim(), then, when the pelvis is
// known, Finish(). Not thread-safe.
#pragma once

#include <optional>
#include <vector>

#include "core/skeleton.h"
#include "terrain/animated_foot.h"
#include "terrain/foot_geometry.h"
#include "terrain/foot_weights.h"
#include "terrain/ground.h"
#include "terrain/leg_reach.h"
#include "terrain/placer.h"
#include "terrain/platforms.h"

namespace ikstream {

// What a frame brings beside the pose.
struct FootSurroundings {
  PlatformPoses platforms;
  std::optional<GroundHit> heel_sample, toe_sample;
  bool sampled = false;    // samples were given: the terrain is not asked
  double lowest_foot = 0;  // the least AnimatedFoot::lowest of all feet
  double curve = 1;
};

// What the leg's solve is asked for.
struct FootTarget {
  bool solve = false;  // false: the foot keeps its animation
  Vec3d asked;         // the ankle
  Vec3d softened;      // the same within the leg's soft reach
  Quatd rotation;      // of the ankle joint
  Quatd toe_rotation;  // of the toe joint
  Vec3d pole;          // a direction
};

class FootPlacer {
 public:
  // All pointees outlive the placer; `ground` may be null. `settings` in rig units.
  FootPlacer(const FootGeometry* foot, const PlaceSettings* settings, const Ground* ground,
             UpAxis up, double frames_per_second, double sole_radius);

  void Reset();
  const AnimatedFoot& Read(const ModelPose& pose);
  void Detect(const FootSurroundings& around);
  void Aim(const FootSurroundings& around);

  // The pelvis offsets for which this foot's leg reaches; none: it has no vote.
  std::optional<ReachInterval> Vote() const;
  FootTarget Finish(double pelvis_offset);

  const FootWeights& weights() const { return state_.weights; }

 private:
  // A point of the foot held in place, in the frame of a platform or at rest.
  struct Lock {
    Vec3d point;      // where it is held
    Vec3d animated;   // where the animation had it then
    double slid = 0;  // how far it was held off its place already
    int platform = -1;
  };
  struct Velocities {
    Vec3d point, heel;  // over the ground
  };
  // Carried from frame to frame.
  struct State {
    bool first = true;
    FootWeights weights;
    std::vector<Velocities> velocities;  // of the last frames, a ring
    size_t velocity_count = 0;
    Vec3d point_before, heel_before;
    Vec3d ground_normal, toe_ground_normal;  // last seen, within the tilt limit
    Vec3d normal, toe_normal;                // in use
    std::optional<Lock> lock;
    Vec3d slide, released_slide;  // the horizontal correction; what it was when let go
    double release = 0;           // how much of released_slide is left, 1..0
    bool lock_again = true;       // false: only once nothing of it is left
    double rise = 0;              // the vertical correction
  };

  bool grounded() const { return heel_hit_ || toe_hit_; }
  Vec3d Horizontal(Vec3d v) const { return v - up_ * Dot(v, up_); }
  Vec3d LockPoint() const { return foot_->has_toe_point ? now_.toe : now_.ankle; }
  const GroundHit* LockGround() const;
  Vec3d Carried(const PlatformPoses& platforms, Vec3d point) const;
  Vec3d LockedPlace(const PlatformPoses& platforms) const;
  void FindGround(const FootSurroundings& around);
  Velocities MeasureSpeed(const PlatformPoses& platforms);
  void SeeGround();
  void TurnToGround();
  void HoldOrRelease(const PlatformPoses& platforms, Vec3d place);
  double Lift(Vec3d ankle, Vec3d toe) const;
  Vec3d Pole() const;

  const FootGeometry* foot_;
  const PlaceSettings* settings_;
  const Ground* ground_;
  Vec3d up_;
  double dt_, sole_radius_;
  size_t speed_frames_;

  // Of the frame at hand.
  AnimatedFoot now_;
  std::optional<GroundHit> heel_hit_, toe_hit_;
  Quatd turn_, toe_turn_;
  Vec3d base_ankle_;  // turned about the sole, before any shift

  State state_;
};

}  // namespace ikstream
