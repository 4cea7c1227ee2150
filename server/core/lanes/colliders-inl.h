// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Bones against colliders in lanes: where a chain's bones and its colliders come nearest.
//
// Space: as in block-inl.h, divided by the chain's length, so that every length is a share.
#if defined(IKSTREAM_CORE_LANES_COLLIDERS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_LANES_COLLIDERS_INL_H_
#undef IKSTREAM_CORE_LANES_COLLIDERS_INL_H_
#else
#define IKSTREAM_CORE_LANES_COLLIDERS_INL_H_
#endif

#include "core/lanes/goals-inl.h"
#include "core/lanes/outlet-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

// Contacts that are kept per bone: the nearest colliders.
inline constexpr int kContacts = 2;
// Floats of a contact: normal 3, point on the bone 3, gap, push, 1 / (what a push moves),
// carrier of the collider.
inline constexpr int kContactRows = 10;

struct ColliderRows {
  int bones, turned, colliders;
  int bone, ends, least, axis, quat, best, frame, pos, weight, turn, contact;
  int rows = 0;

  explicit ColliderRows(const Chain& chain) {
    bones = static_cast<int>(chain.driven.size());
    turned = static_cast<int>(chain.turned.size());
    colliders = static_cast<int>(chain.colliders.size());
    const auto take = [this](int count) { return rows += count, rows - count; };
    bone = take(3 * bones);  // in the joints' frames
    ends = take(6 * colliders);
    least = take(colliders);  // the radius for bones at the root (see LoadColliders)
    axis = take(3 * turned);  // planar: the normal, in the frame of the joint's parent
    quat = take(4 * bones);   // local rotations
    best = take(4 * bones);   // those of the best pose
    frame = take(4 * bones);  // of the joints, in the block's space
    pos = take(3 * (bones + 1));
    weight = take(bones);    // how far joints may turn
    turn = take(3 * bones);  // of this step
    contact = take(kContactRows * kContacts * bones);
  }
};

// The columns of one register. What is not a row is the same for all joints.
template <class L>
struct ColliderBlock : Rows<ColliderBlock<L>, L> {
  using Base = Rows<ColliderBlock<L>, L>;
  using Base::Put, Base::Put3, Base::Put4, Base::Row, Base::Row3, Base::Row4;
  static constexpr int stride = L::kWidth;

  const Chain* chain;
  const ColliderRows* at;
  float* base;
  int root_bones;       // bones that start at the root: the first, and those after bones of no
                        // length
  V3<L> asked, target;  // the target; the same after soft reach
  L enough;             // the squared error that meets it
  L depth, error;       // of the pose: beyond what the root makes unavoidable; squared
  L best_depth, best_error;  // of the best one
  L stall, damping, iterations;

  HWY_INLINE V3<L> Pos(int k) const { return Row3(at->pos + 3 * k); }
  HWY_INLINE V3<L> End() const { return Pos(at->bones); }
  HWY_INLINE Q4<L> Quat(int k) const { return Row4(at->quat + 4 * k); }
  HWY_INLINE Q4<L> Above(int k) const {
    return k == 0 ? Q4<L>::Set({}) : Row4(at->frame + 4 * (k - 1));
  }
  HWY_INLINE int Contact(int bone, int slot) const {
    return at->contact + kContactRows * (kContacts * bone + slot);
  }
};

// Positions and rotations of the joints from the rotations in the rows from `quat`.
template <class L>
HWY_INLINE void Forward(const ColliderBlock<L>& b, int quat) {
  V3<L> p = V3<L>::Set({});
  b.Put3(b.at->pos, p);
  for (int k = 0; k < b.at->bones; ++k) {
    const Q4<L> q = b.Row4(quat + 4 * k);
    const Q4<L> r = k == 0 ? q : Normalized(b.Above(k) * q);
    b.Put4(b.at->frame + 4 * k, r);
    p = p + Rotate(r, b.Row3(b.at->bone + 3 * k));
    b.Put3(b.at->pos + 3 * (k + 1), p);
  }
}

template <class L>
HWY_INLINE L Clamp01(const L& a) {
  return Max(Min(a, L::Set(1)), L::Set(0));
}

