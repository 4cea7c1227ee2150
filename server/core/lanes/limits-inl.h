// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Limits of joints over lanes: the nearest rotation inside, by the joint's own terms. A
// rotation that is inside keeps its bits. Swing and twist: q = rest * swing * twist, the twist
// about the bone's axis (the decomposition by projection of the quaternion onto the axis).
#if defined(IKSTREAM_CORE_LANES_LIMITS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_LANES_LIMITS_INL_H_
#undef IKSTREAM_CORE_LANES_LIMITS_INL_H_
#else
#define IKSTREAM_CORE_LANES_LIMITS_INL_H_
#endif

#include <algorithm>

#include "core/lanes/axis_turns-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

template <class L>
HWY_NOINLINE Q4<L> ClampHinge(const JointBound& bound, const Q4<L>& q,
                              typename L::Mask& outside) {
  const V3<L> axis = V3<L>::Set(bound.axis);
  const Q4<L> d = FromRest(bound, q);
  L norm2;
  Turn<L> turn = TurnAbout(d, axis, norm2);
  const V3<L> u{d.x, d.y, d.z};
  const V3<L> off = NegMulAdd(axis, Dot(u, axis), u);
  auto out = Dot(off, off) > L::Set(kHingeSlack * kHingeSlack);
  turn = ClampTurn(bound.turn, turn, out);
  outside = outside | out;
  return Select(out, ToLocal(bound, About(axis, turn)), q);
}

// The point of the ellipse with half axes x, y that is nearest to (u, v), which is outside:
// Newton on the multiplier s of the closest-point equations, which falls to the root from below
// (the function is convex and decreasing).
template <class L>
HWY_INLINE void NearestOnEllipse(float x, float y, L& u, L& v) {
  const L ax = L::Set(std::max(x, 1e-5f)), ay = L::Set(std::max(y, 1e-5f));
  const L xu = ax * Abs(u), yv = ay * Abs(v), x2 = ax * ax, y2 = ay * ay;
  L s = Max(Max(xu - x2, yv - y2), L::Set(0));
  const L one = L::Set(1);
  for (int i = 0; i < 8; ++i) {
    const L ru = one / (s + x2), rv = one / (s + y2);
    const L fu = xu * ru, fv = yv * rv;
    const L f = MulAdd(fu, fu, NegMulAdd(one, one, fv * fv));
    const L slope = MulAdd(fu * fu, ru, fv * fv * rv);
    s = MulAdd(f * L::Set(0.5f), one / Max(slope, L::Set(1e-20f)), s);
  }
  const L nu = ax * xu / (s + x2), nv = ay * yv / (s + y2);
  const L eu = nu / ax, ev = nv / ay;
  const L scale = one / Sqrt(Max(MulAdd(eu, eu, ev * ev), one));
  u = CopySign(nu * scale, u);
  v = CopySign(nv * scale, v);
}

// Lanes whose bone leans out of a circular cone; by the sine where it is narrow, by the cosine
// where it is wide, which are exact there.
template <class L>
HWY_INLINE typename L::Mask LeansOut(const JointBound& bound, const V3<L>& axis,
                                     const Q4<L>& d) {
  const V3<L> u{d.x, d.y, d.z};
  const L t = Dot(u, axis);
  if (bound.cone_cos < 0.7f) {
    const L least = L::Set(std::max(0.0f, bound.cone_cos - kLimitSlack));
    return MulAdd(t, t, d.w * d.w) < least * least;
  }
  const V3<L> off = NegMulAdd(axis, t, u);
  const L most = L::Set(bound.cone_sin + kLimitSlack);
  return Dot(off, off) > most * most;
}

