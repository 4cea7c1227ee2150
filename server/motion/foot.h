// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// A limb that is planted, and what a clip is apart from its frames. Plain data.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/math.h"
#include "core/rig.h"
#include "core/skeleton.h"

namespace ikstream {

// The shape of ikstream.v1.Foot. Also hands and paws.
struct Foot {
  std::string name;  // empty: the ankle joint's name
  int hip_joint = 0;
  std::optional<int> knee_joint;  // unset: the middle one of the path
  int ankle_joint = 0;
  std::optional<int> toe_joint;
  std::optional<Vec3f> sole_normal;  // in the ankle's frame; unset: `up` in the rest pose
  std::string solver;                // empty: "two_bone" where it fits, else "auto"
  float sole_radius_m = 0;
};

// Points of a foot. The heel point is the ankle's origin; the toe point the toe joint's origin,
// or the ankle's tip where there is no toe joint; the tip the end of the toe joint's bone.
enum class FootPoint { kHeel = 0, kToe = 1, kTip = 2 };
inline constexpr int kFootPoints = 3;
inline constexpr FootPoint kFootPointList[kFootPoints] = {FootPoint::kHeel, FootPoint::kToe,
                                                          FootPoint::kTip};

// What holds for all frames of a clip. Frames are counted without the lead-in: frame 0 is the
// first that is answered, lead-in frames are negative.
struct ClipSpec {
  std::shared_ptr<const Skeleton> skeleton;
  UpAxis up = UpAxis::kY;
  double frames_per_second = 0;
  std::vector<int> translated_joints;
  std::vector<JointLimit> limits;  // the rig's own, strict: one per joint, or empty
  std::vector<Foot> feet;          // as CompleteFeet() left them
  double units_per_metre = 0;      // as UnitsPerMetre() answered
  int lead_in = 0;                 // frames sent first and not answered
  int lead_out = 0;                // frames sent last and not answered
  std::int64_t frame_count = 0;    // frames that are answered; 0: unknown (planner only)

  Vec3d up_vector() const { return up == UpAxis::kY ? Vec3d{0, 1, 0} : Vec3d{0, 0, 1}; }
  double dt() const { return 1 / frames_per_second; }
};

}  // namespace ikstream
