// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cpp/bvh/euler.h"

#include <algorithm>
#include <cmath>

#include "cpp/bvh/trig.h"

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

HalfPair HalfPairOf(double sum_sin, double sum_cos, double difference_sin,
                    double difference_cos) {
  return {AngleOf(sum_sin, sum_cos), AngleOf(difference_sin, difference_cos),
          Square(sum_sin, sum_cos) < kFree * kFree,
          Square(difference_sin, difference_cos) < kFree * kFree};
}

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

Angles OneAxis(int axis, const Quaternion& q, const Angles& reference) {
  const double sine = q[Index(axis)];
  if (Square(sine, q[3]) < kFree * kFree) return {reference[0], 0, 0};  // all are as near
  return {NearestTurn(2 * AngleOf(sine, q[3]), reference[0]), 0, 0};
}

Angles TwoAxes(const RotationAxes& axes, const Quaternion& q, const Angles& reference) {
  const double parity = Parity(axes.axes[0], axes.axes[1]);
  const double first = q[Index(axes.axes[0])];
  const double second = q[Index(axes.axes[1])];
  const double third = parity * q[Index(3 - axes.axes[0] - axes.axes[1])];
  const HalfPair pair = HalfPairOf(first + second, q[3] - third, first - second, q[3] + third);
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

Angles ThreeAxes(const RotationAxes& axes, const Quaternion& q, const Angles& reference) {
  const double x = q[Index(axes.axes[0])];
  const double y = q[Index(axes.axes[1])];
  const double z = q[Index(axes.axes[2])];
  const double w = q[3];
  const bool even = Parity(axes.axes[0], axes.axes[1]) > 0;
  // cos B + sin B and cos B - sin B, squared; their product is cos^2 B - sin^2 B.
  const double plus = Square(w + y, even ? x + z : x - z);
  const double minus = Square(w - y, even ? x - z : x + z);
  const double middle = AngleOf(plus - minus, 2 * std::sqrt(plus * minus));
  const HalfPair pair =
      even ? HalfPairOf(x + z, w + y, x - z, w - y) : HalfPairOf(x + z, w - y, x - z, w + y);
  const Angles near = Branch(pair, middle, false, reference);
  const Angles far = Branch(pair, middle, true, reference);
  return SquaredDistance(far, reference) < SquaredDistance(near, reference) ? far : near;
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

Quaternion FromEuler(const RotationAxes& axes, const Angles& degrees) {
  Quaternion q = {0, 0, 0, 1};
  for (int i = 0; i < axes.count; ++i) {
    const auto [s, c] = SineCosineOf(0.5 * degrees[Index(i)]);
    // The product with s * axis + c, written out.
    const std::size_t u = Index(axes.axes[Index(i)]);
    const std::size_t v = (u + 1) % 3;
    const std::size_t t = (u + 2) % 3;
    const Quaternion p = q;
    q[u] = p[u] * c + p[3] * s;
    q[v] = p[v] * c + p[t] * s;
    q[t] = p[t] * c - p[v] * s;
    q[3] = p[3] * c - p[u] * s;
  }
  return q;
}

Angles ToEuler(const RotationAxes& axes, const Quaternion& q, const Angles& reference) {
  switch (axes.count) {
    case 1:
      return OneAxis(axes.axes[0], q, reference);
    case 2:
      return TwoAxes(axes, q, reference);
    case 3:
      return ThreeAxes(axes, q, reference);
    default:
      return {0, 0, 0};
  }
}

}  // namespace ikstream::bvh
