// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Cyclic coordinate descent (Wang and Chen 1991): each joint turns so that the end points at
// the target. The first sweep runs from the end to the root, as in the textbook; those after it
// from the root to the end, which does not curl the chain's end up and so does not stall near
// the root (the textbook's loop leaves a fifth of such tasks unsolved after 100 sweeps). Both
// need one pass over the joints: what a turn moves is known from the moving end alone.
#if defined(IKSTREAM_CORE_SOLVERS_CCD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_SOLVERS_CCD_INL_H_
#undef IKSTREAM_CORE_SOLVERS_CCD_INL_H_
#else
#define IKSTREAM_CORE_SOLVERS_CCD_INL_H_
#endif

#include "core/lanes/driver-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

struct Ccd {
  static constexpr bool kClosed = false;
  static constexpr int kGroups = 2;

  template <class L>
  static HWY_NOINLINE typename L::Mask Begin(const Block<L> b) {
    const auto done = BeginIterations(b);
    if (b.at->rotations) {
      Forward(b, b.at->quat);
      return done;
    }
    const L error = b.Row(b.at->error);
    const auto swept = EndStep(b, SweepIn(b, done), L::Set(1) < L::Set(0));
    b.Put(b.at->error, Select(done, error, b.Row(b.at->error)));
    b.Put(b.at->age, Select(done, L::Set(0), L::Set(1)));
    return done | swept;
  }

  // From the end to the root, in positions; lanes of `keep` stay as they are. The turns of the
  // sweep come first, then the bones by the product of the turns above them.
  template <class L>
  static HWY_INLINE L SweepIn(const Block<L> b, const typename L::Mask& keep) {
    const int n = b.at->solved, turns = b.at->extra;
    const V3<L> target = b.Row3(b.at->target);
    V3<L> end = b.Pos(n);
    for (int k = n - 1; k >= 0; --k) {
      const V3<L> joint = b.Pos(k);
      const V3<L> from = end - joint;
      const Q4<L> turn = ShortestArc(from, target - joint);
      b.Put4(turns + 4 * k, turn);
      end = joint + Rotate(turn, from);
    }
    V3<L> p = V3<L>::Set({}), old = p;
    Q4<L> r = Q4<L>::Set({});
    for (int k = 0; k < n; ++k) {
      r = Renormalized(r * b.Row4(turns + 4 * k));
      const V3<L> next = b.Pos(k + 1);
      const V3<L> d = Rotate(r, next - old);
      p = MulAdd(d, ByRoot(b.BoneLength(k), Dot(d, d)), p);
      old = next;
      b.PutPos(k + 1, Select(keep, next, p));
    }
    return ErrorOf(b, p);
  }

  // From the root to the end: the end follows each turn, the bones below by its product.
  template <class L>
  static HWY_INLINE typename L::Mask StepFree(const Block<L> b) {
    const int n = b.at->solved;
    const V3<L> target = b.Row3(b.at->target);
    V3<L> end = b.Pos(n), p = V3<L>::Set({}), old = p;
    Q4<L> r = Q4<L>::Set({});
    for (int k = 0; k < n; ++k) {
      const V3<L> from = end - p;
      const Q4<L> turn = ShortestArc(from, target - p);
      r = Renormalized(turn * r);
      end = p + Rotate(turn, from);
      const V3<L> next = b.Pos(k + 1);
      const V3<L> d = Rotate(r, next - old);
      p = MulAdd(d, ByRoot(b.BoneLength(k), Dot(d, d)), p);
      old = next;
      b.PutPos(k + 1, p);
    }
    return EndStep(b, ErrorOf(b, p), L::Set(1) < L::Set(0));
  }

  // Local rotations, each kept inside its limit as it turns.
  template <class L>
  static HWY_INLINE L SweepLimited(const Block<L> b, typename L::Mask& hit) {
    const int n = b.at->solved;
    const V3<L> target = b.Row3(b.at->target);
    V3<L> end = b.Pos(n);
    for (int k = n - 1; k >= 0; --k) {
      const JointBound& bound = b.chain->bounds[k];
      const Q4<L> parent = k == 0 ? Q4<L>::Set({}) : b.Row4(b.at->frames + 4 * (k - 1));
      const V3<L> joint = b.Pos(k);
      const V3<L> from = RotateBack(parent, end - joint);
      const V3<L> to = RotateBack(parent, target - joint);
      const Q4<L> q = b.Quat(k);
      const Q4<L> turn = Soften(b.chain->shares[k], TurnToward(bound, from, to));
      const Q4<L> next = Clamp(bound, Renormalized(turn * q), hit);
      b.PutQuat(k, next);
      end = joint + Rotate(parent, Rotate(next * Conjugate(q), from));
    }
    return ErrorOf(b, Forward(b, b.at->quat));
  }

  template <class L>
  static HWY_NOINLINE typename L::Mask StepTurning(const Block<L> b) {
    auto hit = L::Set(1) < L::Set(0);
    const L error = SweepLimited(b, hit);
    return EndStep(b, error, hit);
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_SOLVERS_CCD_INL_H_
