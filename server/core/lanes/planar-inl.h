// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Planar chains in lanes: the input pose seen in the plane, and how it turns. Every joint turns
// about the normal alone, from its input (or the nearest angle that its limit allows), so that
// what the input has out of the plane stays as it is: a bone is its part in the plane, a joint
// the turn that was added to it.
//
// Space: the frame of root_joint's parent, centred at root_joint; in it the plane's x and y.
#if defined(IKSTREAM_CORE_LANES_PLANAR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_LANES_PLANAR_INL_H_
#undef IKSTREAM_CORE_LANES_PLANAR_INL_H_
#else
#define IKSTREAM_CORE_LANES_PLANAR_INL_H_
#endif

#include "core/lanes/goals-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

template <class L>
struct P2 {
  L x, y;
  friend HWY_INLINE P2 operator+(const P2& a, const P2& b) { return {a.x + b.x, a.y + b.y}; }
  friend HWY_INLINE P2 operator-(const P2& a, const P2& b) { return {a.x - b.x, a.y - b.y}; }
  friend HWY_INLINE P2 operator*(const P2& a, const L& s) { return {a.x * s, a.y * s}; }
};
template <class L>
HWY_INLINE L Dot(const P2<L>& a, const P2<L>& b) {
  return MulAdd(a.x, b.x, a.y * b.y);
}
template <class L>
HWY_INLINE L Cross(const P2<L>& a, const P2<L>& b) {
  return NegMulAdd(a.y, b.x, a.x * b.y);
}
template <class L, class M>
HWY_INLINE P2<L> Select(const M& m, const P2<L>& a, const P2<L>& b) {
  return {Select(m, a.x, b.x), Select(m, a.y, b.y)};
}
template <class L, class M>
HWY_INLINE Turn<L> Select(const M& m, const Turn<L>& a, const Turn<L>& b) {
  return {Select(m, a.sin, b.sin), Select(m, a.cos, b.cos)};
}
template <class L>
HWY_INLINE P2<L> UnitOr(const P2<L>& a, const P2<L>& fallback, float least) {
  const L n = Dot(a, a);
  return Select(n > L::Set(least * least), a * RSqrt(n), fallback);
}

// Turns by half angles, as in quaternions. One after the other, kept unit.
template <class L>
HWY_INLINE Turn<L> Then(const Turn<L>& a, const Turn<L>& b) {
  const L s = MulAdd(a.sin, b.cos, a.cos * b.sin), c = NegMulAdd(a.sin, b.sin, a.cos * b.cos);
  const L scale = NegMulAdd(L::Set(0.5f), MulAdd(s, s, c * c), L::Set(1.5f));
  return {s * scale, c * scale};
}
template <class L>
HWY_INLINE Turn<L> Back(const Turn<L>& a) {
  return {-a.sin, a.cos};
}
template <class L>
HWY_INLINE P2<L> Rotate(const Turn<L>& t, const P2<L>& v) {
  const L s = (t.sin + t.sin) * t.cos, c = NegMulAdd(t.sin, t.sin, t.cos * t.cos);
  return {NegMulAdd(s, v.y, c * v.x), MulAdd(s, v.x, c * v.y)};
}
// From one direction to the other; none where one has no length.
template <class L>
HWY_INLINE Turn<L> TurnBetween(const P2<L>& from, const P2<L>& to) {
  const L sine = Cross(from, to), cosine = Dot(from, to);
  const L n = Sqrt(MulAdd(sine, sine, cosine * cosine));
  const auto back = cosine < L::Set(0);
  const L s = Select(back, CopySign(n - cosine, sine), sine);
  const L c = Select(back, Abs(sine), cosine + n);
  const L size = Sqrt(MulAdd(s, s, c * c));
  const auto none = size < L::Set(1e-30f);
  const L r = L::Set(1) / Max(size, L::Set(1e-30f));
  return {Select(none, L::Set(0), s * r), Select(none, L::Set(1), c * r)};
}
template <class L>
HWY_INLINE Turn<L> Soften(float share, const Turn<L>& t) {
  if (share == 1) return t;
  const auto part = SinCos(Atan2(t.sin, t.cos) * L::Set(share));
  return {part.sin, part.cos};
}

// Rows of a block, each a register wide.
struct PlanarRows {
  int bones, turned, solved, axis, start, rest_turn, bone, length, weight, turn, best, frozen;
  int pos, scratch;
  int rows;
  bool has_goal;

