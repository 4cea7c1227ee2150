// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Turns as vectors: an axis times an angle.
#if defined(IKSTREAM_CORE_SOLVERS_TURNS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_SOLVERS_TURNS_INL_H_
#undef IKSTREAM_CORE_SOLVERS_TURNS_INL_H_
#else
#define IKSTREAM_CORE_SOLVERS_TURNS_INL_H_
#endif

#include "core/lanes/trig-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

// The axis of a rotation with w >= 0 times its angle.
template <class L>
HWY_NOINLINE V3<L> RotationVector(const Q4<L>& q) {
  const V3<L> v{q.x, q.y, q.z};
  const L n = Length(v);
  const auto some = n > L::Set(1e-12f);
  return v * Select(some, L::Set(2) * Atan2(n, q.w) / Max(n, L::Set(1e-12f)), L::Set(2));
}

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_SOLVERS_TURNS_INL_H_
