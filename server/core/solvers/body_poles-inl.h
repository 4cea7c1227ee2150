// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Poles of a body's limbs, frame by frame: nothing is remembered.
#if defined(IKSTREAM_CORE_SOLVERS_BODY_POLES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_SOLVERS_BODY_POLES_INL_H_
#undef IKSTREAM_CORE_SOLVERS_BODY_POLES_INL_H_
#else
#define IKSTREAM_CORE_SOLVERS_BODY_POLES_INL_H_
#endif

#include "core/solvers/body_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

// Turns the limb of an effector about the line from its root to its end, so that it bends to
// its pole. Positions stay; the pole gives way to limits and rotation targets.
template <class L>
class BodyPoles {
 public:
  using Mask = typename L::Mask;

  explicit BodyPoles(const BodyRows<L>& rows) : p_(rows) {}

  // From the pose in the rows; returns the lanes that it moved.
  HWY_NOINLINE Mask Apply(const Columns<L>& columns) const {
    auto moved = L::Set(1) < L::Set(0);
    for (int e = 0; e < BodyRows<L>::Count(p_.group.effectors); ++e)
      if (HasPole(e)) moved = moved | ApplyTo(e, columns);
    return moved;
  }

 private:
  static constexpr float kFade = 0.0872664626f;  // 5 degrees, as core/bend.h

  const Chain& ChainOf(int e) const {
    return p_.job.rig->chains()[static_cast<size_t>(p_.group.effectors[e].chain)];
  }
  // A tip cannot be turned back to its rotation target without leaving its position.
  bool HasPole(int e) const {
    const bool turns_tip = ((p_.plan.rotating >> e) & 1) != 0 && !ChainOf(e).turns_end;
    return ChainOf(e).spec.pole.kind != PoleKind::kNone && !turns_tip;
  }

  // The pole's direction from the limb's root, unit; zero where it has none.
  HWY_INLINE V3<L> Direction(int e, const Columns<L>& columns, const V3<L>& from) const {
    const Pole& pole = ChainOf(e).spec.pole;
    const ChainTargets& asked = p_.job.targets[p_.group.effectors[e].chain];
    V3<L> v = V3<L>::Set(pole.value);
    if (asked.poles) v = Gather3<L>(columns, At(asked.poles));
    if (pole.kind == PoleKind::kPoint) {
      const V3<L> origin = Gather3<L>(columns, TrackAt{p_.job.motion->root_positions, 3});
      v = (v - origin) * L::Set(1 / p_.group.size) - from;
    }
    return NormalizedOr(v, V3<L>::Set({}), 1e-7f);
  }

  // Where to bend to, unit and orthogonal to the line. Within 5 degrees of it the pole fades to
  // the rest bend, else to the axis that lies least along the line.
  HWY_INLINE V3<L> Side(int e, const V3<L>& line, const V3<L>& pole) const {
    const V3<L> rest =
        p_.FromParent(p_.group.effectors[e].root_node, V3<L>::Set(ChainOf(e).rest_bend));
    V3<L> fallback = AnyOrthogonal(line);
    fallback = NormalizedOr(NegMulAdd(line, Dot(rest, line), rest), fallback, 1e-3f);
    const V3<L> across = NegMulAdd(line, Dot(pole, line), pole);
    const L angle = Atan2(Length(across), Abs(Dot(pole, line)));
    const L part = Min(angle * L::Set(1 / kFade), L::Set(1));
    Q4<L> turn = TurnAboutAxis(line, fallback, across);
    turn = Select(turn.w < L::Set(0), -turn, turn);
    return Rotate(Power(turn, part), fallback);
  }

  HWY_NOINLINE Mask ApplyTo(int e, const Columns<L>& columns) const {
    const BodyEffector& effector = p_.group.effectors[e];
    const V3<L> from = p_.Pos(effector.root_node);
    const V3<L> line = NormalizedOr(p_.End(e) - from, V3<L>::Set({}), 1e-5f);
    V3<L> sum = V3<L>::Set({});
    for (int n = effector.node; n != effector.root_node; n = p_.group.nodes[n].parent)
      if (n != effector.node || !ChainOf(e).turns_end) sum = sum + (p_.Pos(n) - from);
    const V3<L> off = NegMulAdd(line, Dot(sum, line), sum);
    const V3<L> pole = Direction(e, columns, from);
    Q4<L> turn = TurnAboutAxis(line, off, Side(e, line, pole));
    turn = Select(turn.w < L::Set(0), -turn, turn);
    turn = Power(turn, L::Set(ChainOf(e).spec.pole.weight));
    const V3<L> v{turn.x, turn.y, turn.z};
    const L half = L::Set(0.5f);
    const Mask turns = (Dot(v, v) > L::Set(1e-13f)) & (Dot(off, off) > L::Set(1e-12f)) &
                       (Dot(line, line) > half) & (Dot(pole, pole) > half) &
                       (p_.Row(p_.active + e) > half);
    if (!None(turns)) TurnLimb(e, turns, turn);
    return turns;
  }

  // By as much as the root joint's limit allows: all, or the greatest of some shares.
  HWY_NOINLINE void TurnLimb(int e, const Mask& where, const Q4<L>& turn) const {
    const int root = p_.group.effectors[e].root_node;
    const V3<L> axis = p_.ToParent(root, V3<L>{turn.x, turn.y, turn.z});
    const Q4<L> by{axis.x, axis.y, axis.z, turn.w}, q = p_.Quat(root);
    Q4<L> next = q;
    Mask open = where;
    for (float share : {1.0f, 0.75f, 0.5f, 0.25f}) {
      Mask outside = L::Set(1) < L::Set(0);
      const Q4<L> part =
          Clamp(p_.group.nodes[root].bound, Normalized(Power(by, L::Set(share)) * q), outside);
      next = Select(open & !outside, part, next);
      open = open & outside;
      if (None(open)) break;
    }
    p_.Put4(p_.quat + 4 * root, next);
    p_.Forward();
    if (((p_.plan.rotating >> e) & 1) != 0) MeetRotation(e, where);
  }

  // The end joint turns back to its rotation target.
  HWY_NOINLINE void MeetRotation(int e, const Mask& where) const {
    const int n = p_.group.effectors[e].node;
    const Q4<L> parent = p_.Model(p_.group.nodes[n].parent);
    Mask outside = L::Set(1) < L::Set(0);
    const Q4<L> local = Normalized(Conjugate(parent) * p_.Row4(p_.goal + 4 * e));
    const Q4<L> q = Clamp(p_.group.nodes[n].bound, local, outside);
    p_.Put4(p_.quat + 4 * n, Select(where, q, p_.Quat(n)));
    p_.Forward();
  }

  const BodyRows<L>& p_;
};

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_SOLVERS_BODY_POLES_INL_H_
