// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Rows of floats, one column per problem, as values of lanes.
#if defined(IKSTREAM_CORE_LANES_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_LANES_ROWS_INL_H_
#undef IKSTREAM_CORE_LANES_ROWS_INL_H_
#else
#define IKSTREAM_CORE_LANES_ROWS_INL_H_
#endif

#include "core/lanes/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

// The base of `Self`, which has the members `float* base`, aligned to a register, and `stride`,
// the floats from row to row; static where it is known, so that it costs nothing.
template <class Self, class L>
struct Rows {
  HWY_INLINE L Row(int r) const { return L::Load(At(r)); }
  HWY_INLINE void Put(int r, const L& v) const { v.Store(At(r)); }
  HWY_INLINE V3<L> Row3(int r) const { return {Row(r), Row(r + 1), Row(r + 2)}; }
  HWY_INLINE void Put3(int r, const V3<L>& v) const {
    Put(r, v.x), Put(r + 1, v.y), Put(r + 2, v.z);
  }
  HWY_INLINE Q4<L> Row4(int r) const { return {Row(r), Row(r + 1), Row(r + 2), Row(r + 3)}; }
  HWY_INLINE void Put4(int r, const Q4<L>& q) const {
    Put(r, q.x), Put(r + 1, q.y), Put(r + 2, q.z), Put(r + 3, q.w);
  }

 private:
  HWY_INLINE float* At(int r) const {
    const Self& self = static_cast<const Self&>(*this);
    return self.base + r * self.stride;
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_LANES_ROWS_INL_H_
