// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// From packed frames to columns of a block: the pose of the chain, its target, its bend, seen
// from the frame of root_joint's parent.
#if defined(IKSTREAM_CORE_LANES_INTAKE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_LANES_INTAKE_INL_H_
#undef IKSTREAM_CORE_LANES_INTAKE_INL_H_
#else
#define IKSTREAM_CORE_LANES_INTAKE_INL_H_
#endif

#include "core/lanes/block-inl.h"
#include "core/lanes/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

HWY_INLINE TrackAt At(const Track& track) { return {track.data, track.stride}; }
HWY_INLINE TrackAt RowsOf(const RotationRows& rows, size_t k) {
  return {rows.data + rows.offsets[k], rows.frame_stride};
}
template <class L>
HWY_INLINE RowsAt<L, const float> FramesOf(const Columns<L>& columns,
                                           const RotationRows& rows) {
  return {columns, rows.data, rows.frame_stride};
}
// A joint's offset: `fixed`, or what the frames say where it is translated joint `slot` >= 0 of
// `translations`.
template <class L>
HWY_INLINE V3<L> OffsetOf(const MotionView& motion, int translations, const Columns<L>& columns,
                          int slot, Vec3f fixed) {
  if (slot < 0) return V3<L>::Set(fixed);
  return Gather3<L>(columns, TrackAt{motion.local_translations + 3 * slot, 3 * translations});
}
// Bone k of the chain, in its joint's frame.
template <class L>
HWY_INLINE V3<L> BoneOf(const ChainJob& job, const Columns<L>& columns, int k) {
  return OffsetOf(*job.motion, job.translations, columns, job.chain->bone_slots[k],
                  job.chain->bones[k]);
}

// What is given in the space of root_positions and must be seen from the chain.
template <class L>
struct Asked {
  V3<L> target;  // from the chain's root
  V3<L> bend;    // a direction
  Q4<L> goal;
};

// Goes down from the skeleton's root to the chain's: into each joint's frame, then to its
// child.
template <class L>
HWY_NOINLINE void Descend(const ChainJob& job, const Columns<L>& columns, Asked<L>& asked) {
  const Chain& chain = *job.chain;
  for (size_t k = 0; k < chain.prefix.size(); ++k) {
    const TrackAt at{job.pose + 4 * chain.prefix[k], 4 * job.joints};
    const Q4<L> back = Conjugate(Gather4<L>(columns, at));
    const V3<L> offset = OffsetOf(*job.motion, job.translations, columns, chain.prefix_slots[k],
                                  chain.prefix_offsets[k]);
    asked.target = Rotate(back, asked.target) - offset;
    asked.bend = Rotate(back, asked.bend);
    asked.goal = back * asked.goal;
  }
}

template <class L>
HWY_NOINLINE void LoadBones(const ChainJob& job, const Columns<L>& columns, const Block<L> b) {
  if (b.at->moving < 0) return;
  for (int k = 0; k < b.at->bones; ++k) {
    const V3<L> bone = BoneOf(job, columns, k);
    b.Put3(b.at->moving + 4 * k, bone);
    b.Put(b.at->moving + 4 * k + 3, Length(bone));
  }
}

// The product of the turned joints' rotations: that of the end joint.
template <class L>
HWY_NOINLINE Q4<L> EndRotation(const ChainJob& job, const Columns<L>& columns,
                               const RotationRows& rows) {
  const auto at = FramesOf(columns, rows);
  Q4<L> r = Q4<L>::Set({});
  for (size_t k = 0; k < job.chain->turned.size(); ++k) r = r * Gather4<L>(at, rows.offsets[k]);
  return Renormalized(r);
}

// Where the chain of the input ends, limits or not: what is asked for where no target is given.
template <class L>
HWY_NOINLINE V3<L> InputEnd(const ChainJob& job, const Columns<L>& columns, const Block<L> b) {
  const auto at = FramesOf(columns, job.before);
  V3<L> p = V3<L>::Set({});
  Q4<L> r = Q4<L>::Set({});
  for (int k = 0; k < b.at->bones; ++k) {
    const Q4<L> q = Gather4<L>(at, job.before.offsets[k]);
    r = k == 0 ? q : Renormalized(r * q);
    p = p + Rotate(r, b.Bone(k));
  }
  return p;
}

// The start pose, clamped to limits.
template <class L>
HWY_NOINLINE void LoadPose(const ChainJob& job, const Columns<L>& columns, const Block<L> b) {
  const Layout& at = *b.at;
  const L zero = L::Set(0);
  const auto start = FramesOf(columns, job.start);
  V3<L> p = V3<L>::Set({});
  Q4<L> r = Q4<L>::Set({});
  auto moved = zero > zero;
  b.PutPos(0, p);
  for (int k = 0; k < at.bones; ++k) {
    Q4<L> q = Gather4<L>(start, job.start.offsets[k]);
    if (job.clamp_start) q = Clamp(job.chain->bounds[k], q, moved);
    if (at.quat >= 0) b.PutQuat(k, q), b.Put4(at.best + 4 * k, q);
    r = k == 0 ? q : Renormalized(r * q);
    p = p + Rotate(r, b.Bone(k));
    b.PutPos(k + 1, p);
  }
  b.Put(at.moved, Select(moved, L::Set(1), zero));
}

