// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// What the rest pose says of a foot: its leg's joints, where its sole is, which way its knee
// points. Immutable.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "core/rig.h"
#include "core/skeleton.h"
#include "terrain/placer.h"

namespace ikstream {

struct FootGeometry {
  std::vector<int> leg;    // joints from hip to ankle
  int knee = -1;           // the joint that tells where the leg bends; -1: a leg of one bone
  int toe = -1;            // the toe joint, -1: none
  bool turns_toe = false;  // whether it is laid on its ground
  // Whether there is a point in front of the heel: the toe joint's origin, or the ankle's tip.
  bool has_toe_point = false;
  Vec3d tip;          // where there is no toe joint: the ankle's tip, in its frame
  Vec3d sole_normal;  // unit, in the ankle's frame
  Vec3d toe_normal;   // the same in the toe joint's frame
  double heel_offset = 0, toe_offset = 0;  // heights over the sole, rig units
  Vec3d knee_forward;  // unit, in the hip joint's frame: where the knee points when straight
  double length = 0;   // of the leg's bones at rest

  int hip() const { return leg.front(); }
  int ankle() const { return leg.back(); }
};

// Errors name `ankle_joint` and so on, relative to the foot.
absl::StatusOr<FootGeometry> MeasureFoot(const Skeleton& skeleton, const PlaceFoot& foot,
                                         UpAxis up);

// The lowest common ancestor of the hips (of one leg: its hip's parent), then the nearest joint
// at or above it that has translation: the root, or one of `translated`.
int PelvisJoint(const Skeleton& skeleton, const std::vector<FootGeometry>& feet,
                const std::vector<int>& translated);

}  // namespace ikstream