// The points of the lines p + s u and a + t v, s and t in 0..1, that are nearest to each other;
// s first where the lines are parallel. Each of the three steps is exact with the other number
// held, and the last two never move apart.
template <class L>
struct Nearest {
  V3<L> on_bone, way;  // from the collider's axis to the bone
  L distance;
};
template <class L>
HWY_INLINE Nearest<L> NearestPoints(const V3<L>& p, const V3<L>& u, const V3<L>& a,
                                    const V3<L>& v) {
  const L tiny = L::Set(1e-14f);
  const V3<L> r = p - a, across = Cross(v, u);
  const L uu = Dot(u, u), vv = Dot(v, v), uv = Dot(u, v), ur = Dot(u, r), vr = Dot(v, r);
  // By cross products: uu vv - uv uv cancels where the lines are nearly parallel.
  const L area = Dot(across, across);
  const auto crossed = area > L::Set(1e-11f) * uu * vv;
  const L over_u = Select(uu > tiny, L::Set(1) / Max(uu, tiny), L::Set(0));
  const L over_v = Select(vv > tiny, L::Set(1) / Max(vv, tiny), L::Set(0));
  const L inner = -Dot(across, Cross(v, r)) / Max(area, L::Set(1e-30f));
  L s = Clamp01(Select(crossed, inner, -(ur * over_u)));
  const L t = Clamp01(MulAdd(uv, s, vr) * over_v);
  s = Clamp01((uv * t - ur) * over_u);
  Nearest<L> out;
  out.on_bone = MulAdd(u, s, p);
  out.way = out.on_bone - MulAdd(v, t, a);
  out.distance = Length(out.way);
  return out;
}

// One end of a collider and the way to the other, in the block's space.
template <class L>
struct Capsule {
  V3<L> a, v;
};
template <class L>
HWY_INLINE Capsule<L> CapsuleOf(const ColliderBlock<L>& b, int c) {
  const int carrier = b.chain->colliders[static_cast<size_t>(c)].carrier;
  const V3<L> one = b.Row3(b.at->ends + 6 * c), two = b.Row3(b.at->ends + 6 * c + 3);
  if (carrier < 0) return {one, two - one};
  const Q4<L> r = b.Row4(b.at->frame + 4 * carrier);
  return {b.Pos(carrier) + Rotate(r, one), Rotate(r, two - one)};
}

// The depth of the deepest bone inside a collider; 0: none is inside.
template <class L>
HWY_NOINLINE L DepthOf(const ColliderBlock<L>& b) {
  L depth = L::Set(0);
  for (int c = 0; c < b.at->colliders; ++c) {
    const ChainCollider& collider = b.chain->colliders[static_cast<size_t>(c)];
    const Capsule<L> capsule = CapsuleOf(b, c);
    const L radius = L::Set(collider.radius / b.chain->length);
    for (int k = collider.carrier + 1; k < b.at->bones; ++k) {
      const V3<L> p = b.Pos(k);
      const auto near = NearestPoints(p, b.Pos(k + 1) - p, capsule.a, capsule.v);
      depth = Max(depth, radius - near.distance);
    }
  }
  return depth;
}

template <class L>
HWY_NOINLINE void LoadBones(const ChainJob& job, const Columns<L>& columns,
                            const ColliderBlock<L>& b) {
  const float scale = 1 / b.chain->length;
  for (int k = 0; k < b.at->bones; ++k)
    b.Put3(b.at->bone + 3 * k, BoneOf(job, columns, k) * L::Set(scale));
}

// A root that is inside a collider cannot leave it, and the bones that start there can be no
// less deep than it: for them the radius shrinks to the root's distance.
template <class L>
HWY_NOINLINE void LoadColliders(const ChainJob& job, const Columns<L>& columns,
                                ColliderBlock<L>& b) {
  const float scale = 1 / b.chain->length;
  const int count = b.at->colliders;
  const V3<L> zero = V3<L>::Set({});
  for (int c = 0; c < count; ++c) {
    const ChainCollider& collider = b.chain->colliders[static_cast<size_t>(c)];
    for (int end = 0; end < 6; end += 3)
      b.Put3(
          b.at->ends + 6 * c + end,
          Gather3<L>(columns, TrackAt{job.colliders + 6 * c + end, 6 * count}) * L::Set(scale));
    L least = L::Set(collider.radius * scale);
    if (collider.carrier < 0) {
      const Capsule<L> capsule = CapsuleOf(b, c);
      least = Min(least, NearestPoints(zero, zero, capsule.a, capsule.v).distance);
    }
    b.Put(b.at->least + c, least);
  }
  b.root_bones = 1;
  while (b.root_bones < b.at->bones && b.chain->lengths[b.root_bones - 1] == 0 &&
         b.chain->bone_slots[b.root_bones - 1] < 0)
    ++b.root_bones;
}

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_LANES_COLLIDERS_INL_H_
