// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Turns about an axis by their half angles: the part of a rotation that turns about it, kept in
// a range; the turn that brings one direction to another.
#if defined(IKSTREAM_CORE_LANES_AXIS_TURNS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_LANES_AXIS_TURNS_INL_H_
#undef IKSTREAM_CORE_LANES_AXIS_TURNS_INL_H_
#else
#define IKSTREAM_CORE_LANES_AXIS_TURNS_INL_H_
#endif

#include "core/bounds.h"
#include "core/lanes/trig-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

// What rounding may add before a rotation counts as outside; far below the 1e-4 rad promised.
inline constexpr float kLimitSlack = 2e-6f;
// The same for half the angle that a hinge may lean off its axis.
inline constexpr float kHingeSlack = 1e-5f;

// A turn about an axis by its half angle.
template <class L>
struct Turn {
  L sin, cos;
};

// Clamps a unit turn into a range; adds the lanes that were outside to `outside`.
template <class L>
HWY_INLINE Turn<L> ClampTurn(const TurnRange& range, const Turn<L>& turn,
                             typename L::Mask& outside) {
  if (range.free) return turn;
  const L cs = L::Set(range.centre_sin), cc = L::Set(range.centre_cos);
  const L hs = L::Set(range.half_sin), hc = L::Set(range.half_cos);
  L s = NegMulAdd(turn.cos, cs, turn.sin * cc);
  L c = MulAdd(turn.sin, cs, turn.cos * cc);
  s = Select(c < L::Set(0), -s, s);
  c = Abs(c);
  const auto out = Abs(s) * hc > MulAdd(c, hs, L::Set(kLimitSlack));
  outside = outside | out;
  s = Select(out, CopySign(hs, s), s);
  c = Select(out, hc, c);
  return {MulAdd(c, cs, s * cc), NegMulAdd(s, cs, c * cc)};
}

template <class L>
HWY_INLINE Q4<L> About(const V3<L>& axis, const Turn<L>& turn) {
  return {axis.x * turn.sin, axis.y * turn.sin, axis.z * turn.sin, turn.cos};
}

// The part of d that turns about `axis`; identity where d has none.
template <class L>
HWY_INLINE Turn<L> TurnAbout(const Q4<L>& d, const V3<L>& axis, L& norm2) {
  const L t = Dot(V3<L>{d.x, d.y, d.z}, axis);
  norm2 = MulAdd(t, t, d.w * d.w);
  const auto some = norm2 > L::Set(1e-12f);
  const L r = RSqrt(norm2);
  return {Select(some, t * r, L::Set(0)), Select(some, d.w * r, L::Set(1))};
}

template <class L>
HWY_INLINE Q4<L> FromRest(const JointBound& bound, const Q4<L>& q) {
  return bound.rest_is_identity ? q : Conjugate(Q4<L>::Set(bound.rest)) * q;
}
template <class L>
HWY_INLINE Q4<L> ToLocal(const JointBound& bound, const Q4<L>& d) {
  return bound.rest_is_identity ? d : Q4<L>::Set(bound.rest) * d;
}

// The turn about a unit axis that brings `from` nearest to `to`; identity where one of them
// lies along the axis or is zero. Neither need be unit.
template <class L>
HWY_INLINE Q4<L> TurnAboutAxis(const V3<L>& axis, const V3<L>& from, const V3<L>& to) {
  const V3<L> f = NegMulAdd(axis, Dot(from, axis), from);
  const V3<L> t = NegMulAdd(axis, Dot(to, axis), to);
  const L sine = Dot(Cross(f, t), axis), cosine = Dot(f, t);
  // tan(a / 2) = sin / (1 + cos) = (1 - cos) / sin, whichever does not cancel.
  const L n = Sqrt(MulAdd(sine, sine, cosine * cosine));
  const auto back = cosine < L::Set(0);
  L c = Select(back, Abs(sine), cosine + n);
  L s = Select(back, CopySign(n - cosine, sine), sine);
  const auto none = Min(Dot(f, f) * Dot(to, to), Dot(t, t) * Dot(from, from)) <=
                    L::Set(1e-12f) * Dot(from, from) * Dot(to, to);
  const L r = L::Set(1) / Sqrt(Max(MulAdd(s, s, c * c), L::Set(1e-36f)));
  s = Select(none, L::Set(0), s * r);
  c = Select(none, L::Set(1), c * r);
  return {axis.x * s, axis.y * s, axis.z * s, c};
}

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_LANES_AXIS_TURNS_INL_H_
