// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The pass of core/continuity.h at weight 1, for a frame alone: its joints stand side by side,
// each rotation in four lanes of a register.
#if defined(IKSTREAM_CORE_LANES_CONTINUITY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_LANES_CONTINUITY_INL_H_
#undef IKSTREAM_CORE_LANES_CONTINUITY_INL_H_
#else
#define IKSTREAM_CORE_LANES_CONTINUITY_INL_H_
#endif

#include "core/continuity.h"
#include "core/lanes/lane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR

HWY_INLINE void BlendRows(const ContinuityRows& rows) {
  for (size_t at = 0; at < rows.floats; at += 4) {
    const Quatf input = LoadQuat(rows.input + at);
    if (Unchanged(LoadQuat(rows.solved + at), input)) {
      rows.active[at] = 0;
      Store(input, rows.whole + at);
    } else {
      Store(BlendJoint(rows, at, 1), rows.whole + at);
    }
  }
}

#else

// Of each rotation: its dot product with that of `b`, in all four lanes.
template <class D>
HWY_INLINE hn::Vec<D> DotOfEach(D, hn::Vec<D> a, hn::Vec<D> b) {
  const auto products = hn::Mul(a, b);
  const auto pairs = hn::Add(products, hn::Shuffle1032(products));
  return hn::Add(pairs, hn::Shuffle2301(pairs));
}

// a * conj(b) of each rotation.
template <class D>
HWY_INLINE hn::Vec<D> TimesConjugate(D d, hn::Vec<D> a, hn::Vec<D> b) {
  HWY_ALIGN_MAX static constexpr float kSigns[4][4] = {
      {-1, -1, -1, 1}, {1, 1, -1, 1}, {-1, 1, 1, 1}, {1, -1, 1, 1}};
  const auto signs = [d](int i) HWY_ATTR { return hn::LoadDup128(d, kSigns[i]); };
  auto sum = hn::Mul(hn::Mul(hn::Broadcast<3>(a), signs(0)), b);
  sum = hn::MulAdd(hn::Mul(hn::Broadcast<0>(a), signs(1)), hn::Shuffle0123(b), sum);
  sum = hn::MulAdd(hn::Mul(hn::Broadcast<1>(a), signs(2)), hn::Shuffle1032(b), sum);
  return hn::MulAdd(hn::Mul(hn::Broadcast<2>(a), signs(3)), hn::Shuffle2301(b), sum);
}

// -0 where v is below `least`, to turn signs by.
template <class D>
HWY_INLINE hn::Vec<D> SignWhereBelow(D d, hn::Vec<D> v, float least) {
  return hn::IfThenElseZero(hn::Lt(v, hn::Set(d, least)), hn::SignBit(d));
}

// x, y and z of each rotation, and 0.
template <class D>
HWY_INLINE hn::Vec<D> VectorOf(D d, hn::Vec<D> turn) {
  HWY_ALIGN_MAX static constexpr std::uint32_t kVector[4] = {~0u, ~0u, ~0u, 0};
  return hn::And(turn, hn::BitCast(d, hn::LoadDup128(hn::RebindToUnsigned<D>(), kVector)));
}

template <class D>
HWY_INLINE void BlendRegister(D d, const ContinuityRows& rows, size_t at) {
  const hn::RebindToUnsigned<D> du;
  const auto solved = hn::LoadU(d, rows.solved + at);
  const auto input = hn::LoadU(d, rows.input + at);
  const auto active = hn::BitCast(d, hn::LoadU(du, rows.active + at));
  auto turn = TimesConjugate(d, solved, input);
  const auto part = VectorOf(d, turn);
  const auto same =
      hn::VecFromMask(d, hn::Lt(DotOfEach(d, part, part), hn::Set(d, kUnchangedBelow)));
  const auto side = hn::IfVecThenElse(active, DotOfEach(d, turn, hn::LoadU(d, rows.turns + at)),
                                      hn::Broadcast<3>(turn));
  const auto sign = SignWhereBelow(d, side, 0);
  turn = hn::Xor(turn, sign);
  const auto far = SignWhereBelow(d, hn::Broadcast<3>(turn), -kOwnSide);
  turn = hn::Xor(turn, far);
  const auto follows = DotOfEach(d, solved, hn::LoadU(d, rows.answers + at));
  const auto answer =
      hn::Xor(solved, hn::IfVecThenElse(active, SignWhereBelow(d, follows, 0), sign));
  hn::StoreU(turn, d, rows.turns + at);
  hn::StoreU(answer, d, rows.answers + at);
  hn::StoreU(hn::Not(hn::BitCast(du, same)), du, rows.active + at);
  hn::StoreU(hn::IfVecThenElse(same, input, answer), d, rows.whole + at);
}

HWY_INLINE void BlendRows(const ContinuityRows& rows) {
  const hn::CappedTag<float, ContinuityRows::kPad> d;
  for (size_t at = 0; at < rows.floats; at += hn::Lanes(d)) BlendRegister(d, rows, at);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_LANES_CONTINUITY_INL_H_
