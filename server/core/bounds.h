// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// A joint's limit, worked out once for the solvers: unit axes, half angles, sines and cosines.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "absl/status/statusor.h"
#include "core/math.h"

namespace ikstream {

// Limits of a joint, relative to its rest rotation: d = rest^-1 * local. Radians.
struct HingeLimit {
  Vec3f axis;  // in the rest frame; made unit by Rig::Create
  float min = 0, max = 0;
};
struct SwingTwistLimit {
  std::optional<Vec3f> twist_axis;  // default: the bone's axis
  std::optional<Vec3f> swing_axis;  // default: the rig axis least along twist_axis
  float swing_x = 0, swing_y = 0;   // half angles of the ellipse, 0..pi
  float twist_min = 0, twist_max = 0;
};
struct EulerLimit {
  Vec3f min, max;  // d = Rz * Ry * Rx
};
using JointLimit = std::variant<std::monostate, HingeLimit, SwingTwistLimit, EulerLimit>;

// A range of turn about one axis: within half of the centre; half = pi is no bound.
struct TurnRange {
  float centre_sin = 0, centre_cos = 1;  // of half the centre angle
  float half_sin = 1, half_cos = 0;      // of half the half width
  bool free = true;
};

struct JointBound {
  enum class Kind : std::uint8_t { kFree, kHinge, kSwingTwist, kEuler };

  Kind kind = Kind::kFree;
  bool rest_is_identity = true;
  Quatf rest;
  Vec3f axis{0, 1, 0};               // hinge or twist axis, unit, in the rest frame
  Vec3f parent_axis;                 // the same in the parent's frame
  Vec3f swing_u, swing_v;            // orthogonal to it: the axes of swing_x and swing_y
  TurnRange turn;                    // about axis
  bool round = true;                 // swing_x = swing_y: a circular cone
  float cone_sin = 1, cone_cos = 0;  // of half its half angle
  float swing_x = 0, swing_y = 0;    // half angles of an elliptic cone
  Vec3f euler_min, euler_max;
};

// Checks a limit and works it out. `bone` is the direction to the joint's child (zero: none).
// Errors name `axis`, `min`, `swing_x` and so on.
absl::StatusOr<JointBound> MakeBound(const JointLimit& limit, Quatf rest, Vec3f bone);

// Whether the rotation stands at the edge of the limit, within 1e-3 rad.
bool AtLimit(const JointBound& bound, Quatf local);

}  // namespace ikstream
