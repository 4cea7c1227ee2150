// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Cyclic coordinate descent (Wang and Chen 1991): each joint turns so that the end points at
// the target. The first sweep runs from the end to the root, as in the textbook; those after it
// from the root to the end, which does not curl the chain's end up and so does not stall near
// the root (the textbook's loop leaves a fifth of such tasks unsolved after 100 sweeps). Both
// need one pass over the joints: what a turn moves is known from the moving end alone. Under
// limits the first sweep runs from the root, too; two bones, which cannot curl, always sweep
// from the end.
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
  static constexpr float kPatienceTurning = 16;  // sweeps that may gain nothing
  static constexpr float kLeastGain = 0.05f;     // of what stays wrong, in the sum

  template <class L>
  static HWY_NOINLINE typename L::Mask Begin(const Block<L> b) {
    const auto done = BeginIterations(b);
    b.Put(b.at->damping, L::Set(1));
    if (b.at->rotations) {
      b.Put3(b.at->lead, V3<L>::Set({}));
      Forward(b, b.at->quat);
      if (b.chain->limited) return done;
    }
    const L error = b.Row(b.at->error);
    auto hit = L::Set(1) < L::Set(0);
    const auto swept =
        EndStep(b, b.at->rotations ? SweepTurning(b, done, hit) : SweepIn(b, done), hit);
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

  // From the root to the end: the end follows each turn, the bones below by its product. A
  // sweep that made it worse is taken back. Where the target is all but in line with the
  // joints, near full reach or fold, sweeps creep: while they take less than half of the error
  // away, the aim leads the target by the sum of what stays wrong, as in StepTurning.
  template <class L>
  static HWY_INLINE typename L::Mask StepFree(const Block<L> b) {
    // Scratch that a problem finds as it left it, once it iterates.
    const int n = b.at->solved, kept = b.at->frames, sum = b.at->extra + 4 * b.at->bones;
    const V3<L> target = b.Row3(b.at->target), none = V3<L>::Set({});
    const auto first = b.Row(b.at->age) < L::Set(1.5f);
    const V3<L> lead = Select(first, none, b.Row3(sum)), aim = target + lead;
    V3<L> end = b.Pos(n), p = none, old = p;
    Q4<L> r = Q4<L>::Set({});
    for (int k = 0; k < n; ++k) {
      const V3<L> from = end - p;
      const Q4<L> turn = ShortestArc(from, aim - p);
      r = Renormalized(turn * r);
      end = p + Rotate(turn, from);
      const V3<L> next = b.Pos(k + 1);
      const V3<L> d = Rotate(r, next - old);
      p = MulAdd(d, ByRoot(b.BoneLength(k), Dot(d, d)), p);
      old = next;
      b.Put3(kept + 3 * k, next);
      b.PutPos(k + 1, p);
    }
    const V3<L> miss = target - p;
    const L error = Dot(miss, miss), before = b.Row(b.at->error);
    const auto worse = error > before;
    if (!None(worse))
      for (int k = 0; k < n; ++k)
        b.PutPos(k + 1, Select(worse, b.Row3(kept + 3 * k), b.Pos(k + 1)));
    const L gain = b.Row(b.at->damping) * Select(worse, L::Set(0.5f), L::Set(1.1f));
    const L next = Max(Min(gain, L::Set(1)), L::Set(kLeastGain));
    const auto leads = (error > before * L::Set(0.25f)) & !worse & !first;
    b.Put(b.at->damping, next);
    b.Put3(sum, Select(leads, MulAdd(miss, next, lead), none));
    return EndStep(b, Min(error, before), L::Set(1) < L::Set(0));
  }

  // Local rotations from the root to the end, each kept inside its limit as it turns; returns
  // where the chain ends. Seen from a joint the end is where it was before the joints above it
  // turned, so that one pass needs the aim and the end in each joint's frame alone.
  template <class L>
  static HWY_INLINE V3<L> SweepOut(const Block<L> b, const V3<L>& aim, typename L::Mask& hit) {
    V3<L> from = b.Pos(b.at->solved), to = aim;
    Q4<L> r = Q4<L>::Set({});
    for (int k = 0; k < b.at->solved; ++k) {
      const JointBound& bound = b.chain->bounds[k];
      const Q4<L> q = b.Quat(k);
      const Q4<L> turn = Soften(b.chain->shares[k], TurnToward(bound, from, to));
      const Q4<L> next = Clamp(bound, Renormalized(turn * q), hit);
      b.PutQuat(k, next);
      r = k == 0 ? next : Renormalized(r * next);
      const V3<L> bone = b.Bone(k);
      from = RotateBack(q, from) - bone;
      to = RotateBack(next, to) - bone;
    }
    const V3<L> end = aim - Rotate(r, to);
    b.PutPos(b.at->solved, end);
    return end;
  }

  // The same from the end to the root; lanes of `keep` stay as they are. Returns the squared
  // error.
  template <class L>
  static HWY_NOINLINE L SweepTurning(const Block<L> b, const typename L::Mask& keep,
                                     typename L::Mask& hit) {
    const V3<L> target = b.Row3(b.at->target);
    V3<L> end = b.Pos(b.at->solved);
    for (int k = b.at->solved - 1; k >= 0; --k) {
      const JointBound& bound = b.chain->bounds[k];
      const Q4<L> parent = k == 0 ? Q4<L>::Set({}) : b.Row4(b.at->frames + 4 * (k - 1));
      const V3<L> joint = b.Pos(k);
      const V3<L> from = RotateBack(parent, end - joint);
      const V3<L> to = RotateBack(parent, target - joint);
      const Q4<L> q = b.Quat(k);
      const Q4<L> turn = Soften(b.chain->shares[k], TurnToward(bound, from, to));
      const Q4<L> next = Clamp(bound, Renormalized(turn * q), hit);
      b.PutQuat(k, Select(keep, q, next));
      end = joint + Rotate(parent, Rotate(next * Conjugate(q), from));
    }
    return ErrorOf(b, Forward(b, b.at->quat));
  }

  // A chain within narrow limits is all but straight, so that all joints see the end in one
  // line with the target, and sweeps hardly change its distance. The aim therefore leads the
  // target by the sum of the errors so far (an integral controller): only what stays wrong adds
  // up. A sweep that made it worse starts the sum again and halves what is added.
  template <class L>
  static HWY_NOINLINE typename L::Mask StepTurning(const Block<L> b) {
    const Layout& at = *b.at;
    auto hit = L::Set(1) < L::Set(0);
    if (at.solved <= 2) {
      const auto none = hit;
      const L error = SweepTurning(b, none, hit);
      return EndStep(b, error, hit);
    }
    const V3<L> target = b.Row3(at.target), lead = b.Row3(at.lead);
    const V3<L> miss = target - SweepOut(b, target + lead, hit);
    const L error = Dot(miss, miss);
    const auto worse = error > b.Row(at.error);
    const L gain = b.Row(at.damping) * Select(worse, L::Set(0.5f), L::Set(1.1f));
    const L next = Max(Min(gain, L::Set(1)), L::Set(kLeastGain));
    b.Put(at.damping, next);
    b.Put3(at.lead, MulAdd(miss, next, Select(worse, V3<L>::Set({}), lead)));
    return EndStep(b, error, hit, kPatienceTurning);
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_SOLVERS_CCD_INL_H_
