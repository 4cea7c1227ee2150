// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Moves columns of a block, those of a set, to columns side by side and back to lanes of a
// register.
#if defined(IKSTREAM_CORE_LANES_PACKING_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_LANES_PACKING_INL_H_
#undef IKSTREAM_CORE_LANES_PACKING_INL_H_
#else
#define IKSTREAM_CORE_LANES_PACKING_INL_H_
#endif

#include <bit>
#include <cstdint>

#include "core/lanes/block-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

template <class D>
struct Packing {
  static constexpr int kRegister = Lane<D, 1>::kPerRegister;
  // How many registers are packed at once. What orders those of a block fits beside them where
  // there are 32 of them; else one after the other is faster (T1, T2 with FABRIK on AVX2: 7 %).
  static constexpr int kTogether = HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM ? 64 : 1;

  // Bits of columns, lowest first.
  using Set = std::uint64_t;
  static constexpr Set First(int count) {
    return count == 64 ? ~Set{0} : (Set{1} << count) - 1;
  }
  static Set Lowest(Set bits, int count) {
    Set lowest = bits;
    for (int over = std::popcount(bits) - count; over > 0; --over)
      lowest &= ~(Set{1} << (63 - std::countl_zero(lowest)));
    return lowest;
  }

  // Copies rows of columns side by side to the column `at` and those after it, which must be
  // free up to the end of the register of the last; returns where they end. `bits`: no more
  // columns than a register has. Those of all registers are put together first, and registers
  // are written whole: one that crosses a cache line costs several.
  template <int kFrom, int kTo, class Part, class Sink>
  static HWY_INLINE int Pack(Block<Part> source, Set bits, Block<Sink> sink, int at,
                             RowRange rows) {
    constexpr int kParts = Part::K;
    const D d;
    const int skip = at & (kRegister - 1), end = skip + std::popcount(bits);
    LaneOrder<D> order[kParts];
    hn::Vec<D> placed[kParts];
    int next = skip;
    for (int i = 0; i < kParts; ++i, bits >>= kRegister) {
      const auto part = static_cast<std::uint32_t>(bits & First(kRegister));
      const int count = std::popcount(part);
      order[i] = LaneOrder<D>::Packing(part, next & (kRegister - 1));
      placed[i] = LaneOrder<D>::Of(Around(next, count));
      next += count;
    }
    const auto kept = LaneOrder<D>::Of(static_cast<std::uint32_t>(First(skip)));
    const float* get = source.base + rows.first * kFrom;
    float* put = sink.base + rows.first * kTo + (at - skip);
    const int count = rows.last - rows.first;
    _Pragma("GCC unroll 4") for (int r = 0; r < count; ++r, get += kFrom, put += kTo) {
      auto packed = order[0](hn::Load(d, get));
      _Pragma("GCC unroll 8") for (int i = 1; i < kParts; ++i) packed =
          hn::IfVecThenElse(placed[i], order[i](hn::Load(d, get + i * kRegister)), packed);
      hn::Store(hn::IfVecThenElse(kept, hn::Load(d, put), packed), d, put);
      if (end > kRegister) hn::Store(packed, d, put + kRegister);
    }
    return at - skip + end;
  }

  // Copies the columns from `first` on into the lanes `to` of the register at column c.
  template <int kFrom, int kTo, class Source, class Sink>
  static HWY_INLINE void Spread(Block<Source> source, int first, Block<Sink> sink, int c,
                                Set to, RowRange rows) {
    const D d;
    const auto bits = static_cast<std::uint32_t>(to);
    const auto order = LaneOrder<D>::Spreading(bits);
    const auto taken = LaneOrder<D>::Of(bits);
    const float* get = source.base + rows.first * kFrom + first;
    float* put = sink.base + rows.first * kTo + c;
    _Pragma("GCC unroll 4") for (int r = rows.first; r < rows.last;
                                 ++r, get += kFrom, put += kTo)
        hn::Store(hn::IfVecThenElse(taken, order(hn::LoadU(d, get)), hn::Load(d, put)), d, put);
  }

 private:
  // Bits of `count` lanes from lane `first` on, after the last lane the first.
  static std::uint32_t Around(int first, int count) {
    const Set bits = First(count) << (first & (kRegister - 1));
    return static_cast<std::uint32_t>((bits | bits >> kRegister) & First(kRegister));
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_LANES_PACKING_INL_H_
