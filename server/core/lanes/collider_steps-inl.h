// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Damped least squares with contacts: the least turn of the joints that moves the end by the
// error and keeps every bone that is near a collider out of it. The pushes of the contacts are
// the multipliers of a quadratic programme, found by projected Gauss-Seidel (as in rigid-body
// engines: Moreau 1988, Jean 1999), the position's by a 3x3 system; contacts have the last
// word.
#if defined(IKSTREAM_CORE_LANES_COLLIDER_STEPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_LANES_COLLIDER_STEPS_INL_H_
#undef IKSTREAM_CORE_LANES_COLLIDER_STEPS_INL_H_
#else
#define IKSTREAM_CORE_LANES_COLLIDER_STEPS_INL_H_
#endif

#include "core/collider_pass.h"
#include "core/lanes/colliders-inl.h"
#include "core/solvers/jacobian-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

// Shares of the chain's length.
inline constexpr float kClearance = 2e-4f;  // aimed for, so that what is left is none
inline constexpr float kNear = 0.1f;        // contacts count from this gap on
inline constexpr float kPush = 0.2f;        // the most a contact pushes in a step
inline constexpr int kSweeps = 6;           // of Gauss-Seidel

// Keeps the nearest contacts of a bone, the nearest first.
template <class L>
HWY_INLINE void Keep(const ColliderBlock<L>& b, int bone, V3<L> normal, V3<L> point, L gap,
                     L carrier) {
  for (int slot = 0; slot < kContacts; ++slot) {
    const int row = b.Contact(bone, slot);
    const V3<L> old_normal = b.Row3(row), old_point = b.Row3(row + 3);
    const L old_gap = b.Row(row + 6), old_carrier = b.Row(row + 9);
    const auto nearer = gap < old_gap;
    b.Put3(row, Select(nearer, normal, old_normal));
    b.Put3(row + 3, Select(nearer, point, old_point));
    b.Put(row + 6, Select(nearer, gap, old_gap));
    b.Put(row + 9, Select(nearer, carrier, old_carrier));
    normal = Select(nearer, old_normal, normal);
    point = Select(nearer, old_point, point);
    gap = Select(nearer, old_gap, gap);
    carrier = Select(nearer, old_carrier, carrier);
  }
}

// Finds the contacts of the pose and b.depth, 0 where it is free; of bones at the root what
// that makes unavoidable does not count.
template <class L>
HWY_NOINLINE void FindContacts(ColliderBlock<L>& b) {
  const L none = L::Set(1e3f);
  b.depth = L::Set(0);
  for (int k = 0; k < b.at->bones; ++k)
    for (int slot = 0; slot < kContacts; ++slot) b.Put(b.Contact(k, slot) + 6, none);
  for (int c = 0; c < b.at->colliders; ++c) {
    const ChainCollider& collider = b.chain->colliders[static_cast<size_t>(c)];
    const Capsule<L> capsule = CapsuleOf(b, c);
    const L whole = L::Set(collider.radius / b.chain->length), least = b.Row(b.at->least + c);
    for (int k = collider.carrier + 1; k < b.at->bones; ++k) {
      const V3<L> p = b.Pos(k);
      const auto near = NearestPoints(p, b.Pos(k + 1) - p, capsule.a, capsule.v);
      const L gap = near.distance - (k < b.root_bones ? least : whole);
      b.depth = Max(b.depth, -gap);
      if (None(gap < L::Set(kNear))) continue;
      // On the axis itself no side is nearer: any way out.
      const V3<L> aside = AnyOrthogonal(NormalizedOr(capsule.v, V3<L>::Set({1, 0, 0}), 1e-6f));
      Keep(b, k, NormalizedOr(near.way, aside, 1e-6f), near.on_bone, gap,
           L::Set(static_cast<float>(collider.carrier)));
    }
  }
  b.depth = Max(b.depth - L::Set(kFreeDepth), L::Set(0));
}

