// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Steps that solvers share: early exits, straight and folded poses, the bend of a straight
// chain, following positions with rotations, keeping the best pose, telling a stall.
#if defined(IKSTREAM_CORE_LANES_STEPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_LANES_STEPS_INL_H_
#undef IKSTREAM_CORE_LANES_STEPS_INL_H_
#else
#define IKSTREAM_CORE_LANES_STEPS_INL_H_
#endif

#include "core/lanes/block-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

// Squared error that ends the iterations: a little inside the tolerance, since the answer is
// measured again from its rotations.
template <class L>
HWY_INLINE L DoneBelow(const Block<L> b) {
  const float t = 0.998f * b.chain->tolerance;
  return L::Set(t * t);
}

// Unit direction from root to target; where they meet, that from root to the chain's end.
template <class L>
HWY_INLINE V3<L> LineToTarget(const Block<L> b) {
  const float least = 1e-6f * b.chain->length;
  const V3<L> target = b.Row3(b.at->target);
  const L n = Dot(target, target);
  const V3<L> line = target * RSqrt(n);
  const auto far = n > L::Set(least * least);
  if (None(!far)) return line;
  return Select(far, line, NormalizedOr(b.Pos(b.at->solved), V3<L>::Set({1, 0, 0}), least));
}

// Where to bend to, unit and orthogonal to `line`: the pole's side, the rest pose's or hinge's,
// else the axis that lies least along the line.
template <class L>
HWY_NOINLINE V3<L> BendSide(const Block<L> b, const V3<L>& line) {
  V3<L> side = AnyOrthogonal(line);
  const V3<L> rest = V3<L>::Set(b.chain->rest_bend);
  side = NormalizedOr(NegMulAdd(line, Dot(rest, line), rest), side, 0.02f);
  if (b.at->bend < 0) return side;
  const V3<L> bend = b.Row3(b.at->bend);
  return NormalizedOr(NegMulAdd(line, Dot(bend, line), bend), side, 1e-3f);
}

// The turn q of a joint scaled by its stiffness.
template <class L>
HWY_INLINE Q4<L> Soften(float share, const Q4<L>& q) {
  if (share == 1) return q;
  const auto flip = q.w < L::Set(0);
  return Power(Select(flip, -q, q), L::Set(share));
}

// Turns joints from the root on so that their bones follow the positions in the block, within
// limits; positions become those that were met. Returns the lanes where a limit held back.
template <class L>
HWY_NOINLINE typename L::Mask Follow(const Block<L> b, const float* shares) {
  V3<L> p = V3<L>::Set({});
  Q4<L> r = Q4<L>::Set({});
  auto hit = L::Set(1) < L::Set(0);
  for (int k = 0; k < b.at->solved; ++k) {
    const JointBound& bound = b.chain->bounds[k];
    const Q4<L> q = b.Quat(k);
    const V3<L> bone = b.Bone(k);
    const V3<L> want = RotateBack(r, b.Pos(k + 1) - p);
    const Q4<L> turn =
        Soften(shares == nullptr ? 1 : shares[k], TurnToward(bound, Rotate(q, bone), want));
    const Q4<L> next = Clamp(bound, Renormalized(turn * q), hit);
    b.PutQuat(k, next);
    r = r * next;
    p = p + Rotate(r, bone);
    b.PutPos(k + 1, p);
  }
  return hit;
}

// Follow() for some lanes only; the others keep their pose.
template <class L>
HWY_NOINLINE void FollowWhere(const Block<L> b, const typename L::Mask& where) {
  const int n = b.at->solved;
  for (int k = 0; k < n; ++k) b.Put4(b.at->extra + 4 * k, b.Quat(k));
  Follow(b, nullptr);
  for (int k = 0; k < n; ++k)
    b.PutQuat(k, Select(where, b.Quat(k), b.Row4(b.at->extra + 4 * k)));
  Forward(b, b.at->quat);
}

// Straight to where the target lies.
template <class L>
HWY_NOINLINE void PutStraight(const Block<L> b, const typename L::Mask& where,
                              const V3<L>& line) {
  V3<L> p = V3<L>::Set({});
  for (int k = 0; k < b.at->solved; ++k) {
    p = MulAdd(line, b.BoneLength(k), p);
    b.PutPos(k + 1, Select(where, p, b.Pos(k + 1)));
  }
}

// The longest bone along the line, all others against it: as near to the root as it goes.
template <class L>
HWY_NOINLINE void PutFolded(const Block<L> b, const typename L::Mask& where,
                            const V3<L>& line) {
  V3<L> p = V3<L>::Set({});
  const L half = (b.Reach() + b.Fold()) * L::Set(0.5f * 0.99999f);
  auto used = L::Set(1) < L::Set(0);
  for (int k = 0; k < b.at->solved; ++k) {
    const L length = b.BoneLength(k);
    const auto longest = (length >= half) & !used;
    used = used | longest;
    p = MulAdd(line, Select(longest, length, -length), p);
    b.PutPos(k + 1, Select(where, p, b.Pos(k + 1)));
  }
}