// `swing` has no turn about the bone's axis and w >= 0. `out`: the lanes known to be outside (a
// circular cone); else found here.
template <class L>
HWY_INLINE Q4<L> ClampSwing(const JointBound& bound, const Q4<L>& swing,
                            typename L::Mask& out) {
  const V3<L> s{swing.x, swing.y, swing.z};
  const L n = Length(s);
  const L inverse = L::Set(1) / Max(n, L::Set(1e-12f));
  if (bound.round) {
    const L k = inverse * L::Set(bound.cone_sin);
    return Select(out, Q4<L>{s.x * k, s.y * k, s.z * k, L::Set(bound.cone_cos)}, swing);
  }
  const L k = L::Set(2) * Atan2(n, swing.w) * inverse;
  const V3<L> au = V3<L>::Set(bound.swing_u), av = V3<L>::Set(bound.swing_v);
  L u = Dot(s, au) * k, v = Dot(s, av) * k;
  const L eu = u / L::Set(std::max(bound.swing_x, 1e-5f));
  const L ev = v / L::Set(std::max(bound.swing_y, 1e-5f));
  out = MulAdd(eu, eu, ev * ev) > L::Set(1 + 1e-5f);
  if (None(out)) return swing;
  NearestOnEllipse(bound.swing_x, bound.swing_y, u, v);
  return Select(out, FromRotationVector(MulAdd(au, u, av * v)), swing);
}

// A circular cone with free twist, the common one, and so inline. Of d = swing * twist the part
// along the axis (with w) has the size of the swing's cosine and the part across that of its
// sine, and both keep their directions.
template <class L>
HWY_INLINE Q4<L> ClampCone(const JointBound& bound, const Q4<L>& q, typename L::Mask& outside) {
  const V3<L> axis = V3<L>::Set(bound.axis);
  const Q4<L> d = FromRest(bound, q);
  const auto out = LeansOut(bound, axis, d);
  if (None(out)) return q;
  outside = outside | out;
  L norm2;
  const Turn<L> turn = TurnAbout(d, axis, norm2);
  const V3<L> u{d.x, d.y, d.z};
  const V3<L> across = NegMulAdd(axis, Dot(u, axis), u);
  const L sine = ByRoot(L::Set(bound.cone_sin), Dot(across, across));
  const L cosine = L::Set(bound.cone_cos);
  const V3<L> v = MulAdd(across, sine, axis * (turn.sin * cosine));
  const Q4<L> inside = Renormalized(Q4<L>{v.x, v.y, v.z, turn.cos * cosine});
  return Select(out, ToLocal(bound, inside), q);
}

template <class L>
HWY_NOINLINE Q4<L> ClampSwingTwist(const JointBound& bound, const Q4<L>& q,
                                   typename L::Mask& outside) {
  const V3<L> axis = V3<L>::Set(bound.axis);
  const Q4<L> d = FromRest(bound, q);
  auto out = LeansOut(bound, axis, d);
  L norm2;
  const Turn<L> turn = TurnAbout(d, axis, norm2);
  const Q4<L> swing = d * Conjugate(About(axis, turn));
  const Q4<L> new_swing = ClampSwing(bound, swing, out);
  const Turn<L> new_turn = ClampTurn(bound.turn, turn, out);
  if (None(out)) return q;
  outside = outside | out;
  return Select(out, ToLocal(bound, new_swing * About(axis, new_turn)), q);
}

template <class L>
struct Angles {
  L x, y, z;
  typename L::Mask locked;  // y is +-90 degrees: x and z turn about one axis, x is 0
};

// One angle into [low, high], over whole turns; adds what it moved to `moved`.
template <class L>
HWY_INLINE L ClampAngle(const L& angle, float low, float high, L& moved) {
  const L centre = L::Set((low + high) / 2), half = L::Set((high - low) / 2);
  const L turn = L::Set(2 * kLanePi);
  L a = angle - centre;
  a = NegMulAdd(Round(a * L::Set(0.5f / kLanePi)), turn, a);
  const L c = Max(Min(a, half), -half);
  moved = moved + Abs(a - c);
  return c + centre;
}
template <class L>
HWY_INLINE Angles<L> ClampAngles(const JointBound& b, const Angles<L>& a, L& moved) {
  moved = L::Set(0);
  return {ClampAngle(a.x, b.euler_min.x, b.euler_max.x, moved),
          ClampAngle(a.y, b.euler_min.y, b.euler_max.y, moved),
          ClampAngle(a.z, b.euler_min.z, b.euler_max.z, moved), a.locked};
}

// In gimbal lock, angles of the same rotation that lie in the ranges of x and z, or as near as
// the two together can come: x takes what it must, then z, then x what z could not.
template <class L>
HWY_INLINE Angles<L> ShareLocked(const JointBound& b, const Angles<L>& a) {
  if (None(a.locked)) return a;
  const L side = CopySign(L::Set(1), a.y);
  L moved;
  const L must = ClampAngle(a.x, b.euler_min.x, b.euler_max.x, moved);
  const L z = MulAdd(side, must, a.z);
  const L rest = ClampAngle(z, b.euler_min.z, b.euler_max.z, moved) - z;
  const L x = ClampAngle(MulAdd(side, rest, must), b.euler_min.x, b.euler_max.x, moved);
  return {Select(a.locked, x, a.x), a.y, Select(a.locked, MulAdd(side, x, a.z), a.z), a.locked};
}