// The turn of joint k that is nearest to `v` among those it can make, by its weight.
template <class L>
HWY_INLINE V3<L> Turnable(const ColliderBlock<L>& b, int k, const V3<L>& v) {
  const L weight = b.Row(b.at->weight + k);
  const Chain& chain = *b.chain;
  if (!chain.plane && chain.bounds[k].kind != JointBound::Kind::kHinge) return v * weight;
  const V3<L> axis = chain.plane ? V3<L>::Set(chain.plane->normal)
                                 : Rotate(b.Above(k), V3<L>::Set(chain.bounds[k].parent_axis));
  return axis * (Dot(axis, v) * weight);
}

template <class L>
HWY_INLINE V3<L> TurnOf(const ColliderBlock<L>& b, int k) {
  return b.Row3(b.at->turn + 3 * k);
}

// Adds the turns by which `force` at the end moves it.
template <class L>
HWY_INLINE void PullEnd(const ColliderBlock<L>& b, const V3<L>& force) {
  const V3<L> end = b.End();
  for (int k = 0; k < b.at->bones; ++k)
    b.Put3(b.at->turn + 3 * k, TurnOf(b, k) + Turnable(b, k, Cross(end - b.Pos(k), force)));
}

// How far the turns move the end.
template <class L>
HWY_INLINE V3<L> EndMoves(const ColliderBlock<L>& b) {
  const V3<L> end = b.End();
  V3<L> sum = V3<L>::Set({});
  for (int k = 0; k < b.at->bones; ++k) sum = sum + Cross(TurnOf(b, k), end - b.Pos(k));
  return sum;
}

// How a turn of joint k changes the gap of a contact, per radian: only joints between what
// carries the collider and the bone do.
template <class L>
HWY_INLINE V3<L> ArmOf(const ColliderBlock<L>& b, int row, int k) {
  const V3<L> arm = Cross(b.Row3(row + 3) - b.Pos(k), b.Row3(row));
  const auto moves = L::Set(static_cast<float>(k)) > b.Row(row + 9);
  return Select(moves, arm, V3<L>::Set({}));
}

template <class L>
HWY_INLINE void PrepareContact(const ColliderBlock<L>& b, int bone, int row) {
  L sum = L::Set(1e-6f);
  for (int k = 0; k <= bone; ++k) {
    const V3<L> arm = ArmOf(b, row, k);
    sum = sum + Dot(arm, Turnable(b, k, arm));
  }
  b.Put(row + 7, L::Set(0));
  b.Put(row + 8, L::Set(1) / sum);
}

// One contact pushes as much as it needs; it never pulls.
template <class L>
HWY_INLINE void PushContact(const ColliderBlock<L>& b, int bone, int row,
                            const typename L::Mask& active) {
  L moves = L::Set(0);
  for (int k = 0; k <= bone; ++k) moves = moves + Dot(TurnOf(b, k), ArmOf(b, row, k));
  const L need = Min(L::Set(kClearance) - b.Row(row + 6), L::Set(kPush)) - moves;
  const L before = b.Row(row + 7);
  const L after = Max(MulAdd(need, b.Row(row + 8), before), L::Set(0));
  const L push = Select(active, after - before, L::Set(0));
  b.Put(row + 7, before + push);
  for (int k = 0; k <= bone; ++k)
    b.Put3(b.at->turn + 3 * k, TurnOf(b, k) + Turnable(b, k, ArmOf(b, row, k) * push));
}

template <class L>
HWY_NOINLINE void SweepContacts(const ColliderBlock<L>& b) {
  for (int bone = 0; bone < b.at->bones; ++bone)
    for (int slot = 0; slot < kContacts; ++slot) {
      const int row = b.Contact(bone, slot);
      const auto active = b.Row(row + 6) < L::Set(kNear);
      if (!None(active)) PushContact(b, bone, row, active);
    }
}

