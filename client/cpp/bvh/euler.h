// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Rotations about one, two or three different axes, and quaternions, in double precision.
//
// A joint's rotation is R = R(axes[0], a0) R(axes[1], a1) R(axes[2], a2), each about the
// axis as turned by those before it. Quaternions are x y z w, Hamilton product, so that
// the product of quaternions is the product of the rotations. Angles are degrees.
#pragma once

#include <array>

#include "cpp/bvh/trig.h"

namespace ikstream::bvh {

using Quaternion = std::array<double, 4>;
using Angles = std::array<double, 3>;

// The axes in the order of their channels: each 0, 1 or 2, none twice.
struct RotationAxes {
  int count = 0;
  std::array<int, 3> axes = {0, 0, 0};
};

Quaternion Multiply(const Quaternion& a, const Quaternion& b);
Quaternion Conjugate(const Quaternion& q);

// The angle between two rotations given as unit quaternions, 0 to pi radians.
double AngleBetween(const Quaternion& a, const Quaternion& b);

// The rotation by the first axes.count angles; by angles of whose halves these are sine and
// cosine.
Quaternion FromEuler(const RotationAxes& axes, const Angles& degrees);
Quaternion FromHalves(const RotationAxes& axes, const std::array<SineCosine, 3>& halves);

// The angles whose rotation comes nearest to q (exact with three axes). Of all that do,
// whole turns, the other branch and the free angle at gimbal lock included, those with
// the least squared distance to the reference.
//
// With half angles A, B, C, the quaternion's components combine into
//   (cos B + sin B) times cos and sin of A + C,  (cos B - sin B) times those of A - C
// (for an odd order of axes, sum and difference change places), which is exact near gimbal
// lock too, where one of the two pairs vanishes and its angle is free. With two axes the
// nearest rotation is the best rank-one fit of a 2 x 2 matrix in the half angles, whose
// singular vectors have the same closed form. With one axis it is the twist about it.
//
// REQUIRES: q has unit length.
Angles ToEuler(const RotationAxes& axes, const Quaternion& q, const Angles& reference);

// The same in two steps, between which the angles of many joints are worked out at once: the
// angles of (x[i], y[i]), i < axes.count, are what FromParts asks for.
struct EulerParts {
  std::array<double, 3> y = {0, 0, 0}, x = {1, 1, 1};
  bool first_is_free = false, second_is_free = false;
};
EulerParts PartsOf(const RotationAxes& axes, const Quaternion& q);
Angles FromParts(const RotationAxes& axes, const EulerParts& parts, const Angles& angles,
                 const Angles& reference);

}  // namespace ikstream::bvh
