// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Two bones in closed form, by the law of cosines. The plane of the bend is kept: the input
// pose is turned by the shortest arc to the target's direction. With limits the middle joint
// turns about its hinge (or the axis it is bent about) until the end has the wanted distance,
// then the root joint points the end at the target, each within its limit.
#if defined(IKSTREAM_CORE_SOLVERS_TWO_BONE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_SOLVERS_TWO_BONE_INL_H_
#undef IKSTREAM_CORE_SOLVERS_TWO_BONE_INL_H_
#else
#define IKSTREAM_CORE_SOLVERS_TWO_BONE_INL_H_
#endif

#include "core/lanes/driver-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

struct TwoBone {
  static constexpr bool kClosed = true;
  static constexpr int kGroups = 2;

  // The distance that the bones can make which is nearest to the target's.
  template <class L>
  static HWY_INLINE L Distance(const Block<L> b) {
    return Max(Min(Length(b.Row3(b.at->target)), b.Reach()), b.Fold());
  }

  // v, orthogonal to the unit a, turned by the shortest arc from a to the unit b: by the half
  // vector a + b, v - (a + b) (b v) 2 / |a + b|^2.
  template <class L>
  static HWY_INLINE V3<L> Carry(const V3<L>& a, const V3<L>& b, const V3<L>& v) {
    const V3<L> s = a + b;
    const L n = Dot(s, s);
    const auto opposed = n < L::Set(1e-8f);
    const V3<L> turned = NegMulAdd(s, (Dot(b, v) + Dot(b, v)) / Max(n, L::Set(1e-20f)), v);
    return None(opposed) ? turned : Select(opposed, Rotate(ShortestArc(a, b), v), turned);
  }

  // The side of the middle joint, orthogonal to `line`, as the input pose has it.
  template <class L>
  static HWY_INLINE V3<L> Side(const Block<L> b, const V3<L>& line) {
    const float least = 1e-5f * b.chain->length;
    const V3<L> now = NormalizedOr(b.Pos(2), line, least);
    const V3<L> middle = b.Pos(1);
    const V3<L> turned = Carry(now, line, NegMulAdd(now, Dot(middle, now), middle));
    // Again orthogonal, since a bend of almost nothing loses its digits.
    const V3<L> side = NegMulAdd(line, Dot(turned, line), turned);
    const L n = Dot(side, side);
    const auto bent = n > L::Set(least * least);
    if (None(!bent)) return side * RSqrt(n);
    return Select(bent, side * RSqrt(n), BendSide(b, line));
  }

  template <class L>
  static HWY_INLINE void Place(const Block<L> b, const typename L::Mask& keep) {
    const V3<L> line = LineToTarget(b);
    const L d = Distance(b), first = b.BoneLength(0), second = b.BoneLength(1);
    const L half = L::Set(0.5f);
    const L least = L::Set(1e-6f * b.chain->length);
    const L gap = (first - second) * (first + second) / Max(d, least);
    const L along = Max(Min((d + gap) * half, first), -first);
    const L height = Sqrt(Max((first - along) * (first + along), L::Set(0)));
    const V3<L> middle = MulAdd(Side(b, line), height, line * along);
    b.PutPos(1, Select(keep, b.Pos(1), middle));
    b.PutPos(2, Select(keep, b.Pos(2), line * d));
  }

  // The axis about which the middle joint bends, in the root joint's frame.
  template <class L>
  static HWY_INLINE V3<L> BendAxis(const Block<L> b, const V3<L>& first, const V3<L>& second) {
    const JointBound& bound = b.chain->bounds[1];
    if (bound.kind == JointBound::Kind::kHinge) return V3<L>::Set(bound.parent_axis);
    const V3<L> side = RotateBack(b.Quat(0), BendSide(b, LineToTarget(b)));
    const V3<L> straight = Normalized(Cross(side, first));
    const float scale = b.chain->lengths[0] * b.chain->lengths[1];
    return NormalizedOr(Cross(first, second), straight, 1e-4f * scale);
  }

