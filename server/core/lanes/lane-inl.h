// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The lane type: K registers of floats that are worked on as one value. Each lane is a problem
// of its own; no operation here mixes lanes, so that the bits of a lane never depend on its
// position, on the width of the registers or on its neighbours.
//
// Only operations that IEEE 754 defines exactly are used (no approximate instructions: makers
// differ there), so targets with fused multiply-add (AVX2, AVX-512, NEON) give the same bits as
// one another. More than one register hides the latency of chains of joints.
#if defined(IKSTREAM_CORE_LANES_LANE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_LANES_LANE_INL_H_
#undef IKSTREAM_CORE_LANES_LANE_INL_H_
#else
#define IKSTREAM_CORE_LANES_LANE_INL_H_
#endif

#include <bit>
#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#define IKSTREAM_EACH _Pragma("GCC unroll 8") for (int k = 0; k < K; ++k)

// Truth values, one per lane.
template <class D, int K>
struct LaneMask {
  hn::Mask<D> m[K];

  friend HWY_INLINE LaneMask operator&(LaneMask a, const LaneMask& b) {
    IKSTREAM_EACH a.m[k] = hn::And(a.m[k], b.m[k]);
    return a;
  }
  friend HWY_INLINE LaneMask operator|(LaneMask a, const LaneMask& b) {
    IKSTREAM_EACH a.m[k] = hn::Or(a.m[k], b.m[k]);
    return a;
  }
  friend HWY_INLINE LaneMask operator!(LaneMask a) {
    IKSTREAM_EACH a.m[k] = hn::Not(a.m[k]);
    return a;
  }
};

template <class Tag, int kRegisters = 1>
struct Lane {
  using D = Tag;
  static constexpr int K = kRegisters;
  static constexpr int kPerRegister = static_cast<int>(hn::MaxLanes(Tag()));
  static constexpr int kWidth = K * kPerRegister;
  using V = hn::Vec<D>;
  using Mask = LaneMask<D, K>;
  V v[K];

  static HWY_INLINE Lane Set(float x) {
    Lane r;
    IKSTREAM_EACH r.v[k] = hn::Set(D(), x);
    return r;
  }
  // `p` is aligned to the register's size and holds kWidth floats.
  static HWY_INLINE Lane Load(const float* p) {
    Lane r;
    IKSTREAM_EACH r.v[k] = hn::Load(D(), p + k * kPerRegister);
    return r;
  }
  HWY_INLINE void Store(float* p) const {
    IKSTREAM_EACH hn::Store(v[k], D(), p + k * kPerRegister);
  }
  friend HWY_INLINE Lane operator+(Lane a, const Lane& b) {
    IKSTREAM_EACH a.v[k] = hn::Add(a.v[k], b.v[k]);
    return a;
  }
  friend HWY_INLINE Lane operator-(Lane a, const Lane& b) {
    IKSTREAM_EACH a.v[k] = hn::Sub(a.v[k], b.v[k]);
    return a;
  }
  friend HWY_INLINE Lane operator*(Lane a, const Lane& b) {
    IKSTREAM_EACH a.v[k] = hn::Mul(a.v[k], b.v[k]);
    return a;
  }
  friend HWY_INLINE Lane operator/(Lane a, const Lane& b) {
    IKSTREAM_EACH a.v[k] = hn::Div(a.v[k], b.v[k]);
    return a;
  }
  friend HWY_INLINE Lane operator-(Lane a) {
    IKSTREAM_EACH a.v[k] = hn::Neg(a.v[k]);
    return a;
  }
  friend HWY_INLINE Mask operator<(const Lane& a, const Lane& b) {
    Mask r;
    IKSTREAM_EACH r.m[k] = hn::Lt(a.v[k], b.v[k]);
    return r;
  }
  friend HWY_INLINE Mask operator<=(const Lane& a, const Lane& b) {
    Mask r;
    IKSTREAM_EACH r.m[k] = hn::Le(a.v[k], b.v[k]);
    return r;
  }
  friend HWY_INLINE Mask operator>(const Lane& a, const Lane& b) { return b < a; }
  friend HWY_INLINE Mask operator>=(const Lane& a, const Lane& b) { return b <= a; }
};

