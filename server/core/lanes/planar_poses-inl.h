// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Poses of planar chains that no step makes: straight and folded ones, bows, mirrored ones; and
// how joints turn to follow points. What comes before the iterations.
#if defined(IKSTREAM_CORE_LANES_PLANAR_POSES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_LANES_PLANAR_POSES_INL_H_
#undef IKSTREAM_CORE_LANES_PLANAR_POSES_INL_H_
#else
#define IKSTREAM_CORE_LANES_PLANAR_POSES_INL_H_
#endif

#include "core/lanes/planar-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

// Turns joints from the root on so that bones follow the points in the rows from `points`,
// within limits. Returns the lanes where a limit held back.
template <class L>
HWY_NOINLINE typename L::Mask FollowPlanar(const PlanarBlock<L>& b, int points,
                                           const float* shares) {
  auto hit = L::Set(1) < L::Set(0);
  P2<L> p{L::Set(0), L::Set(0)};
  Turn<L> sum{L::Set(0), L::Set(1)};
  for (int k = 0; k < b.at->solved; ++k) {
    const P2<L> bone = b.Bone(k), want = b.Row2(points + 2 * (k + 1)) - p;
    const Turn<L> added = b.Added(k);
    const Turn<L> turn = Soften(shares == nullptr ? 1 : shares[k],
                                TurnBetween(Rotate(Then(sum, added), bone), want));
    const Turn<L> next = b.Clamped(k, Then(added, turn), hit);
    b.PutAdded(k, next);
    sum = Then(sum, next);
    p = p + Rotate(sum, bone);
    b.PutPos(k + 1, p);
  }
  return hit;
}

// FollowPlanar() for some lanes; the others keep their turns.
template <class L>
HWY_NOINLINE typename L::Mask FollowPlanarWhere(const PlanarBlock<L>& b, int points,
                                                const typename L::Mask& where) {
  const int n = b.at->solved, kept = b.at->frozen;
  for (int k = 0; k < n; ++k) b.PutTurn(kept + 2 * k, b.Added(k));
  const auto hit = FollowPlanar(b, points, nullptr);
  for (int k = 0; k < n; ++k) b.PutAdded(k, Select(where, b.Added(k), b.TurnRow(kept + 2 * k)));
  ForwardPlanar(b, b.at->turn);
  return hit;
}

// 1 where the chain's joints lie to the left of the way to its end, -1 to the right.
template <class L>
HWY_NOINLINE L SideOf(const PlanarBlock<L>& b) {
  const P2<L> end = b.Pos(b.at->solved);
  L sum = L::Set(0);
  for (int k = 1; k < b.at->solved; ++k) sum = sum + Cross(end, b.Pos(k));
  return sum;
}

// The side of `line` to bend to: the pole's, the rest pose's or hinge's, else the left one.
template <class L>
HWY_NOINLINE L BendSide(const PlanarBlock<L>& b, const P2<L>& line) {
  const L one = L::Set(1), small = L::Set(0.02f);
  const L rest = Cross(line, b.Flat(V3<L>::Set(b.chain->rest_bend)));
  const L pole = Cross(line, b.bend);
  const L side = Select(Abs(rest) > small, CopySign(one, rest), one);
  return Select(Abs(pole) > L::Set(1e-3f), CopySign(one, pole), side);
}

// Points of a straight chain to the target (`fold` false), or of one folded onto itself.
template <class L>
HWY_NOINLINE void PutLine(const PlanarBlock<L>& b, const P2<L>& line,
                          const typename L::Mask& fold) {
  P2<L> p{L::Set(0), L::Set(0)};
  const L half = (b.reach + b.fold) * L::Set(0.5f * 0.99999f);
  auto used = L::Set(1) < L::Set(0);
  for (int k = 0; k < b.at->solved; ++k) {
    const L length = b.Length(k);
    const auto longest = (length >= half) & !used;
    used = used | longest;
    p = p + line * Select(fold & !longest, -length, length);
    b.Put2(b.at->scratch + 2 * (k + 1), p);
  }
}

