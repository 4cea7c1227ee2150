// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Turns between unit vectors. Pure and thread-safe.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/math.h"

namespace ikstream {

// A unit vector orthogonal to the unit vector `v`: about the rig axis that lies least along it.
inline Vec3d AnyOrthogonal(Vec3d v) {
  const double x = std::abs(v.x), y = std::abs(v.y), z = std::abs(v.z);
  const Vec3d axis =
      x <= y && x <= z ? Vec3d{1, 0, 0} : (y <= z ? Vec3d{0, 1, 0} : Vec3d{0, 0, 1});
  return NormalizedOr(axis - v * Dot(axis, v), {1, 0, 0});
}

// The angle between two unit vectors, 0..pi, exact near 0 and pi.
inline double AngleOf(Vec3d a, Vec3d b) { return std::atan2(Length(Cross(a, b)), Dot(a, b)); }

// The axis about which the shortest arc leads from a to b. Singular where they are parallel:
// then any axis orthogonal to `a`.
inline Vec3d ArcAxis(Vec3d a, Vec3d b) {
  const Vec3d axis = Cross(a, b);
  return Length(axis) > 1e-12 ? axis / Length(axis) : AnyOrthogonal(a);
}

// The rotation by the shortest arc from one unit vector to another.
inline Quatd ShortestArc(Vec3d from, Vec3d to) {
  if (from == to) return {};
  const double w = 1 + Dot(from, to);
  if (w < 1e-12) return FromAxisAngle(ArcAxis(from, to), AngleOf(from, to));
  const Vec3d v = Cross(from, to);
  return Normalized(Quatd{v.x, v.y, v.z, w});
}

// `from` turned towards `to` by at most `limit` radians; `to` itself where that is enough.
inline Vec3d TurnedTowards(Vec3d from, Vec3d to, double limit) {
  if (AngleOf(from, to) <= limit) return to;
  return Rotate(FromAxisAngle(ArcAxis(from, to), std::max(limit, 0.0)), from);
}

// `from` turned by a share, 0..1, of the arc to `to`.
inline Vec3d Between(Vec3d from, Vec3d to, double share) {
  if (share <= 0) return from;
  if (share >= 1) return to;
  return TurnedTowards(from, to, share * AngleOf(from, to));
}

// `value` moved towards `goal` by at most `step`.
inline double Approach(double value, double goal, double step) {
  return std::clamp(goal, value - step, value + step);
}

}  // namespace ikstream
