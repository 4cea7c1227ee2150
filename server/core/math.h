// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Vectors and rotations for scalar code (analysis of clips, validation, serial passes).
// Conventions: right-handed; quaternions x y z w, Hamilton; `a * b` applies b first.
// All functions are pure and thread-safe.
#pragma once

#include <cmath>

namespace ikstream {

template <class T>
struct Vec3 {
  T x{}, y{}, z{};

  friend constexpr Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend constexpr Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend constexpr Vec3 operator-(Vec3 a) { return {-a.x, -a.y, -a.z}; }
  friend constexpr Vec3 operator*(Vec3 a, T s) { return {a.x * s, a.y * s, a.z * s}; }
  friend constexpr Vec3 operator*(T s, Vec3 a) { return a * s; }
  friend constexpr Vec3 operator/(Vec3 a, T s) { return {a.x / s, a.y / s, a.z / s}; }
  friend constexpr bool operator==(Vec3 a, Vec3 b) = default;
  constexpr Vec3& operator+=(Vec3 b) { return *this = *this + b; }
  constexpr Vec3& operator-=(Vec3 b) { return *this = *this - b; }
};

template <class T>
struct Quat {
  T x{}, y{}, z{}, w{1};
  friend constexpr bool operator==(Quat a, Quat b) = default;

  friend constexpr Quat operator*(Quat a, Quat b) {
    return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
            a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
  }
  friend constexpr Quat operator-(Quat a) { return {-a.x, -a.y, -a.z, -a.w}; }
};

using Vec3f = Vec3<float>;
using Vec3d = Vec3<double>;
using Quatf = Quat<float>;
using Quatd = Quat<double>;

template <class To, class T>
constexpr Vec3<To> Cast(Vec3<T> v) {
  return {static_cast<To>(v.x), static_cast<To>(v.y), static_cast<To>(v.z)};
}
template <class To, class T>
constexpr Quat<To> Cast(Quat<T> q) {
  return {static_cast<To>(q.x), static_cast<To>(q.y), static_cast<To>(q.z),
          static_cast<To>(q.w)};
}

// Packed arrays of the wire: three or four consecutive floats.
constexpr Vec3f LoadVec3(const float* p) { return {p[0], p[1], p[2]}; }
constexpr Quatf LoadQuat(const float* p) { return {p[0], p[1], p[2], p[3]}; }
constexpr void Store(Vec3f v, float* p) { p[0] = v.x, p[1] = v.y, p[2] = v.z; }
constexpr void Store(Quatf q, float* p) { p[0] = q.x, p[1] = q.y, p[2] = q.z, p[3] = q.w; }

template <class T>
constexpr T Dot(Vec3<T> a, Vec3<T> b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
constexpr T Dot(Quat<T> a, Quat<T> b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
template <class T>
constexpr Vec3<T> Cross(Vec3<T> a, Vec3<T> b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T>
T Length(Vec3<T> a) {
  return std::sqrt(Dot(a, a));
}
// `fallback` where `a` is too short to have a direction.
template <class T>
Vec3<T> NormalizedOr(Vec3<T> a, Vec3<T> fallback) {
  const T n = Length(a);
  return n > T(1e-20) ? a / n : fallback;
}
template <class T>
constexpr Quat<T> Conjugate(Quat<T> q) {
  return {-q.x, -q.y, -q.z, q.w};
}
template <class T>
Quat<T> Normalized(Quat<T> q) {
  const T s = T(1) / std::sqrt(Dot(q, q));
  return {q.x * s, q.y * s, q.z * s, q.w * s};
}
template <class T>
constexpr Vec3<T> Rotate(Quat<T> q, Vec3<T> v) {
  const Vec3<T> u{q.x, q.y, q.z};
  const Vec3<T> t = Cross(u, v) * T(2);
  return v + t * q.w + Cross(u, t);
}
// `axis` has unit length; the angle is in radians, by the right hand.
template <class T>
Quat<T> FromAxisAngle(Vec3<T> axis, T angle) {
  const Vec3<T> v = axis * std::sin(angle / 2);
  return {v.x, v.y, v.z, std::cos(angle / 2)};
}
// The share w of a turn, w 0..1: the long way where d.w < 0.
template <class T>
Quat<T> PartOfTurn(Quat<T> d, T w) {
  const Vec3<T> v{d.x, d.y, d.z};
  const T n = Length(v);
  const T half = std::atan2(n, d.w) * w;
  const Vec3<T> u = n > T(1e-9) ? v * (std::sin(half) / n) : v * w;
  return {u.x, u.y, u.z, std::cos(half)};
}
// From a to b the short way, at t 0..1; its sign follows a's.
template <class T>
Quat<T> Slerp(Quat<T> a, Quat<T> b, T t) {
  Quat<T> d = b * Conjugate(a);
  if (d.w < 0) d = -d;
  return Normalized(PartOfTurn(d, t) * a);
}
// Axis times angle of a unit quaternion, the short way: at most pi long.
template <class T>
Vec3<T> RotationVector(Quat<T> q) {
  if (q.w < 0) q = -q;
  const Vec3<T> v{q.x, q.y, q.z};
  const T n = Length(v);
  return v * (n > T(1e-9) ? 2 * std::atan2(n, q.w) / n : T(2));
}
// The angle of the rotation from a to b, 0..pi, exact near 0 and pi.
template <class T>
T AngleBetween(Quat<T> a, Quat<T> b) {
  const Quat<T> d = Conjugate(a) * b;
  return 2 * std::atan2(Length(Vec3<T>{d.x, d.y, d.z}), std::abs(d.w));
}

}  // namespace ikstream