// Angles of d = Rz Ry Rx.
template <class L>
HWY_INLINE Angles<L> AnglesOf(const Q4<L>& d) {
  const L two = L::Set(2), one = L::Set(1);
  const L m00 = NegMulAdd(two, MulAdd(d.y, d.y, d.z * d.z), one);
  const L m10 = two * MulAdd(d.w, d.z, d.x * d.y);
  const L m20 = two * NegMulAdd(d.w, d.y, d.x * d.z);
  const L m21 = two * MulAdd(d.w, d.x, d.y * d.z);
  const L m22 = NegMulAdd(two, MulAdd(d.x, d.x, d.y * d.y), one);
  const L m01 = two * NegMulAdd(d.w, d.z, d.x * d.y);
  const L m11 = NegMulAdd(two, MulAdd(d.x, d.x, d.z * d.z), one);
  const L c = Sqrt(MulAdd(m00, m00, m10 * m10));
  const auto locked = c < L::Set(1e-4f);
  return {Select(locked, L::Set(0), Atan2(m21, m22)), Atan2(-m20, c),
          Select(locked, Atan2(-m01, m11), Atan2(m10, m00)), locked};
}
template <class L>
HWY_INLINE Q4<L> FromAngles(const Angles<L>& a) {
  const L half = L::Set(0.5f), zero = L::Set(0);
  const auto x = SinCos(a.x * half), y = SinCos(a.y * half), z = SinCos(a.z * half);
  return Q4<L>{zero, zero, z.sin, z.cos} *
         (Q4<L>{zero, y.sin, zero, y.cos} * Q4<L>{x.sin, zero, zero, x.cos});
}

// The same rotation has two triples of angles; the one that needs less is clamped.
template <class L>
HWY_NOINLINE Q4<L> ClampEuler(const JointBound& bound, const Q4<L>& q,
                              typename L::Mask& outside) {
  const Angles<L> a = ShareLocked(bound, AnglesOf(FromRest(bound, q)));
  const L pi = L::Set(kLanePi);
  L moved, other_moved;
  const Angles<L> near = ClampAngles(bound, a, moved);
  const Angles<L> other =
      ClampAngles(bound, Angles<L>{a.x + pi, pi - a.y, a.z + pi, a.locked}, other_moved);
  const auto swap = other_moved < moved;
  const auto out = Min(moved, other_moved) > L::Set(2 * kLimitSlack);
  if (None(out)) return q;
  outside = outside | out;
  const Angles<L> best{Select(swap, other.x, near.x), Select(swap, other.y, near.y),
                       Select(swap, other.z, near.z), a.locked};
  return Select(out, ToLocal(bound, FromAngles(best)), q);
}

// q inside the joint's limit; adds the lanes that were outside to `outside`.
template <class L>
HWY_INLINE Q4<L> Clamp(const JointBound& bound, const Q4<L>& q, typename L::Mask& outside) {
  switch (bound.kind) {
    case JointBound::Kind::kHinge:
      return ClampHinge(bound, q, outside);
    case JointBound::Kind::kSwingTwist:
      if (bound.round && bound.turn.free) return ClampCone(bound, q, outside);
      return ClampSwingTwist(bound, q, outside);
    case JointBound::Kind::kEuler:
      return ClampEuler(bound, q, outside);
    case JointBound::Kind::kFree:
      break;
  }
  return q;
}

// The turn of a joint, in its parent's frame, that brings direction `from` nearest to `to`: a
// hinge turns about its axis only. Neither need be unit; the turn is unit within 1e-3 only.
template <class L>
HWY_INLINE Q4<L> TurnToward(const JointBound& bound, const V3<L>& from, const V3<L>& to) {
  if (bound.kind == JointBound::Kind::kHinge)
    return TurnAboutAxis(V3<L>::Set(bound.parent_axis), from, to);
  return ArcBetween(from, to);
}

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_LANES_LIMITS_INL_H_
