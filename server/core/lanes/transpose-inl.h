// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Packed values to and from lanes: four floats of each column at a time, sixteen bytes a load
// or store, and the 4x4 transposes between in registers.
#if defined(IKSTREAM_CORE_LANES_TRANSPOSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_LANES_TRANSPOSE_INL_H_
#undef IKSTREAM_CORE_LANES_TRANSPOSE_INL_H_
#else
#define IKSTREAM_CORE_LANES_TRANSPOSE_INL_H_
#endif

#include <cstring>

#include "core/lanes/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

// The frames of the columns. Idle columns repeat a frame that is there.
template <class L>
struct Columns {
  HWY_ALIGN_MAX std::int32_t frame[L::kWidth];
  int count = 0;     // those that are wanted
  bool row = false;  // all columns, and their frames follow one another
};

// Where a value of each frame stands.
struct TrackAt {
  const float* data;
  std::ptrdiff_t stride;
  HWY_INLINE const float* operator()(int frame) const { return data + stride * frame; }
};

#if HWY_TARGET != HWY_SCALAR
// The 128-bit blocks of a register, from columns first, first + 4, first + 8...
template <class D, class Ptr>
HWY_INLINE hn::Vec<D> LoadBlocks(D d, const Ptr& column, int first) {
  constexpr int lanes = static_cast<int>(hn::MaxLanes(D()));
  if constexpr (lanes == 4) {
    return hn::LoadU(d, column(first));
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, LoadBlocks(half, column, first + lanes / 2),
                       LoadBlocks(half, column, first));
  }
}
template <class D, class Ptr>
HWY_INLINE void StoreBlocks(D d, hn::Vec<D> v, const Ptr& column, int first) {
  constexpr int lanes = static_cast<int>(hn::MaxLanes(D()));
  if constexpr (lanes == 4) {
    hn::StoreU(v, d, column(first));
  } else {
    const hn::Half<D> half;
    StoreBlocks(half, hn::LowerHalf(half, v), column, first);
    StoreBlocks(half, hn::UpperHalf(half, v), column, first + lanes / 2);
  }
}

// Four registers as rows of 4x4 blocks, transposed: its own inverse.
template <class D>
HWY_INLINE void Transpose4(D d, hn::Vec<D> (&v)[4]) {
  const hn::RepartitionToWide<D> wide;
  const auto low01 = hn::BitCast(wide, hn::InterleaveLower(d, v[0], v[1]));
  const auto low23 = hn::BitCast(wide, hn::InterleaveLower(d, v[2], v[3]));
  const auto high01 = hn::BitCast(wide, hn::InterleaveUpper(d, v[0], v[1]));
  const auto high23 = hn::BitCast(wide, hn::InterleaveUpper(d, v[2], v[3]));
  v[0] = hn::BitCast(d, hn::InterleaveLower(wide, low01, low23));
  v[1] = hn::BitCast(d, hn::InterleaveUpper(wide, low01, low23));
  v[2] = hn::BitCast(d, hn::InterleaveLower(wide, high01, high23));
  v[3] = hn::BitCast(d, hn::InterleaveUpper(wide, high01, high23));
}

#endif  // HWY_TARGET != HWY_SCALAR

// The four floats at column(c) of each column c.
template <class L, class Ptr>
HWY_INLINE Q4<L> LoadColumns4(const Ptr& column) {
  const typename L::D d;
  Q4<L> q;
  for (int k = 0; k < L::K; ++k) {
    const int first = k * L::kPerRegister;
    typename L::V v[4];
    if constexpr (L::kPerRegister >= 4) {
      for (int i = 0; i < 4; ++i) v[i] = LoadBlocks(d, column, first + i);
      Transpose4(d, v);
    } else {
      for (int i = 0; i < 4; ++i) v[i] = hn::Set(d, column(first)[i]);
    }
    q.x.v[k] = v[0], q.y.v[k] = v[1], q.z.v[k] = v[2], q.w.v[k] = v[3];
  }
  return q;
}

template <class L, class Ptr>
HWY_INLINE void StoreColumns4(const Q4<L>& q, const Ptr& column) {
  const typename L::D d;
  for (int k = 0; k < L::K; ++k) {
    const int first = k * L::kPerRegister;
    typename L::V v[4] = {q.x.v[k], q.y.v[k], q.z.v[k], q.w.v[k]};
    if constexpr (L::kPerRegister >= 4) {
      Transpose4(d, v);
      for (int i = 0; i < 4; ++i) StoreBlocks(d, v[i], column, first + i);
    } else {
      for (int i = 0; i < 4; ++i) column(first)[i] = hn::GetLane(v[i]);
    }
  }
}

// Where the frame of each column begins in packed data: worked out once for all values in it.
template <class L, class T>
struct RowsAt {
  T* column[L::kWidth];

  HWY_INLINE RowsAt(const Columns<L>& columns, T* data, std::ptrdiff_t stride) {
    for (int c = 0; c < L::kWidth; ++c) column[c] = data + stride * columns.frame[c];
  }
  HWY_INLINE auto operator[](std::ptrdiff_t offset) const {
    return [this, offset](int c) HWY_ATTR { return column[c] + offset; };
  }
};

// A unit rotation of each column's frame.
template <class L>
HWY_INLINE Q4<L> Gather4(const RowsAt<L, const float>& rows, std::ptrdiff_t offset) {
  return Renormalized(LoadColumns4<L>(rows[offset]));
}
template <class L>
HWY_INLINE Q4<L> Gather4(const Columns<L>& columns, const TrackAt& at) {
  return Gather4<L>(RowsAt<L, const float>(columns, at.data, at.stride), 0);
}

template <class L>
HWY_INLINE V3<L> Gather3(const Columns<L>& columns, const TrackAt& at) {
  const typename L::D d;
  V3<L> out;
  if (L::kPerRegister >= 4 && columns.row && at.stride == 3) {
    const float* p = at(columns.frame[0]);
    for (int k = 0; k < L::K; ++k)
      hn::LoadInterleaved3(d, p + 3 * k * L::kPerRegister, out.x.v[k], out.y.v[k], out.z.v[k]);
    return out;
  }
  HWY_ALIGN_MAX float rows[3][L::kWidth];
  for (int c = 0; c < L::kWidth; ++c) {
    const float* p = at(columns.frame[c]);
    for (int i = 0; i < 3; ++i) rows[i][c] = p[i];
  }
  return {L::Load(rows[0]), L::Load(rows[1]), L::Load(rows[2])};
}

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_LANES_TRANSPOSE_INL_H_