// A bow over the line from root to target, to the side of the bend: what a straight chain is
// given to start from, since neither FABRIK nor CCD would bend it.
template <class L>
HWY_NOINLINE void PutBow(const Block<L> b, const typename L::Mask& where, const V3<L>& line) {
  const V3<L> side = BendSide(b, line);
  const L reach = b.Reach();
  const L distance = Min(Length(b.Row3(b.at->target)), reach);
  const L height = Sqrt(Max(reach * reach - distance * distance, L::Set(0))) * L::Set(0.5f);
  const L inverse = L::Set(1) / reach;
  V3<L> p = V3<L>::Set({}), before = p;
  L length = L::Set(0);
  for (int k = 0; k < b.at->solved; ++k) {
    const L bone = b.BoneLength(k);
    length = length + bone;
    const L share = length * inverse;
    // A parabola in place of a sine: 4 s (1 - s).
    const L rise = L::Set(4) * NegMulAdd(share, share, share) * height;
    const V3<L> shape = MulAdd(side, rise, line * (share * distance));
    p = MulAdd(NormalizedOr(shape - before, line, 1e-12f), bone, p);
    before = shape;
    b.PutPos(k + 1, Select(where, p, b.Pos(k + 1)));
  }
}

// Lanes whose chain is straight and whose target lies along it, nearer than it reaches.
template <class L>
HWY_NOINLINE typename L::Mask NeedsBend(const Block<L> b) {
  const int n = b.at->solved;
  const L reach = b.Reach();
  const V3<L> first = NormalizedOr(b.Pos(n), V3<L>::Set({}), 1e-12f);
  L off = L::Set(0);
  for (int k = 1; k <= n; ++k) {
    const V3<L> c = Cross(first, b.Pos(k));
    off = Max(off, Dot(c, c));
  }
  const V3<L> target = b.Row3(b.at->target);
  const V3<L> c = Cross(first, target);
  const L scale = reach * reach;
  return (off < scale * L::Set(1e-8f)) & (Dot(c, c) < scale * L::Set(1e-4f)) &
         (Dot(target, target) < scale);
}

// What comes before the iterations of any iterative solver. Returns the lanes that are done.
template <class L>
HWY_NOINLINE typename L::Mask BeginIterations(const Block<L> b) {
  const Layout& at = *b.at;
  const float tolerance = b.chain->tolerance;
  auto done = b.Row(at.error) <= DoneBelow(b);
  const V3<L> target = b.Row3(at.target);
  const L distance = Length(target), margin = L::Set(0.25f * tolerance);
  auto moved = b.Row(at.moved) > L::Set(0);
  if (!at.rotations) {
    const auto far = (distance >= b.Reach() - margin) & !done;
    const auto near = (distance <= b.Fold() + margin) & (b.Fold() > L::Set(0)) & !done & !far;
    if (!None(far | near)) {
      const V3<L> line = LineToTarget(b);
      if (!None(far)) PutStraight(b, far, line);
      if (!None(near)) PutFolded(b, near, line);
      done = done | far | near;
      moved = moved | far | near;
    }
  }
  b.Put(at.moved, Select(moved, L::Set(1), L::Set(0)));
  if (None(!done)) return done;
  const auto bend = NeedsBend(b) & !done;
  if (!None(bend)) {
    PutBow(b, bend, LineToTarget(b));
    if (at.rotations) FollowWhere(b, bend);
    b.Put(at.error, Select(bend, ErrorOf(b, b.Pos(at.solved)), b.Row(at.error)));
    b.Put(at.moved, Select(moved | bend, L::Set(1), L::Set(0)));
  }
  return done;
}

// Takes the squared error of the pose after a step: keeps the best pose (rotations only),
// counts steps without gain. Returns the lanes that are done: within tolerance, or stalled for
// `patience` steps.
template <class L>
HWY_INLINE typename L::Mask EndStep(const Block<L> b, const L& error,
                                    const typename L::Mask& hit, float patience = 4) {
  const Layout& at = *b.at;
  const L zero = L::Set(0), one = L::Set(1);
  const L best = b.Row(at.best_error);
  const auto better = error < best;
  if (at.best >= 0 && !None(better))
    for (int k = 0; k < at.bones; ++k) {
      const int row = at.best + 4 * k;
      b.Put4(row, Select(better, b.Quat(k), b.Row4(row)));
    }
  const auto gain = error < best * L::Set(1 - 2e-4f);
  const L stall = Select(gain, zero, b.Row(at.stall) + one);
  b.Put(at.stall, stall);
  b.Put(at.best_error, Min(error, best));
  b.Put(at.error, error);
  if (at.rotations) b.Put(at.hit, Select(hit, one, zero));
  return (error <= DoneBelow(b)) | (stall >= L::Set(patience));
}

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_LANES_STEPS_INL_H_
