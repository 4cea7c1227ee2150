// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Two bones in closed form, by the law of cosines. The plane of the bend is kept: the input
// pose is turned by the shortest arc to the target's direction. With limits the middle joint
// turns about its hinge (or the axis it is bent about) until the end has the wanted distance,
// then the root joint points the end at the target, each within its limit; where that is not
// enough, the plane of the bend gives way.
#if defined(IKSTREAM_CORE_SOLVERS_TWO_BONE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_SOLVERS_TWO_BONE_INL_H_
#undef IKSTREAM_CORE_SOLVERS_TWO_BONE_INL_H_
#else
#define IKSTREAM_CORE_SOLVERS_TWO_BONE_INL_H_
#endif

#include <cmath>

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
    Q4<L> middle, root, free_root;  // free: where the root's limit is not asked
    L miss, turn;
    typename L::Mask hit;
  };

  // The root joint's rotation that points `end`, seen from it, at the target.
  template <class L>
  static HWY_INLINE void PointRoot(const Block<L> b, const V3<L>& end, Bend<L>& out) {
    const JointBound& bound = b.chain->bounds[0];
    const Q4<L> q = b.Quat(0);
    const V3<L> target = b.Row3(b.at->target);
    out.free_root = Renormalized(TurnToward(bound, Rotate(q, end), target) * q);
    out.root = Clamp(bound, out.free_root, out.hit);
    out.miss = Length(Rotate(out.root, end) - target);
  }

  template <class L>
  static HWY_INLINE V3<L> EndFromRoot(const Block<L> b, const Q4<L>& middle) {
    return b.Bone(0) + Rotate(middle, b.Bone(1));
  }

  template <class L>
  static HWY_NOINLINE Bend<L> TryBend(const Block<L> b, const V3<L>& axis, const L& turn) {
    const L whole = L::Set(2 * kLanePi);
    const L angle = NegMulAdd(Round(turn * L::Set(0.5f / kLanePi)), whole, turn);
    Bend<L> out;
    out.hit = whole < whole;
    out.turn = Abs(angle);
    const Q4<L> by = FromRotationVector(axis * angle);
    out.middle = Clamp(b.chain->bounds[1], Renormalized(by * b.Quat(1)), out.hit);
    PointRoot(b, EndFromRoot(b, out.middle), out);
    return out;
  }

  template <class L>
  static HWY_INLINE Bend<L> Choose(const typename L::Mask& first, const Bend<L>& one,
                                   const Bend<L>& two) {
    return {
        Select(first, one.middle, two.middle),       Select(first, one.root, two.root),
        Select(first, one.free_root, two.free_root), Select(first, one.miss, two.miss),
        Select(first, one.turn, two.turn),           (first & one.hit) | (two.hit & !first)};
  }

  // |first + R(turn) second| = distance: A cos + B sin + C = m, whose two roots lie about
  // atan2(B, A). The one whose end limits let come nearer, else the smaller turn.
  template <class L>
  static HWY_INLINE Bend<L> BendMiddle(const Block<L> b) {
    const V3<L> first = b.Bone(0), second = Rotate(b.Quat(1), b.Bone(1));
    const V3<L> axis = BendAxis(b, first, second);
    const L d = Distance(b);
    const L m = L::Set(0.5f) * (d * d - Dot(first, first) - Dot(second, second));
    const L c = Dot(first, axis) * Dot(second, axis);
    const L a = Dot(first, second) - c, s = Dot(first, Cross(axis, second));
    const L size = Max(Sqrt(MulAdd(a, a, s * s)), L::Set(1e-20f));
    const L middle = Atan2(s, a), spread = Acos((m - c) / size);
    const Bend<L> one = TryBend(b, axis, middle + spread);
    const Bend<L> two = TryBend(b, axis, middle - spread);
    const L even = L::Set(1e-4f * b.chain->length);
    const auto second_wins =
        (two.miss < one.miss - even) | ((two.miss <= one.miss + even) & (two.turn < one.turn));
    return Choose(second_wins, two, one);
  }

  // Where the root's limit keeps the end from its target, the bend's plane gives way: it turns
  // about the line to the target, to either side, as little as meets it.
  template <class L>
  static HWY_NOINLINE void Swivel(const Block<L> b, Bend<L>& best) {
    const L enough = L::Set(0.9f * b.chain->tolerance);
    const V3<L> line = LineToTarget(b), target = b.Row3(b.at->target);
    const V3<L> end = EndFromRoot(b, best.middle);
    for (int i = 2; i < 2 + 2 * kSwivels; ++i) {
      const auto open = (best.miss > enough) & best.hit;
      if (None(open)) return;
      const int step = i / 2;
      const float half = 0.5f * kLanePi / kSwivels * static_cast<float>(step);
      const L side = L::Set(i % 2 == 0 ? std::sin(half) : -std::sin(half));
      const Q4<L> by = About(line, Turn<L>{side, L::Set(std::cos(half))});
      Bend<L> next = best;
      next.hit = side < side;
      next.root = Clamp(b.chain->bounds[0], Renormalized(by * best.free_root), next.hit);
      next.miss = Length(Rotate(next.root, end) - target);
      best = Choose(open & (next.miss < best.miss), next, best);
    }
  }
  static constexpr int kSwivels = 12;  // to each side

  template <class L>
  static HWY_INLINE typename L::Mask TurnJoints(const Block<L> b) {
    Bend<L> best;
    best.hit = L::Set(1) < L::Set(0);
    if (b.at->solved == 2) {
      best = BendMiddle(b);
      Swivel(b, best);
      b.PutQuat(1, best.middle);
    } else {
      PointRoot(b, b.Bone(0), best);
    }
    b.PutQuat(0, best.root);
    return best.hit;
  }

  // Always exact: only a target that the end has already (within rounding) leaves the input.
  template <class L>
  static HWY_NOINLINE typename L::Mask Begin(const Block<L> b) {
    const float exact = 1e-6f * b.chain->length;
    const auto keep = b.Row(b.at->error) <= L::Set(exact * exact);
    const L one = L::Set(1), moved = Select(keep, b.Row(b.at->moved), one);
    if (b.at->rotations) {
      const auto hit = TurnJoints(b);
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
