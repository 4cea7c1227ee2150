// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Symmetric 3x3 matrices over lanes, for least squares over the turns of joints.
#if defined(IKSTREAM_CORE_SOLVERS_SYMMETRIC3_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_SOLVERS_SYMMETRIC3_INL_H_
#undef IKSTREAM_CORE_SOLVERS_SYMMETRIC3_INL_H_
#else
#define IKSTREAM_CORE_SOLVERS_SYMMETRIC3_INL_H_
#endif

#include "core/lanes/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

template <class L>
struct Symmetric3 {
  L xx, yy, zz, xy, xz, yz;

  // w t t^T
  HWY_INLINE void AddOuter(const V3<L>& t, const L& w) {
    const V3<L> s = t * w;
    xx = MulAdd(s.x, t.x, xx), yy = MulAdd(s.y, t.y, yy), zz = MulAdd(s.z, t.z, zz);
    xy = MulAdd(s.x, t.y, xy), xz = MulAdd(s.x, t.z, xz), yz = MulAdd(s.y, t.z, yz);
  }
  // w (|r|^2 1 - r r^T): what a joint that turns about every axis does at r from it.
  HWY_INLINE void AddCross(const V3<L>& r, const L& w) {
    const V3<L> s = r * w;
    xx = MulAdd(s.y, r.y, MulAdd(s.z, r.z, xx));
    yy = MulAdd(s.x, r.x, MulAdd(s.z, r.z, yy));
    zz = MulAdd(s.x, r.x, MulAdd(s.y, r.y, zz));
    xy = NegMulAdd(s.x, r.y, xy);
    xz = NegMulAdd(s.x, r.z, xz);
    yz = NegMulAdd(s.y, r.z, yz);
  }
  HWY_INLINE void AddDiagonal(const L& d) { xx = xx + d, yy = yy + d, zz = zz + d; }
};

// The solution of a x = e by cofactors; a is positive definite by its damping.
template <class L>
HWY_INLINE V3<L> SolveSymmetric(const Symmetric3<L>& a, const V3<L>& e) {
  const L cxx = NegMulAdd(a.yz, a.yz, a.yy * a.zz);
  const L cxy = NegMulAdd(a.xy, a.zz, a.xz * a.yz);
  const L cxz = NegMulAdd(a.yy, a.xz, a.xy * a.yz);
  const L cyy = NegMulAdd(a.xz, a.xz, a.xx * a.zz);
  const L cyz = NegMulAdd(a.xx, a.yz, a.xy * a.xz);
  const L czz = NegMulAdd(a.xy, a.xy, a.xx * a.yy);
  const L det = MulAdd(a.xx, cxx, MulAdd(a.xy, cxy, a.xz * cxz));
  const L inverse = L::Set(1) / Max(det, L::Set(1e-30f));
  return V3<L>{MulAdd(cxx, e.x, MulAdd(cxy, e.y, cxz * e.z)),
               MulAdd(cxy, e.x, MulAdd(cyy, e.y, cyz * e.z)),
               MulAdd(cxz, e.x, MulAdd(cyz, e.y, czz * e.z))} *
         inverse;
}

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_SOLVERS_SYMMETRIC3_INL_H_