template <class L>
HWY_INLINE void MeasureReach(const Block<L> b) {
  if (b.at->moving < 0) return;
  L total = L::Set(0), longest = total;
  for (int k = 0; k < b.at->solved; ++k) {
    const L length = b.BoneLength(k);
    total = total + length;
    longest = Max(longest, length);
  }
  b.Put(b.at->reach, total);
  b.Put(b.at->fold, Max(longest + longest - total, L::Set(0)));
}

template <class L>
HWY_NOINLINE void PutGoal(const ChainJob& job, const Columns<L>& columns, const Block<L> b,
                          const Q4<L>& given) {
  const Layout& at = *b.at;
  const Q4<L> now = EndRotation(job, columns, job.before);
  const Q4<L> goal = job.targets->rotations ? given : now;
  b.Put4(at.asked_goal, goal);
  if (at.goal == at.asked_goal) return;
  Q4<L> d = goal * Conjugate(now);
  d = Select(d.w < L::Set(0), -d, d);
  b.Put4(at.goal, Power(d, L::Set(job.chain->spec.rotation_weight)) * now);
}

// Soft reach: by what a target at `distance` is scaled (SoftReach in core/rig.h).
template <class L>
HWY_NOINLINE L SoftShare(const SoftReach& soft, const L& reach, const L& target_distance) {
  const L cap = reach * L::Set(soft.cap), zone = reach * L::Set(soft.zone);
  const L distance = Max(target_distance, L::Set(1e-20f));
  const L over = distance - (cap - zone);
  const L drawn = NegMulAdd(zone, ExpMinus(Max(over, L::Set(0)) / zone), cap);
  return Select(over > L::Set(0), drawn / distance, L::Set(1));
}

// Draws the target in near full extension.
template <class L>
HWY_NOINLINE void SoftenTarget(const Block<L> b) {
  const Layout& at = *b.at;
  if (!b.chain->spec.soft_reach) return;
  const V3<L> target = b.Row3(at.target);
  const L scale = SoftShare(*b.chain->spec.soft_reach, b.Reach(), Length(target));
  const V3<L> shift = target * scale - target;
  b.Put3(at.wanted, b.Row3(at.asked) + shift);
  b.Put3(at.target, target + shift);
}

// What a problem starts from, once its pose and its target are there.
template <class L>
HWY_INLINE void PutStart(const Columns<L>& columns, const Block<L> b) {
  const Layout& at = *b.at;
  HWY_ALIGN_MAX float frames[L::kWidth];
  std::memcpy(frames, columns.frame, sizeof(frames));
  b.Put(at.frame, L::Load(frames));
  const L error = ErrorOf(b, b.Pos(at.solved)), zero = L::Set(0);
  b.Put(at.error, error);
  b.Put(at.best_error, error);
  for (int row : {at.age, at.stall, at.hit, at.damping}) b.Put(row, zero);
}

// Fills the columns.
template <class L>
HWY_NOINLINE void Intake(const ChainJob& job, const Columns<L>& columns, const Block<L> b) {
  const Layout& at = *b.at;
  const ChainTargets& targets = *job.targets;
  LoadBones(job, columns, b);
  LoadPose(job, columns, b);
  Asked<L> asked{V3<L>::Set({}), V3<L>::Set({}), Q4<L>::Set({})};
  if (targets.positions)
    asked.target = Gather3<L>(columns, At(targets.positions)) -
                   Gather3<L>(columns, TrackAt{job.motion->root_positions, 3});
  if (at.bend >= 0) asked.bend = Gather3<L>(columns, TrackAt{job.bends, 3});
  if (targets.rotations) asked.goal = Gather4<L>(columns, At(targets.rotations));
  const bool asks = targets.positions || targets.rotations || at.bend >= 0;
  if (asks && !job.chain->prefix.empty()) Descend(job, columns, asked);
  if (!targets.positions) asked.target = InputEnd(job, columns, b);
  b.Put3(at.asked, asked.target);
  if (at.bend >= 0) b.Put3(at.bend, asked.bend);
  if (at.goal >= 0) PutGoal(job, columns, b, asked.goal);
  V3<L> target = asked.target;
  if (at.solved < at.bones) target = target - Rotate(b.Row4(at.goal), b.Bone(at.bones - 1));
  b.Put3(at.target, target);
  MeasureReach(b);
  SoftenTarget(b);
  PutStart(columns, b);
}

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_LANES_INTAKE_INL_H_
