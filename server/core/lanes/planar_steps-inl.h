// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The solvers in a plane: the same methods as in space, over turns about one normal.
#if defined(IKSTREAM_CORE_LANES_PLANAR_STEPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_LANES_PLANAR_STEPS_INL_H_
#undef IKSTREAM_CORE_LANES_PLANAR_STEPS_INL_H_
#else
#define IKSTREAM_CORE_LANES_PLANAR_STEPS_INL_H_
#endif

#include "core/lanes/planar_poses-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

// By what the aim of the next step leads the target: the sum of the errors so far (ccd-inl.h),
// as long as steps take less than half of the error away.
template <class L>
HWY_INLINE void LeadOn(PlanarBlock<L>& b, float slow) {
  const P2<L> miss = b.target - b.Pos(b.at->solved), none{L::Set(0), L::Set(0)};
  const L error = Dot(miss, miss);
  const auto worse = error > b.error, leads = error > b.error * L::Set(slow);
  const L gain = b.damping * Select(worse, L::Set(0.5f), L::Set(1.1f));
  b.damping = Select(leads, Max(Min(gain, L::Set(1)), L::Set(0.05f)), b.damping);
  b.lead = Select(leads, miss * b.damping + Select(worse, none, b.lead), none);
}

// Draws the joints along their bones, from the aim to the root, each bone within the limit of
// the joint at its far end; points go to the rows from `points`.
template <class L>
HWY_INLINE void ReachBack(const PlanarBlock<L>& b, int points) {
  const int n = b.at->solved;
  P2<L> p = b.target + b.lead;
  b.Put2(points + 2 * n, p);
  Turn<L> after{L::Set(0), L::Set(1)};  // of the bone before this one on the way
  for (int k = n - 1; k > 0; --k) {
    Turn<L> turn = TurnBetween(b.Bone(k), p - b.Pos(k));
    if (k + 1 < n) {
      auto out = L::Set(1) < L::Set(0);
      const Turn<L> added = Then(after, Back(turn));
      const Turn<L> inside = b.Clamped(k + 1, added, out);
      const auto dot = b.Length(k) < L::Set(1e-6f * b.chain->length);
      turn = Select(out, Then(after, Back(inside)), turn);
      turn = Select(dot, Then(after, Back(b.Added(k + 1))), turn);
    }
    p = p - Rotate(turn, b.Bone(k));
    b.Put2(points + 2 * k, p);
    after = turn;
  }
}

// FABRIK: from the aim to the root and back, the limits in both passes.
template <class L>
HWY_INLINE typename L::Mask StepFabrik(PlanarBlock<L>& b) {
  ReachBack(b, b.at->scratch);
  const auto hit = FollowPlanar(b, b.at->scratch, b.chain->shares.data());
  LeadOn(b, 0.25f);
  return hit;
}

// CCD from the root to the end; the aim leads the target as in ccd-inl.h.
template <class L>
HWY_INLINE typename L::Mask StepCcd(PlanarBlock<L>& b) {
  auto hit = L::Set(1) < L::Set(0);
  const P2<L> aim = b.target + b.lead;
  P2<L> end = b.Pos(b.at->solved), p{L::Set(0), L::Set(0)};
  Turn<L> sum{L::Set(0), L::Set(1)};
  for (int k = 0; k < b.at->solved; ++k) {
    const Turn<L> added = b.Added(k);
    const Turn<L> turn = Soften(b.chain->shares[k], TurnBetween(end - p, aim - p));
    const Turn<L> next = b.Clamped(k, Then(added, turn), hit);
    b.PutAdded(k, next);
    end = p + Rotate(Then(next, Back(added)), end - p);
    sum = Then(sum, next);
    p = p + Rotate(sum, b.Bone(k));
    b.PutPos(k + 1, p);
  }
  LeadOn(b, 0.25f);
  return hit;
}

// Half of the turn by which the start pose pulls on joint k.
template <class L>
HWY_INLINE L PullOf(const PlanarBlock<L>& b, int k) {
  const Turn<L> added = b.Added(k);
  return -(added.sin * CopySign(b.pull, added.cos));
}