  explicit PlanarRows(const ChainJob& job) {
    bones = static_cast<int>(job.chain->driven.size());
    turned = static_cast<int>(job.chain->turned.size());
    has_goal = job.has_rotation_target() && !job.ignore_rotation;
    solved = has_goal && !job.chain->turns_end && bones > 1 ? bones - 1 : bones;
    rows = 0;
    const auto take = [this](int count) { return rows += count, rows - count; };
    axis = take(3 * turned);       // the normal, in the frame of the joint's parent
    start = take(4 * turned);      // the input's rotations, inside limits
    rest_turn = take(2 * turned);  // their turn from the rest angle
    bone = take(2 * bones);        // of the start pose
    length = take(bones);
    weight = take(bones);
    turn = take(2 * bones);  // added to the start
    best = take(2 * bones);
    frozen = take(2 * bones);
    pos = take(2 * (bones + 1));
    scratch = take(2 * (bones + 1));
  }
};

// The columns of one register and what each is asked for.
template <class L>
struct PlanarBlock : Rows<PlanarBlock<L>, L> {
  using Base = Rows<PlanarBlock<L>, L>;
  using Base::Put, Base::Put3, Base::Put4, Base::Row, Base::Row3, Base::Row4;
  static constexpr int stride = L::kWidth;

  const Chain* chain;
  const PlanarRows* at;
  float* base;
  V3<L> asked, wanted;       // the target; the same after soft reach
  Q4<L> asked_goal, goal;    // the end joint's rotation; the same with its weight
  P2<L> target, bend, lead;  // in the plane, for the solved bones
  Turn<L> goal_turn;         // of the end joint, from the start pose
  L height;                  // of the chain's end over the root's plane: never changes
  L reach, fold, error, best_error, stall, held, damping, pull, iterations;
  typename L::Mask moved;

  HWY_INLINE P2<L> Row2(int r) const { return {Row(r), Row(r + 1)}; }
  HWY_INLINE void Put2(int r, const P2<L>& v) const { Put(r, v.x), Put(r + 1, v.y); }
  HWY_INLINE Turn<L> TurnRow(int r) const { return {Row(r), Row(r + 1)}; }
  HWY_INLINE void PutTurn(int r, const Turn<L>& t) const { Put(r, t.sin), Put(r + 1, t.cos); }
  HWY_INLINE P2<L> Pos(int k) const { return Row2(at->pos + 2 * k); }
  HWY_INLINE void PutPos(int k, const P2<L>& v) const { Put2(at->pos + 2 * k, v); }
  HWY_INLINE P2<L> Bone(int k) const { return Row2(at->bone + 2 * k); }
  HWY_INLINE L Length(int k) const { return Row(at->length + k); }
  HWY_INLINE Turn<L> Added(int k) const { return TurnRow(at->turn + 2 * k); }
  HWY_INLINE void PutAdded(int k, const Turn<L>& t) const { PutTurn(at->turn + 2 * k, t); }

  HWY_INLINE P2<L> Flat(const V3<L>& v) const {
    return {Dot(v, V3<L>::Set(chain->plane->x)), Dot(v, V3<L>::Set(chain->plane->y))};
  }
  HWY_INLINE L Height(const V3<L>& v) const { return Dot(v, V3<L>::Set(chain->plane->normal)); }
  // A turn added to the start of joint k, inside its limit.
  HWY_INLINE Turn<L> Clamped(int k, const Turn<L>& added, typename L::Mask& hit) const {
    const TurnRange& range = chain->plane->ranges[k];
    if (range.free) return added;
    const Turn<L> from_rest = TurnRow(at->rest_turn + 2 * k);
    auto out = L::Set(1) < L::Set(0);
    const Turn<L> inside = ClampTurn(range, Then(from_rest, added), out);
    hit = hit | out;
    return Select(out, Then(inside, Back(from_rest)), added);
  }
};

// Positions from the turns in the rows from `turns`; returns where the solved bones end.
template <class L>
HWY_INLINE P2<L> ForwardPlanar(const PlanarBlock<L>& b, int turns) {
  P2<L> p{L::Set(0), L::Set(0)};
  Turn<L> sum{L::Set(0), L::Set(1)};
  b.PutPos(0, p);
  for (int k = 0; k < b.at->solved; ++k) {
    sum = Then(sum, b.TurnRow(turns + 2 * k));
    p = p + Rotate(sum, b.Bone(k));
    b.PutPos(k + 1, p);
  }
  return p;
}

template <class L>
HWY_INLINE L ErrorOf(const PlanarBlock<L>& b, const P2<L>& end) {
  const P2<L> d = b.target - end;
  return Dot(d, d);
}

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_LANES_PLANAR_INL_H_
