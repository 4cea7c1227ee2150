// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// One chain in one pose, measured by forward kinematics in double precision.
#pragma once

#include <optional>

#include "fuzz/core_answers.h"

namespace ikstream::fuzz {

// How a line of sight misses its target.
struct Ray {
  double angle = 0;     // radians
  double miss = 0;      // distance of the target to the line ahead
  double distance = 0;  // of the target
};

class ChainView {
 public:
  ChainView(const Rig& rig, size_t chain, const PoseView& pose);

  Vec3d End() const;
  Vec3d Root() const { return Place(chain_.spec.root_joint); }
  Quatd EndRotation() const { return pose_.rotations[Index(chain_.spec.end_joint)]; }
  Ray RayTo(Vec3d target) const;
  // Lengths of the bones together, translations counted.
  double Reach() const;
  // Of the deepest bone inside a collider that the chain must not enter; 0: none is inside.
  double Depth() const { return DepthOf(kAll); }
  // The same without what a root inside a collider makes unavoidable for its bones.
  double AvoidableDepth() const { return DepthOf(kAvoidable); }
  // How far the turns from another view lean off the normal of a planar chain, radians.
  double Lean(const ChainView& from) const;
  // The turn of turned joint `k` from its rest pose about the normal of a planar chain, seen
  // from where its limit's axis points; empty where the joint leans too far to tell.
  std::optional<double> PlanarTurn(size_t k) const;
  // What rounding to float may add to a distance from the chain to `point`, or to a depth.
  double Rounding(Vec3d point) const;
  double DepthRounding() const;

 private:
  static size_t Index(int joint) { return static_cast<size_t>(joint); }
  Vec3d Place(int joint) const { return pose_.positions[Index(joint)]; }
  Vec3d At(int joint, Vec3f point) const {
    return Place(joint) + Rotate(pose_.rotations[Index(joint)], Cast<double>(point));
  }
  Vec3d BoneEnd(size_t k) const;
  Vec3d Normal() const;
  size_t FirstBoneThatMeets(const Collider& collider) const;
  enum Part { kAll, kAvoidable };
  double DepthOf(Part part) const;
  double DepthIn(const Collider& collider, Part part) const;

  const Rig& rig_;
  const int index_;
  const Chain& chain_;
  ModelPose pose_;
};

}  // namespace ikstream::fuzz