// J W J^T of the end, with its damping.
template <class L>
HWY_INLINE Symmetric3<L> EndMatrix(const ColliderBlock<L>& b) {
  const L zero = L::Set(0);
  Symmetric3<L> a{zero, zero, zero, zero, zero, zero};
  const V3<L> end = b.End();
  for (int k = 0; k < b.at->bones; ++k) {
    const V3<L> r = end - b.Pos(k);
    // The columns of J W J^T: what unit forces along the axes move.
    const V3<L> x = Cross(Turnable(b, k, Cross(r, V3<L>::Set({1, 0, 0}))), r);
    const V3<L> y = Cross(Turnable(b, k, Cross(r, V3<L>::Set({0, 1, 0}))), r);
    const V3<L> z = Cross(Turnable(b, k, Cross(r, V3<L>::Set({0, 0, 1}))), r);
    a.xx = a.xx + x.x, a.xy = a.xy + x.y, a.xz = a.xz + x.z;
    a.yy = a.yy + y.y, a.yz = a.yz + y.z, a.zz = a.zz + z.z;
  }
  return a;
}

// The turns of a step, in the rows from b.at->turn.
template <class L>
HWY_NOINLINE void FindTurns(const ColliderBlock<L>& b, float pull) {
  for (int k = 0; k < b.at->bones; ++k) b.Put3(b.at->turn + 3 * k, V3<L>::Set({}));
  for (int bone = 0; bone < b.at->bones; ++bone)
    for (int slot = 0; slot < kContacts; ++slot)
      if (!None(b.Row(b.Contact(bone, slot) + 6) < L::Set(kNear)))
        PrepareContact(b, bone, b.Contact(bone, slot));
  Symmetric3<L> a = EndMatrix(b);
  const L more = MulAdd(b.damping, a.xx + a.yy + a.zz, L::Set(1e-7f));
  a.xx = a.xx + more, a.yy = a.yy + more, a.zz = a.zz + more;
  V3<L> e = (b.target - b.End()) * L::Set(pull);
  e = e * Min(L::Set(Jacobian::kLongestStep) * RSqrt(Dot(e, e)), L::Set(1));
  V3<L> force = V3<L>::Set({});
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    if (pull > 0) {
      const V3<L> add = SolveSymmetric(a, e - EndMoves(b) - force * more);
      force = force + add;
      PullEnd(b, add);
    }
    SweepContacts(b);
  }
}

// Joint k's rotation inside its limit; planar: the angle about the normal alone.
template <class L>
HWY_INLINE Q4<L> Inside(const ColliderBlock<L>& b, int k, const Q4<L>& q,
                        typename L::Mask& hit) {
  const JointBound& bound = b.chain->bounds[k];
  if (!b.chain->plane) return Clamp(bound, q, hit);
  const TurnRange& range = b.chain->plane->ranges[k];
  if (range.free) return q;
  const V3<L> axis = b.Row3(b.at->axis + 3 * k);
  L norm2;
  const Turn<L> from_rest =
      TurnAbout(FromRest(bound, q), RotateBack(Q4<L>::Set(bound.rest), axis), norm2);
  auto out = norm2 < L::Set(0);
  const Turn<L> inside = ClampTurn(range, from_rest, out);
  hit = hit | out;
  const Turn<L> by{NegMulAdd(inside.cos, from_rest.sin, inside.sin * from_rest.cos),
                   MulAdd(inside.sin, from_rest.sin, inside.cos * from_rest.cos)};
  return Select(out, Normalized(About(axis, by) * q), q);
}

// Turns the joints within their limits; those held back count for less in the next step.
template <class L>
HWY_NOINLINE void MakeTurns(const ColliderBlock<L>& b) {
  for (int k = 0; k < b.at->bones; ++k) {
    V3<L> turn = RotateBack(b.Above(k), TurnOf(b, k) * L::Set(0.5f));
    if (b.chain->plane) {
      // Along the normal as the input has it: what rounding adds would grow from turn to turn.
      const V3<L> axis = b.Row3(b.at->axis + 3 * k);
      turn = axis * Dot(turn, axis);
    }
    const Q4<L> by{turn.x, turn.y, turn.z, L::Set(1)};
    auto hit = turn.x < turn.x;
    b.Put4(b.at->quat + 4 * k, Inside(b, k, Normalized(by * b.Quat(k)), hit));
    const int row = b.at->weight + k;
    const L weight = b.Row(row), share = L::Set(b.chain->shares[k]);
    b.Put(row, Select(hit, Max(weight * L::Set(0.25f), share * L::Set(1.0f / 64)),
                      Min(weight * L::Set(2), share)));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_LANES_COLLIDER_STEPS_INL_H_