// Damped least squares: one 2x2 system. A joint that its limit held back counts for less in the
// next step; the start pose pulls as in jacobian-inl.h.
template <class L>
HWY_INLINE typename L::Mask StepJacobian(PlanarBlock<L>& b) {
  const int n = b.at->solved;
  const L scale = L::Set(1 / b.chain->length);
  const P2<L> end = b.Pos(n);
  L xx = L::Set(0), xy = xx, yy = xx;
  for (int k = 0; k < n; ++k) {
    const P2<L> r = (end - b.Pos(k)) * scale;
    const L w = b.Row(b.at->weight + k);
    xx = MulAdd(w * r.y, r.y, xx), yy = MulAdd(w * r.x, r.x, yy);
    xy = NegMulAdd(w * r.x, r.y, xy);
  }
  P2<L> e = (b.target - end) * scale;
  for (int k = 0; k < n && b.chain->pull > 0; ++k) {
    const P2<L> r = (end - b.Pos(k)) * scale;
    const L half = PullOf(b, k), turn = half + half;
    e = e - P2<L>{-(r.y * turn), r.x * turn};
  }
  e = e * Min(L::Set(0.4f) * RSqrt(Dot(e, e)), L::Set(1));
  const L more = MulAdd(b.damping, xx + yy, L::Set(1e-7f));
  xx = xx + more, yy = yy + more;
  const L inverse = L::Set(1) / Max(NegMulAdd(xy, xy, xx * yy), L::Set(1e-30f));
  const P2<L> force{NegMulAdd(xy, e.y, yy * e.x) * inverse,
                    NegMulAdd(xy, e.x, xx * e.y) * inverse};
  auto any = xx < xx;
  for (int k = 0; k < n; ++k) {
    const P2<L> r = (end - b.Pos(k)) * scale;
    const int row = b.at->weight + k;
    const L w = b.Row(row), share = L::Set(b.chain->shares[k]);
    L half = Cross(r, force) * w * L::Set(0.5f);
    if (b.chain->pull > 0) half = half + PullOf(b, k);
    const L unit = L::Set(1) / Sqrt(MulAdd(half, half, L::Set(1)));
    auto hit = xx < xx;
    b.PutAdded(k, b.Clamped(k, Then(b.Added(k), Turn<L>{half * unit, unit}), hit));
    any = any | hit;
    b.Put(row, Select(hit, Max(w * L::Set(0.25f), share * L::Set(1.0f / 64)),
                      Min(w * L::Set(2), share)));
  }
  b.pull = b.pull * L::Set(0.8f);
  const L error = ErrorOf(b, ForwardPlanar(b, b.at->turn));
  b.damping = Select(error > b.error, Min(b.damping * L::Set(8), L::Set(1)),
                     Max(b.damping * L::Set(0.25f), L::Set(1e-5f)));
  return any;
}

// Two bones by the law of cosines: the middle joint takes one of two angles, the root joint
// points the end at the target. The angle that limits bring nearer, else that on the side of
// now.
template <class L>
HWY_INLINE typename L::Mask StepTwoBone(PlanarBlock<L>& b) {
  auto hit = L::Set(1) < L::Set(0);
  const L one = L::Set(1);
  const P2<L> target = b.target;
  P2<L> end = b.Bone(0);
  if (b.at->solved == 2) {
    const L first = b.Length(0), second = b.Length(1);
    const L d = Max(Min(Sqrt(Dot(target, target)), b.reach), b.fold);
    const L twice = Max((first + first) * second, L::Set(1e-30f));
    const L cosine = (d * d - first * first - second * second) / twice;
    const Turn<L> now = TurnBetween(b.Bone(0), b.Bone(1));
    const L angle = Acos(Max(Min(cosine, one), -one));
    const auto part = SinCos(angle * L::Set(0.5f));
    const P2<L> line = UnitOr(target, UnitOr(end, P2<L>{one, L::Set(0)}, 1e-20f), 1e-20f);
    const L bent = now.sin * now.cos;
    const L side = Select(Abs(bent) > L::Set(1e-5f), bent, -BendSide(b, line));
    Turn<L> best{L::Set(0), one};
    L least = L::Set(1e30f);
    for (float sign : {1.0f, -1.0f}) {
      const L s = CopySign(L::Set(1), side * L::Set(sign)) * part.sin;
      auto out = one < L::Set(0);
      const Turn<L> turn = b.Clamped(1, Then(Turn<L>{s, part.cos}, Back(now)), out);
      const P2<L> at = b.Bone(0) + Rotate(turn, b.Bone(1));
      const P2<L> off = Rotate(b.Clamped(0, TurnBetween(at, target), out), at) - target;
      const L miss = Sqrt(Dot(off, off));
      const auto better = miss + L::Set(sign > 0 ? 0 : 1e-4f * b.chain->length) < least;
      best = Select(better, turn, best);
      least = Select(better, miss, least);
      hit = (better & out) | (hit & !better);
    }
    b.PutAdded(1, best);
    end = end + Rotate(best, b.Bone(1));
  }
  b.PutAdded(0, b.Clamped(0, TurnBetween(end, target), hit));
  ForwardPlanar(b, b.at->turn);
  return hit;
}

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_LANES_PLANAR_STEPS_INL_H_
