// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Forward kinematics of the joints that feet need and no others: a body has 31 joints or more,
// its legs hang on a dozen. Not thread-safe (it keeps a workspace).
#pragma once

#include <span>
#include <vector>

#include "core/skeleton.h"
#include "motion/foot.h"

namespace ikstream {

// One foot in one frame. Model space, rig units.
struct LegPose {
  Vec3d hip, knee;
  Vec3d points[kFootPoints];  // by FootPoint; the heel is the ankle
  Quatd hip_parent, thigh, shin, foot, toe;

  const Vec3d& ankle() const { return points[0]; }
  const Vec3d& point(FootPoint p) const { return points[static_cast<int>(p)]; }
  double reach() const { return Length(ankle() - hip); }
  // The geometric bend of the knee: 0 = straight, pi = folded.
  double KneeBend() const;
};

// What a foot has beyond its ankle.
struct FootShape {
  bool has_toe = false;  // a toe point
  bool has_tip = false;  // a tip beyond the toe joint
  bool two_bones = false;
  double leg_length = 0;
  double tip_length = 0;  // from the toe to the tip

  FootPoint anchor_point() const { return has_toe ? FootPoint::kToe : FootPoint::kHeel; }
  bool has(FootPoint p) const {
    return p == FootPoint::kHeel || (p == FootPoint::kToe ? has_toe : has_tip);
  }
};

class LegTracker {
 public:
  explicit LegTracker(const ClipSpec& clip);

  // One frame. `legs` has one entry per foot. Returns the pelvis: the position of the lowest
  // common ancestor of the legs.
  Vec3d Read(const PoseView& pose, std::span<LegPose> legs);

  std::span<const FootShape> shapes() const { return shapes_; }
  int pelvis_joint() const { return pelvis_; }
  // Of the frame read last. REQUIRES: `joint` is the pelvis or above it, and not the root.
  Quatd ParentRotation(int joint) const {
    return rotations_[nodes_[slot_of_joint_[joint]].parent_slot];
  }

 private:
  struct Node {
    int joint, parent_slot, translated;  // translated: index in local_translations or -1
    int depth;                           // joints above it
    Vec3d offset;
  };
  struct FootSlots {
    int hip_parent, hip, knee, ankle, toe;  // slots; toe -1: none
    Vec3d toe_point, tip;                   // in the frame of ankle or toe
  };

  void AddFoot(const ClipSpec& clip, const Foot& foot);
  int AddJoint(const ClipSpec& clip, int joint);
  void InterleaveLegs();

  std::vector<Node> nodes_;
  std::vector<int> slot_of_joint_;
  std::vector<FootSlots> feet_;
  std::vector<FootShape> shapes_;
  int pelvis_ = 0, pelvis_slot_ = 0;
  std::vector<Vec3d> positions_;
  std::vector<Quatd> rotations_;
};

}  // namespace ikstream