// Points of the pose mirrored about the unit direction `line` from the root.
template <class L>
HWY_NOINLINE void PutMirrored(const PlanarBlock<L>& b, const P2<L>& line) {
  for (int k = 1; k <= b.at->solved; ++k) {
    const P2<L> p = b.Pos(k);
    b.Put2(b.at->scratch + 2 * k, line * (Dot(p, line) + Dot(p, line)) - p);
  }
}

// Points of a bow to the target: what a straight chain is given to start from.
template <class L>
HWY_NOINLINE void PutPlanarBow(const PlanarBlock<L>& b, const P2<L>& line) {
  const L side = BendSide(b, line);
  const P2<L> across{-(line.y * side), line.x * side};
  const L distance = Min(Sqrt(Dot(b.target, b.target)), b.reach);
  const L height = Sqrt(Max(b.reach * b.reach - distance * distance, L::Set(0))) * L::Set(0.5f);
  const L inverse = L::Set(1) / Max(b.reach, L::Set(1e-30f));
  P2<L> p{L::Set(0), L::Set(0)}, before = p;
  L length = L::Set(0);
  for (int k = 0; k < b.at->solved; ++k) {
    length = length + b.Length(k);
    const L share = length * inverse;
    const L rise = L::Set(4) * NegMulAdd(share, share, share) * height;
    const P2<L> shape = line * (share * distance) + across * rise;
    p = p + UnitOr(shape - before, line, 1e-12f) * b.Length(k);
    before = shape;
    b.Put2(b.at->scratch + 2 * (k + 1), p);
  }
}

// Lanes whose chain is straight and whose target lies along it, nearer than it reaches. To
// `reaching` out and back a chain is straight where all joints but its end lie on one line: it
// never leaves the line to the target.
template <class L>
HWY_NOINLINE typename L::Mask NeedsBend(const PlanarBlock<L>& b, bool reaching) {
  const P2<L> zero{L::Set(0), L::Set(0)};
  const int n = reaching ? std::max(b.at->solved - 1, 1) : b.at->solved;
  const P2<L> first = UnitOr(b.Pos(n), zero, 1e-12f);
  L off = L::Set(0);
  for (int k = 1; k <= n; ++k) off = Max(off, Abs(Cross(first, b.Pos(k))));
  return (off < b.reach * L::Set(1e-4f)) &
         (Abs(Cross(first, b.target)) < b.reach * L::Set(1e-2f)) &
         (Dot(b.target, b.target) < b.reach * b.reach);
}

template <class L>
HWY_INLINE L DoneBelow(const PlanarBlock<L>& b) {
  const float t = 0.998f * b.chain->tolerance;
  return L::Set(t * t);
}

// Before the iterations: what is done already, what has a closed form, straight chains that
// must bend. Returns the lanes that are done.
template <class L>
HWY_NOINLINE typename L::Mask BeginPlanar(PlanarBlock<L>& b, bool reaching) {
  auto done = b.error <= DoneBelow(b);
  const L margin = L::Set(0.25f * b.chain->tolerance);
  const L distance = Sqrt(Dot(b.target, b.target));
  const float least = 1e-6f * b.chain->length;
  const P2<L> end = UnitOr(b.Pos(b.at->solved), P2<L>{L::Set(1), L::Set(0)}, least);
  const P2<L> line = UnitOr(b.target, end, least);
  if (!b.chain->limited) {
    const auto far = (distance >= b.reach - margin) & !done;
    const auto near = (distance <= b.fold + margin) & (b.fold > L::Set(0)) & !done & !far;
    if (!None(far | near)) {
      PutLine(b, line, near);
      FollowPlanarWhere(b, b.at->scratch, far | near);
      done = done | far | near;
      b.moved = b.moved | far | near;
    }
  }
  const auto bend = NeedsBend(b, reaching) & !done;
  if (!None(bend)) {
    PutPlanarBow(b, line);
    FollowPlanarWhere(b, b.at->scratch, bend);
    b.moved = b.moved | bend;
    b.error = Select(bend, ErrorOf(b, b.Pos(b.at->solved)), b.error);
  }
  return done;
}

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_LANES_PLANAR_POSES_INL_H_
