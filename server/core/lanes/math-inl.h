// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Vectors and rotations over lanes; conventions as in core/math.h. L is a Lane.
#if defined(IKSTREAM_CORE_LANES_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_LANES_MATH_INL_H_
#undef IKSTREAM_CORE_LANES_MATH_INL_H_
#else
#define IKSTREAM_CORE_LANES_MATH_INL_H_
#endif

#include "core/lanes/lane-inl.h"
#include "core/math.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

template <class L>
struct V3 {
  L x, y, z;
  static HWY_INLINE V3 Set(Vec3f v) { return {L::Set(v.x), L::Set(v.y), L::Set(v.z)}; }
  friend HWY_INLINE V3 operator+(const V3& a, const V3& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  friend HWY_INLINE V3 operator-(const V3& a, const V3& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  friend HWY_INLINE V3 operator-(const V3& a) { return {-a.x, -a.y, -a.z}; }
  friend HWY_INLINE V3 operator*(const V3& a, const L& s) {
    return {a.x * s, a.y * s, a.z * s};
  }
};

template <class L>
struct Q4 {
  L x, y, z, w;
  static HWY_INLINE Q4 Set(Quatf q) {
    return {L::Set(q.x), L::Set(q.y), L::Set(q.z), L::Set(q.w)};
  }
};

// a * s + b
template <class L>
HWY_INLINE V3<L> MulAdd(const V3<L>& a, const L& s, const V3<L>& b) {
  return {MulAdd(a.x, s, b.x), MulAdd(a.y, s, b.y), MulAdd(a.z, s, b.z)};
}
// b - a * s
template <class L>
HWY_INLINE V3<L> NegMulAdd(const V3<L>& a, const L& s, const V3<L>& b) {
  return {NegMulAdd(a.x, s, b.x), NegMulAdd(a.y, s, b.y), NegMulAdd(a.z, s, b.z)};
}
template <class L>
HWY_INLINE L Dot(const V3<L>& a, const V3<L>& b) {
  return MulAdd(a.x, b.x, MulAdd(a.y, b.y, a.z * b.z));
}
template <class L>
HWY_INLINE L Dot(const Q4<L>& a, const Q4<L>& b) {
  return MulAdd(a.x, b.x, MulAdd(a.y, b.y, MulAdd(a.z, b.z, a.w * b.w)));
}
template <class L>
HWY_INLINE V3<L> Cross(const V3<L>& a, const V3<L>& b) {
  return {NegMulAdd(a.z, b.y, a.y * b.z), NegMulAdd(a.x, b.z, a.z * b.x),
          NegMulAdd(a.y, b.x, a.x * b.y)};
}
template <class L, class M>
HWY_INLINE V3<L> Select(const M& m, const V3<L>& a, const V3<L>& b) {
  return {Select(m, a.x, b.x), Select(m, a.y, b.y), Select(m, a.z, b.z)};
}
template <class L, class M>
HWY_INLINE Q4<L> Select(const M& m, const Q4<L>& a, const Q4<L>& b) {
  return {Select(m, a.x, b.x), Select(m, a.y, b.y), Select(m, a.z, b.z), Select(m, a.w, b.w)};
}
// Vectors shorter than about 1e-18 stay shorter than unit, and finite.
template <class L>
HWY_INLINE V3<L> Normalized(const V3<L>& a) {
  return a * RSqrt(Dot(a, a));
}
// `fallback` where a is shorter than `least`.
template <class L>
HWY_INLINE V3<L> NormalizedOr(const V3<L>& a, const V3<L>& fallback, float least) {
  const L n = Dot(a, a);
  return Select(n > L::Set(least * least), a * RSqrt(n), fallback);
}
template <class L>
HWY_INLINE L Length(const V3<L>& a) {
  return Sqrt(Dot(a, a));
}
template <class L>
HWY_INLINE Q4<L> Conjugate(const Q4<L>& q) {
  return {-q.x, -q.y, -q.z, q.w};
}
template <class L>
HWY_INLINE Q4<L> operator-(const Q4<L>& q) {
  return {-q.x, -q.y, -q.z, -q.w};
}
template <class L>
HWY_INLINE Q4<L> operator*(const Q4<L>& a, const Q4<L>& b) {
  return {MulAdd(a.w, b.x, MulAdd(a.x, b.w, NegMulAdd(a.z, b.y, a.y * b.z))),
          MulAdd(a.w, b.y, MulAdd(a.y, b.w, NegMulAdd(a.x, b.z, a.z * b.x))),
          MulAdd(a.w, b.z, MulAdd(a.z, b.w, NegMulAdd(a.y, b.x, a.x * b.y))),
          NegMulAdd(a.x, b.x, NegMulAdd(a.y, b.y, NegMulAdd(a.z, b.z, a.w * b.w)))};
}
// With a third Newton step: unit within rounding.
template <class L>
HWY_INLINE Q4<L> Normalized(const Q4<L>& q) {
  const L n = Dot(q, q);
  const L y = RSqrt(n);
  const L s = MulAdd(y, NegMulAdd(n * L::Set(0.5f) * y, y, L::Set(0.5f)), y);
  return {q.x * s, q.y * s, q.z * s, q.w * s};
}
// The same for q that is unit within 1e-3 (a product of unit rotations): unit within rounding
// by the series of 1 / sqrt(n) about 1.
template <class L>
HWY_INLINE Q4<L> Renormalized(const Q4<L>& q) {
  const L n = Dot(q, q);
  const L s = NegMulAdd(NegMulAdd(L::Set(0.375f), n, L::Set(1.25f)), n, L::Set(1.875f));
  return {q.x * s, q.y * s, q.z * s, q.w * s};
}
template <class L>
HWY_INLINE V3<L> Rotate(const Q4<L>& q, const V3<L>& v) {
  const V3<L> u{q.x, q.y, q.z};
  const V3<L> c = Cross(u, v);
  const V3<L> t = c + c;
  return {NegMulAdd(u.z, t.y, MulAdd(u.y, t.z, MulAdd(t.x, q.w, v.x))),
          NegMulAdd(u.x, t.z, MulAdd(u.z, t.x, MulAdd(t.y, q.w, v.y))),
          NegMulAdd(u.y, t.x, MulAdd(u.x, t.y, MulAdd(t.z, q.w, v.z)))};
}
template <class L>
HWY_INLINE V3<L> RotateBack(const Q4<L>& q, const V3<L>& v) {
  return Rotate(Conjugate(q), v);
}
// A unit vector orthogonal to the unit vector a: a x (the axis that lies least along a).
template <class L>
HWY_NOINLINE V3<L> AnyOrthogonal(const V3<L>& a) {
  const L ax = Abs(a.x), ay = Abs(a.y), az = Abs(a.z);
  const L zero = L::Set(0);
  const V3<L> with_x{zero, a.z, -a.y}, with_y{-a.z, zero, a.x}, with_z{a.y, -a.x, zero};
  const auto x_least = (ax <= ay) & (ax <= az);
  const auto y_least = ay <= az;
  return Normalized(Select(x_least, with_x, Select(y_least, with_y, with_z)));
}
// The shortest rotation from unit a to unit b, by the half vector a + b, which stays exact near
// a = -b; there (within 1e-4 rad) the axis is any orthogonal one. Unit within 1e-3: it is made
// to be multiplied and renormalised.
template <class L>
HWY_INLINE Q4<L> NearUnitArc(const V3<L>& a, const V3<L>& b) {
  const V3<L> s = a + b;
  const L n = Dot(s, s);
  const L r = RSqrt(n);
  const V3<L> c = Cross(a, b) * r;
  const Q4<L> q{c.x, c.y, c.z, n * r * L::Set(0.5f)};
  const auto opposed = n < L::Set(1e-8f);
  if (None(opposed)) return q;
  const V3<L> axis = AnyOrthogonal(a);
  return Select(opposed, Q4<L>{axis.x, axis.y, axis.z, L::Set(0)}, q);
}
// The same for directions of any length; identity where one of them is none (below 1e-15).
template <class L>
HWY_INLINE Q4<L> ArcBetween(const V3<L>& from, const V3<L>& to) {
  const L nf = Dot(from, from), nt = Dot(to, to);
  const Q4<L> q = NearUnitArc(from * RSqrt(nf), to * RSqrt(nt));
  const auto none = Min(nf, nt) < L::Set(1e-30f);
  return None(none) ? q : Select(none, Q4<L>::Set({}), q);
}
// From a unit direction.
template <class L>
HWY_INLINE Q4<L> ArcFromUnit(const V3<L>& from, const V3<L>& to) {
  const L n = Dot(to, to);
  const Q4<L> q = NearUnitArc(from, to * RSqrt(n));
  const auto none = n < L::Set(1e-30f);
  return None(none) ? q : Select(none, Q4<L>::Set({}), q);
}
template <class L>
HWY_INLINE Q4<L> ShortestArc(const V3<L>& from, const V3<L>& to) {
  return Renormalized(ArcBetween(from, to));
}

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_LANES_MATH_INL_H_
