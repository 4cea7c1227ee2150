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
#include <cstring>
#include <type_traits>

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
  // Little-endian, as all targets here are.
  using Word = std::conditional_t<(Lane<D, K>::kPerRegister > 8), std::uint16_t, std::uint8_t>;
  std::uint64_t bits = 0;
  IKSTREAM_EACH {
    std::uint8_t bytes[8];
    hn::StoreMaskBits(D(), m.m[k], bytes);
    Word part;
    std::memcpy(&part, bytes, sizeof(part));
    bits |= std::uint64_t{part} << (k * Lane<D, K>::kPerRegister);
  }
  return bits;
}

// s / sqrt(a) within 8e-7 of its value, from exact operations only: a first guess by halving
// the exponent, y, then y times the polynomial of third degree in a y^2 that is nearest to its
// inverse root (Remez) over the range that this guess leaves, [0.752, 0.847]; the polynomial is
// about the middle t = 0, so that it loses no digits (tests/unit/core/lane_math_test.cc
// measures it). Finite (about 1e19 s) for a = 0.
template <class D, int K>
HWY_INLINE Lane<D, K> ByRoot(const Lane<D, K>& s, Lane<D, K> a) {
  const hn::RebindToSigned<D> di;
  const D d;
  IKSTREAM_EACH {
    const auto half = hn::ShiftRight<1>(hn::BitCast(di, a.v[k]));
    const auto y = hn::BitCast(d, hn::Sub(hn::Set(di, 0x5F204800), half));
    const auto t = hn::MulAdd(hn::Mul(a.v[k], y), y, hn::Set(d, -0.796875f));
    const auto high = hn::MulAdd(hn::Set(d, -0.687041554f), t, hn::Set(d, 0.663192258f));
    const auto low = hn::MulAdd(hn::Set(d, -0.702892243f), t, hn::Set(d, 1.12022361f));
    a.v[k] = hn::Mul(hn::Mul(y, s.v[k]), hn::MulAdd(hn::Mul(t, t), high, low));
  }
  return a;
}
template <class D, int K>
HWY_INLINE Lane<D, K> RSqrt(const Lane<D, K>& a) {
  return ByRoot(Lane<D, K>::Set(1), a);
}

// The lanes of a register in another order.
template <class D>
class LaneOrder {
 public:
  static constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));

  LaneOrder() = default;
  // The lanes of `bits` in their order, from lane `first` on and then from lane 0.
  static HWY_INLINE LaneOrder Packing(std::uint32_t bits, int first) {
    const Int di;
    const auto packed = hn::Compress(hn::Iota(di, 0), Taken(bits));
    const auto turned =
        hn::And(hn::Add(hn::Iota(di, 0), hn::Set(di, kLanes - first)), hn::Set(di, kLanes - 1));
    return LaneOrder(hn::TableLookupLanes(packed, hn::IndicesFromVec(di, turned)));
  }
  // The opposite: the first lanes to where `bits` are. The other lanes are of no use.
  static HWY_INLINE LaneOrder Spreading(std::uint32_t bits) {
    const hn::RebindToUnsigned<D> du;
    HWY_ALIGN_MAX static constexpr std::uint32_t kBelow[16] = {
        0x0,  0x1,   0x3,   0x7,   0xF,   0x1F,   0x3F,   0x7F,
        0xFF, 0x1FF, 0x3FF, 0x7FF, 0xFFF, 0x1FFF, 0x3FFF, 0x7FFF};
    const auto below = hn::And(hn::Set(du, bits), hn::LoadU(du, kBelow));
    return LaneOrder(hn::BitCast(Int(), hn::PopulationCount(below)));
  }
  // All bits of the lanes of `bits`, for IfVecThenElse.
  static HWY_INLINE hn::Vec<D> Of(std::uint32_t bits) {
    return hn::BitCast(D(), hn::VecFromMask(Int(), Taken(bits)));
  }

  HWY_INLINE hn::Vec<D> operator()(hn::Vec<D> v) const {
    return hn::TableLookupLanes(v, index_);
  }

 private:
  using Int = hn::RebindToSigned<D>;
  using Index = decltype(hn::IndicesFromVec(D(), hn::Vec<Int>()));

  explicit HWY_INLINE LaneOrder(hn::Vec<Int> index) : index_(hn::IndicesFromVec(D(), index)) {}
  static HWY_INLINE hn::Mask<Int> Taken(std::uint32_t bits) {
    std::uint8_t bytes[8];
    std::memcpy(bytes, &bits, sizeof(bits));  // little-endian, as in Bits()
    return hn::LoadMaskBits(Int(), bytes);
  }

  Index index_;
};

#undef IKSTREAM_EACH

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_LANES_LANE_INL_H_
