// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// FABRIK: forward and backward reaching (Aristidou and Lasenby 2011). Without limits the state
// is positions alone. With limits the pass from the root turns joints, each within its limit
// (the idea of their 2016 extension), so that every pose on the way is legal.
#if defined(IKSTREAM_CORE_SOLVERS_FABRIK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_SOLVERS_FABRIK_INL_H_
#undef IKSTREAM_CORE_SOLVERS_FABRIK_INL_H_
#else
#define IKSTREAM_CORE_SOLVERS_FABRIK_INL_H_
#endif

#include "core/lanes/driver-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

struct Fabrik {
  static constexpr bool kClosed = false;
  static constexpr int kGroups = 4;
  static constexpr float kPatienceTurning = 12;  // passes that may gain nothing

  template <class L>
  static HWY_NOINLINE typename L::Mask Begin(const Block<L> b) {
    if (b.at->rotations) {
      b.Put3(b.at->lead, V3<L>::Set({}));
      b.Put(b.at->damping, L::Set(1));
    }
    return BeginIterations(b);
  }

  // From the aim to the root: each joint is drawn along its bone to the one after it.
  // `length(k)` is that of bone k.
  template <class L, class Length>
  static HWY_INLINE void ReachBack(const Block<L> b, const V3<L>& aim, const Length& length) {
    const int n = b.at->solved, at = b.at->pos;
    V3<L> p = aim;
    b.Put3(at + 3 * n, p);
    for (int k = n - 1; k > 0; --k) {
      const V3<L> d = b.Row3(at + 3 * k) - p;
      p = MulAdd(d, ByRoot(length(k), Dot(d, d)), p);
      b.Put3(at + 3 * k, p);
    }
  }

  // From the root to the end.
  template <class L, class Length>
  static HWY_INLINE V3<L> ReachOut(const Block<L> b, const Length& length) {
    const int n = b.at->solved, at = b.at->pos;
    V3<L> p = V3<L>::Set({});
    for (int k = 0; k < n; ++k) {
      const V3<L> d = b.Row3(at + 3 * (k + 1)) - p;
      p = MulAdd(d, ByRoot(length(k), Dot(d, d)), p);
      b.Put3(at + 3 * (k + 1), p);
    }
    return p;
  }

  template <class L, class Length>
  static HWY_INLINE V3<L> Reach(const Block<L> b, const Length& length) {
    ReachBack(b, b.Row3(b.at->target), length);
    return ReachOut(b, length);
  }

  template <class L>
  static HWY_INLINE typename L::Mask StepFree(const Block<L> b) {
    // Lengths that all lanes share are read as one float, without a register for each group.
    const float* lengths = b.chain->lengths.data();
    const V3<L> end = b.at->moving < 0
                          ? Reach(b, [lengths](int k) HWY_ATTR { return L::Set(lengths[k]); })
                          : Reach(b, [b](int k) HWY_ATTR { return b.BoneLength(k); });
    return EndStep(b, ErrorOf(b, end), L::Set(1) < L::Set(0));
  }

  // Where limits hold the joints back, the passes creep: while they take less than half of the
  // error away, the aim leads the target by the sum of what stays wrong, as in ccd-inl.h.
  template <class L>
  static HWY_NOINLINE typename L::Mask StepTurning(const Block<L> b) {
    const V3<L> target = b.Row3(b.at->target), lead = b.Row3(b.at->lead);
    ReachBack(b, target + lead, [b](int k) HWY_ATTR { return b.BoneLength(k); });
    const auto hit = Follow(b, b.chain->shares.data());
    const V3<L> miss = target - b.Pos(b.at->solved);
    const L error = Dot(miss, miss), before = b.Row(b.at->error), zero = L::Set(0);
    const auto worse = error > before, slow = error > before * L::Set(0.25f);
    const L damping = b.Row(b.at->damping);
    const L gain = damping * Select(worse, L::Set(0.5f), L::Set(1.1f));
    const L next = Select(slow, Max(Min(gain, L::Set(1)), L::Set(0.05f)), damping);
    const V3<L> kept = lead * Select(worse, zero, L::Set(1));
    b.Put(b.at->damping, next);
    b.Put3(b.at->lead, MulAdd(miss, next, kept) * Select(slow, L::Set(1), zero));
    return EndStep(b, error, hit, kPatienceTurning);
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_SOLVERS_FABRIK_INL_H_