  template <class L>
  struct Bend {
    Q4<L> q;
    L miss, turn;
    typename L::Mask hit;
  };

  template <class L>
  static HWY_NOINLINE Bend<L> TryBend(const Block<L> b, const V3<L>& axis, const L& turn,
                                      const L& distance) {
    const L whole = L::Set(2 * kLanePi);
    const L angle = NegMulAdd(Round(turn * L::Set(0.5f / kLanePi)), whole, turn);
    Bend<L> out;
    out.hit = whole < whole;
    out.turn = Abs(angle);
    const Q4<L> by = FromRotationVector(axis * angle);
    out.q = Clamp(b.chain->bounds[1], Renormalized(by * b.Quat(1)), out.hit);
    out.miss = Abs(Length(b.Bone(0) + Rotate(out.q, b.Bone(1))) - distance);
    return out;
  }

  // |first + R(turn) second| = distance: A cos + B sin + C = m, whose two roots lie about
  // atan2(B, A). The one that limits allow, else the smaller turn.
  template <class L>
  static HWY_INLINE typename L::Mask BendMiddle(const Block<L> b) {
    const V3<L> first = b.Bone(0), second = Rotate(b.Quat(1), b.Bone(1));
    const V3<L> axis = BendAxis(b, first, second);
    const L d = Distance(b);
    const L m = L::Set(0.5f) * (d * d - Dot(first, first) - Dot(second, second));
    const L c = Dot(first, axis) * Dot(second, axis);
    const L a = Dot(first, second) - c, s = Dot(first, Cross(axis, second));
    const L size = Max(Sqrt(MulAdd(a, a, s * s)), L::Set(1e-20f));
    const L middle = Atan2(s, a), spread = Acos((m - c) / size);
    const Bend<L> one = TryBend(b, axis, middle + spread, d);
    const Bend<L> two = TryBend(b, axis, middle - spread, d);
    const L even = L::Set(1e-4f * b.chain->length);
    const auto second_wins =
        (two.miss < one.miss - even) | ((two.miss <= one.miss + even) & (two.turn < one.turn));
    b.PutQuat(1, Select(second_wins, two.q, one.q));
    const auto first_wins = !second_wins;
    return (second_wins & two.hit) | (first_wins & one.hit);
  }

  template <class L>
  static HWY_INLINE typename L::Mask Turn(const Block<L> b) {
    auto hit = L::Set(1) < L::Set(0);
    if (b.at->solved == 2) hit = BendMiddle(b);
    const Q4<L> q = b.Quat(0);
    V3<L> end = b.Bone(0);
    if (b.at->solved == 2) end = end + Rotate(b.Quat(1), b.Bone(1));
    const Q4<L> turn = TurnToward(b.chain->bounds[0], Rotate(q, end), b.Row3(b.at->target));
    b.PutQuat(0, Clamp(b.chain->bounds[0], Renormalized(turn * q), hit));
    return hit;
  }

  // Always exact: only a target that the end has already (within rounding) leaves the input.
  template <class L>
  static HWY_NOINLINE typename L::Mask Begin(const Block<L> b) {
    const float exact = 1e-6f * b.chain->length;
    const auto keep = b.Row(b.at->error) <= L::Set(exact * exact);
    const L one = L::Set(1), moved = Select(keep, b.Row(b.at->moved), one);
    if (b.at->rotations) {
      const auto hit = Turn(b);
      EndStep(b, ErrorOf(b, Forward(b, b.at->quat)), hit);
    } else if (b.at->solved == 2) {
      Place(b, keep);
    } else {
      b.PutPos(1, Select(keep, b.Pos(1), LineToTarget(b) * b.BoneLength(0)));
    }
    b.Put(b.at->moved, moved);
    b.Put(b.at->age, moved);
    return one <= one;
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_SOLVERS_TWO_BONE_INL_H_
