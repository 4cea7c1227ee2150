// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cpp/bvh/euler.h"

#include <algorithm>
#include <cmath>

namespace ikstream::bvh {
namespace {

// A pair of components this small is rounding noise of a float quaternion: its angle is free.
constexpr double kFree = 1e-6;

std::size_t Index(int axis) { return static_cast<std::size_t>(axis); }

// The squared length; components of unit quaternions need no care for range.
double Square(double a, double b) { return a * a + b * b; }

// 1 where axis a times axis b is the third axis, -1 where it is its opposite.
double Parity(int a, int b) { return (a + 1) % 3 == b ? 1 : -1; }

double NearestTurn(double angle, double reference) {
  return angle + 360 * RoundToWhole((reference - angle) * (1.0 / 360));
}

// Half the sum and half the difference of two angles, each known or free.
struct HalfPair {
  double sum = 0;
  double difference = 0;
  bool sum_is_free = false;
  bool difference_is_free = false;
};

bool IsFree(double sine, double cosine) { return Square(sine, cosine) < kFree * kFree; }

// Both angles, nearest to their references.
void Resolve(const HalfPair& pair, double* first, double* second, double first_reference,
             double second_reference) {
  if (pair.difference_is_free) {
    const double sum = first_reference + second_reference;
    const double shift = (NearestTurn(2 * pair.sum, sum) - sum) / 2;
    *first = first_reference + shift;
    *second = second_reference + shift;
  } else if (pair.sum_is_free) {
    const double difference = first_reference - second_reference;
    const double shift = (NearestTurn(2 * pair.difference, difference) - difference) / 2;
    *first = first_reference + shift;
    *second = second_reference - shift;
  } else {
    *first = NearestTurn(pair.sum + pair.difference, first_reference);
    *second = NearestTurn(pair.sum - pair.difference, second_reference);
  }
}

double SquaredDistance(const Angles& a, const Angles& b) {
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

Angles TwoAxes(const HalfPair& pair, const Angles& reference) {
  Angles angles = {0, 0, 0};
  Resolve(pair, &angles[0], &angles[1], reference[0], reference[1]);
  return angles;
}

// The branch with the middle angle within a quarter turn of 0, or the other one.
Angles Branch(HalfPair pair, double middle, bool other, const Angles& reference) {
  if (other) {
    pair.sum += 180;
    middle = 180 - middle;
  }
  Angles angles;
  Resolve(pair, &angles[0], &angles[2], reference[0], reference[2]);
  angles[1] = NearestTurn(middle, reference[1]);
  return angles;
}

Angles ThreeAxes(const HalfPair& pair, double middle, const Angles& reference) {
  const Angles near = Branch(pair, middle, false, reference);
  // In the other branch the outer angles are half a turn away.
  const bool is_near =
      std::abs(near[0] - reference[0]) < 90 && SquaredDistance(near, reference) < 90 * 90;
  if (is_near && !pair.sum_is_free && !pair.difference_is_free) return near;
  const Angles far = Branch(pair, middle, true, reference);
  return SquaredDistance(far, reference) < SquaredDistance(near, reference) ? far : near;
}

EulerParts PartsOfOne(int axis, const Quaternion& q) {
  EulerParts parts;
  parts.y[0] = q[Index(axis)];
  parts.x[0] = q[3];
  parts.first_is_free = IsFree(parts.y[0], parts.x[0]);
  return parts;
}

EulerParts PartsOfTwo(const RotationAxes& axes, const Quaternion& q) {
  const double parity = Parity(axes.axes[0], axes.axes[1]);
  const double first = q[Index(axes.axes[0])];
  const double second = q[Index(axes.axes[1])];
  const double third = parity * q[Index(3 - axes.axes[0] - axes.axes[1])];
  EulerParts parts;
  parts.y = {first + second, first - second, 0};
  parts.x = {q[3] - third, q[3] + third, 1};
  parts.first_is_free = IsFree(parts.y[0], parts.x[0]);
  parts.second_is_free = IsFree(parts.y[1], parts.x[1]);
  return parts;
}

EulerParts PartsOfThree(const RotationAxes& axes, const Quaternion& q) {
  const double x = q[Index(axes.axes[0])];
  const double y = q[Index(axes.axes[1])];
  const double z = q[Index(axes.axes[2])];
  const double w = q[3];
  const bool even = Parity(axes.axes[0], axes.axes[1]) > 0;
  // cos B + sin B and cos B - sin B, squared; their product is cos^2 B - sin^2 B.
  const double plus = Square(w + y, even ? x + z : x - z);
  const double minus = Square(w - y, even ? x - z : x + z);
  EulerParts parts;
  parts.y = {x + z, x - z, plus - minus};
  parts.x = {even ? w + y : w - y, even ? w - y : w + y, 2 * std::sqrt(plus * minus)};
  parts.first_is_free = IsFree(parts.y[0], parts.x[0]);
  parts.second_is_free = IsFree(parts.y[1], parts.x[1]);
  return parts;
}

}  // namespace

Quaternion Multiply(const Quaternion& a, const Quaternion& b) {
  return {a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
          a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
          a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
          a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
}

Quaternion Conjugate(const Quaternion& q) { return {-q[0], -q[1], -q[2], q[3]}; }

double AngleBetween(const Quaternion& a, const Quaternion& b) {
  const Quaternion d = Multiply(Conjugate(a), b);
  return 2 * std::atan2(std::hypot(d[0], d[1], d[2]), std::abs(d[3]));
}

Quaternion FromHalves(const RotationAxes& axes, const std::array<SineCosine, 3>& halves) {
  if (axes.count == 0) return {0, 0, 0, 1};
  // With fewer axes the angles about the others are 0.
  const int a = axes.axes[0], b = axes.count > 1 ? axes.axes[1] : (a + 1) % 3;
  const double parity = Parity(a, b);
  const auto [sa, ca] = halves[0];
  const auto [sb, cb] = halves[1];
  const auto [sc, cc] = halves[2];
  const double cos_cos = ca * cb, sin_cos = sa * cb, cos_sin = ca * sb, sin_sin = sa * sb;
  Quaternion q;
  q[Index(a)] = sin_cos * cc + parity * (cos_sin * sc);
  q[Index(b)] = cos_sin * cc - parity * (sin_cos * sc);
  q[Index(3 - a - b)] = cos_cos * sc + parity * (sin_sin * cc);
  q[3] = cos_cos * cc - parity * (sin_sin * sc);
  return q;
}

Quaternion FromEuler(const RotationAxes& axes, const Angles& degrees) {
  std::array<SineCosine, 3> halves;
  for (int i = 0; i < axes.count; ++i) halves[Index(i)] = SineCosineOf(0.5 * degrees[Index(i)]);
  return FromHalves(axes, halves);
}

EulerParts PartsOf(const RotationAxes& axes, const Quaternion& q) {
  switch (axes.count) {
    case 1:
      return PartsOfOne(axes.axes[0], q);
    case 2:
      return PartsOfTwo(axes, q);
    case 3:
      return PartsOfThree(axes, q);
    default:
      return {};
  }
}

Angles FromParts(const RotationAxes& axes, const EulerParts& parts, const Angles& angles,
                 const Angles& reference) {
  const HalfPair pair{angles[0], angles[1], parts.first_is_free, parts.second_is_free};
  switch (axes.count) {
    case 1:
      if (parts.first_is_free) return {reference[0], 0, 0};  // all are as near
      return {NearestTurn(2 * angles[0], reference[0]), 0, 0};
    case 2:
      return TwoAxes(pair, reference);
    case 3:
      return ThreeAxes(pair, angles[2], reference);
    default:
      return {0, 0, 0};
  }
}

Angles ToEuler(const RotationAxes& axes, const Quaternion& q, const Angles& reference) {
  const EulerParts parts = PartsOf(axes, q);
  Angles angles = {0, 0, 0};
  for (int i = 0; i < axes.count; ++i)
    angles[Index(i)] = AngleOf(parts.y[Index(i)], parts.x[Index(i)]);
  return FromParts(axes, parts, angles, reference);
}

}  // namespace ikstream::bvh
