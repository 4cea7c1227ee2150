// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Trigonometry over lanes: least-maximum polynomials fitted for this file (Chebyshev nodes),
// within 5e-7 of the true value; measured by tests/unit/core/lane_math_test.cc.
#if defined(IKSTREAM_CORE_LANES_TRIG_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_LANES_TRIG_INL_H_
#undef IKSTREAM_CORE_LANES_TRIG_INL_H_
#else
#define IKSTREAM_CORE_LANES_TRIG_INL_H_
#endif

#include "core/lanes/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

inline constexpr float kLanePi = 3.14159265f;

// The angle of (x, y), -pi..pi; 0 at the origin.
template <class L>
HWY_NOINLINE L Atan2(const L& y, const L& x) {
  const L ax = Abs(x), ay = Abs(y);
  const L a = Min(ax, ay) / Max(Max(ax, ay), L::Set(1e-30f));
  const L s = a * a;
  L p = MulAdd(s, L::Set(-0.00466877331f), L::Set(0.0241661895f));
  p = MulAdd(p, s, L::Set(-0.0593671008f));
  p = MulAdd(p, s, L::Set(0.099060969f));
  p = MulAdd(p, s, L::Set(-0.14016585f));
  p = MulAdd(p, s, L::Set(0.199692354f));
  p = MulAdd(p, s, L::Set(-0.333319597f));
  p = MulAdd(p, s, L::Set(0.999999898f)) * a;
  p = Select(ay > ax, L::Set(kLanePi / 2) - p, p);
  p = Select(x < L::Set(0), L::Set(kLanePi) - p, p);
  return CopySign(p, y);
}

// Both for |angle| up to a few turns.
template <class L>
struct SinCosOf {
  L sin, cos;
};
template <class L>
HWY_NOINLINE SinCosOf<L> SinCos(const L& angle) {
  const L turns = Round(angle * L::Set(2 / kLanePi));  // quarter turns
  // pi / 2 in two parts, so that the difference keeps its digits.
  L a = NegMulAdd(turns, L::Set(1.57079601f), angle);
  a = NegMulAdd(turns, L::Set(3.13916473e-7f), a);
  const L s = a * a;
  L sine = MulAdd(s, L::Set(-0.000195039631f), L::Set(0.00833203633f));
  sine = MulAdd(MulAdd(sine, s, L::Set(-0.166666507f)) * s, a, a);
  L cosine = MulAdd(s, L::Set(2.43798803e-05f), L::Set(-0.00138866186f));
  cosine = MulAdd(MulAdd(cosine, s, L::Set(0.0416666167f)), s, L::Set(-0.499999996f));
  cosine = MulAdd(cosine, s, L::Set(1));
  // The quadrant, 0..3, as a float.
  const L quadrant = turns - L::Set(4) * Round(turns * L::Set(0.25f) - L::Set(0.375f));
  const auto odd = (quadrant > L::Set(0.5f)) & (quadrant < L::Set(1.5f));
  const auto three = quadrant > L::Set(2.5f);
  const auto two = (quadrant > L::Set(1.5f)) & !three;
  const auto swap = odd | three;
  const L s1 = Select(swap, cosine, sine), c1 = Select(swap, sine, cosine);
  return {Select(two | three, -s1, s1), Select(odd | two, -c1, c1)};
}

// The arc cosine of c, -1..1 (clamped): as the angle of a point on the circle.
template <class L>
HWY_INLINE L Acos(const L& c) {
  const L one = L::Set(1);
  const L x = Max(Min(c, one), -one);
  return Atan2(Sqrt(Max((one - x) * (one + x), L::Set(0))), x);
}

// exp(-x) for x >= 0, within 1e-5: the 32nd power of a short series; 0 beyond 16.
template <class L>
HWY_NOINLINE L ExpMinus(const L& x) {
  const L far = L::Set(16);
  const L y = Min(x, far) * L::Set(-1.0f / 32);
  L p = MulAdd(y, L::Set(1.0f / 720), L::Set(1.0f / 120));
  p = MulAdd(p, y, L::Set(1.0f / 24));
  p = MulAdd(p, y, L::Set(1.0f / 6));
  p = MulAdd(p, y, L::Set(0.5f));
  p = MulAdd(p, y, L::Set(1));
  p = MulAdd(p, y, L::Set(1));
  for (int i = 0; i < 5; ++i) p = p * p;
  return Select(x < far, p, L::Set(0));
}

// exp of half the rotation vector: the rotation by |v| about v.
template <class L>
HWY_NOINLINE Q4<L> FromRotationVector(const V3<L>& v) {
  const L angle = Length(v);
  const auto part = SinCos(angle * L::Set(0.5f));
  const L s = Select(angle > L::Set(1e-6f), part.sin / Max(angle, L::Set(1e-6f)), L::Set(0.5f));
  return {v.x * s, v.y * s, v.z * s, part.cos};
}

// slerp(1, q, t) for unit q with w >= 0: q to the power t.
template <class L>
HWY_NOINLINE Q4<L> Power(const Q4<L>& q, const L& t) {
  const V3<L> u{q.x, q.y, q.z};
  const L n = Length(u);
  const auto part = SinCos(Atan2(n, q.w) * t);
  const L s = Select(n > L::Set(1e-7f), part.sin / Max(n, L::Set(1e-7f)), t);
  return {u.x * s, u.y * s, u.z * s, part.cos};
}

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_LANES_TRIG_INL_H_