// a * b + c, fused where the target can.
template <class D, int K>
HWY_INLINE Lane<D, K> MulAdd(Lane<D, K> a, const Lane<D, K>& b, const Lane<D, K>& c) {
  IKSTREAM_EACH a.v[k] = hn::MulAdd(a.v[k], b.v[k], c.v[k]);
  return a;
}
// c - a * b
template <class D, int K>
HWY_INLINE Lane<D, K> NegMulAdd(Lane<D, K> a, const Lane<D, K>& b, const Lane<D, K>& c) {
  IKSTREAM_EACH a.v[k] = hn::NegMulAdd(a.v[k], b.v[k], c.v[k]);
  return a;
}
template <class D, int K>
HWY_INLINE Lane<D, K> Min(Lane<D, K> a, const Lane<D, K>& b) {
  IKSTREAM_EACH a.v[k] = hn::Min(a.v[k], b.v[k]);
  return a;
}
template <class D, int K>
HWY_INLINE Lane<D, K> Max(Lane<D, K> a, const Lane<D, K>& b) {
  IKSTREAM_EACH a.v[k] = hn::Max(a.v[k], b.v[k]);
  return a;
}
template <class D, int K>
HWY_INLINE Lane<D, K> Abs(Lane<D, K> a) {
  IKSTREAM_EACH a.v[k] = hn::Abs(a.v[k]);
  return a;
}
template <class D, int K>
HWY_INLINE Lane<D, K> Sqrt(Lane<D, K> a) {
  IKSTREAM_EACH a.v[k] = hn::Sqrt(a.v[k]);
  return a;
}
template <class D, int K>
HWY_INLINE Lane<D, K> Round(Lane<D, K> a) {
  IKSTREAM_EACH a.v[k] = hn::Round(a.v[k]);
  return a;
}
// The magnitude of `a` with the sign of `s`.
template <class D, int K>
HWY_INLINE Lane<D, K> CopySign(Lane<D, K> a, const Lane<D, K>& s) {
  IKSTREAM_EACH a.v[k] = hn::CopySign(a.v[k], s.v[k]);
  return a;
}
// m ? yes : no
template <class D, int K>
HWY_INLINE Lane<D, K> Select(const LaneMask<D, K>& m, Lane<D, K> yes, const Lane<D, K>& no) {
  IKSTREAM_EACH yes.v[k] = hn::IfThenElse(m.m[k], yes.v[k], no.v[k]);
  return yes;
}
template <class D, int K>
HWY_INLINE bool None(const LaneMask<D, K>& m) {
  bool none = true;
  IKSTREAM_EACH none = none && hn::AllFalse(D(), m.m[k]);
  return none;
}
// Bit i is lane i.
template <class D, int K>
HWY_INLINE std::uint64_t Bits(const LaneMask<D, K>& m) {
  std::uint64_t bits = 0;
  IKSTREAM_EACH {
    std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(D(), m.m[k], bytes);
    std::uint64_t part = 0;
    for (int i = 0; i < (Lane<D, K>::kPerRegister + 7) / 8; ++i)
      part |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
    bits |= part << (k * Lane<D, K>::kPerRegister);
  }
  return bits;
}

// 1 / sqrt(a) within 8e-7 of its value, from exact operations only: a first guess by halving
// the exponent, y, then y times the polynomial of third degree in a y^2 that is nearest to its
// inverse root (Remez) over the range that this guess leaves, [0.752, 0.847]
// (tests/unit/core/lane_math_test.cc measures it). Finite (about 1e19) for a = 0. Returns y and
// the polynomial: a factor that meets y first adds nothing to the chain of operations.
template <class D>
struct RootParts {
  hn::Vec<D> guess, rest;
};
template <class D>
HWY_INLINE RootParts<D> InverseRoot(D d, hn::Vec<D> a) {
  const hn::RebindToSigned<D> di;
  const auto half = hn::ShiftRight<1>(hn::BitCast(di, a));
  const auto y = hn::BitCast(d, hn::Sub(hn::Set(di, 0x5F204800), half));
  const auto h = hn::Mul(hn::Mul(a, y), y);
  const auto high = hn::MulAdd(hn::Set(d, -0.68704155f), h, hn::Set(d, 2.30565097f));
  const auto low = hn::MulAdd(hn::Set(d, -3.06868919f), h, hn::Set(d, 2.44913354f));
  return {y, hn::MulAdd(hn::Mul(h, h), high, low)};
}
template <class D, int K>
HWY_INLINE Lane<D, K> RSqrt(Lane<D, K> a) {
  IKSTREAM_EACH {
    const RootParts<D> parts = InverseRoot(D(), a.v[k]);
    a.v[k] = hn::Mul(parts.guess, parts.rest);
  }
  return a;
}
// s / sqrt(a)
template <class D, int K>
HWY_INLINE Lane<D, K> ByRoot(const Lane<D, K>& s, Lane<D, K> a) {
  IKSTREAM_EACH {
    const RootParts<D> parts = InverseRoot(D(), a.v[k]);
    a.v[k] = hn::Mul(hn::Mul(parts.guess, s.v[k]), parts.rest);
  }
  return a;
}

// Copies lanes of a register: lane `to` of each result is lane from[to] of the source where the
// lane moves, else the one that was there.
template <class D>
class LaneMove {
 public:
  static constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));

  // Pairs the set bits of `from` with those of `to`, lowest first. There are as many.
  LaneMove(std::uint32_t from, std::uint32_t to) {
    const hn::RebindToSigned<D> di;
    HWY_ALIGN_MAX std::int32_t source[kLanes] = {}, taken[kLanes] = {};
    for (; to != 0; to &= to - 1, from &= from - 1) {
      source[std::countr_zero(to)] = std::countr_zero(from);
      taken[std::countr_zero(to)] = -1;
    }
    index_ = hn::SetTableIndices(D(), source);
    taken_ = hn::BitCast(D(), hn::Load(di, taken));
  }
  HWY_INLINE void Copy(const float* from, float* to) const {
    const D d;
    const auto moved = hn::TableLookupLanes(hn::Load(d, from), index_);
    hn::Store(hn::IfVecThenElse(taken_, moved, hn::Load(d, to)), d, to);
  }

 private:
  using Index = decltype(hn::SetTableIndices(D(), static_cast<const std::int32_t*>(nullptr)));
  Index index_;
  hn::Vec<D> taken_;  // all bits of the lanes that are copied to
};

#undef IKSTREAM_EACH

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_LANES_LANE_INL_H_
