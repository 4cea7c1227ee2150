// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// From packed frames to the columns of a planar block: the pose, seen in the plane, and what is
// asked for.
#if defined(IKSTREAM_CORE_LANES_PLANAR_INTAKE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_LANES_PLANAR_INTAKE_INL_H_
#undef IKSTREAM_CORE_LANES_PLANAR_INTAKE_INL_H_
#else
#define IKSTREAM_CORE_LANES_PLANAR_INTAKE_INL_H_
#endif

#include "core/lanes/planar-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

// The start pose and its part in the plane.
template <class L>
HWY_NOINLINE void LoadPlanarPose(const ChainJob& job, const Columns<L>& columns,
                                 PlanarBlock<L>& b) {
  const PlanarRows& at = *b.at;
  const V3<L> normal = V3<L>::Set(b.chain->plane->normal);
  const Turn<L> none{L::Set(0), L::Set(1)};
  Q4<L> r = Q4<L>::Set({});
  b.moved = none.cos < none.sin;
  b.height = none.sin;
  for (int k = 0; k < at.turned; ++k) {
    Q4<L> q = Gather4<L>(columns, RowsOf(job.start, k));
    const V3<L> axis = RotateBack(r, normal);
    const JointBound& bound = b.chain->bounds[k];
    const V3<L> rest_axis = RotateBack(Q4<L>::Set(bound.rest), axis);
    L norm2;
    const Turn<L> from_rest = TurnAbout(FromRest(bound, q), rest_axis, norm2);
    b.PutTurn(at.rest_turn + 2 * k, from_rest);
    auto out = none.cos < none.sin;
    const Turn<L> clamp = b.Clamped(k, none, out);
    q = Select(out, Normalized(About(axis, clamp) * q), q);
    b.PutTurn(at.rest_turn + 2 * k, Select(out, Then(from_rest, clamp), from_rest));
    if (k < at.solved || at.has_goal) b.moved = b.moved | out;
    b.Put(at.axis + 3 * k, axis.x), b.Put(at.axis + 3 * k + 1, axis.y);
    b.Put(at.axis + 3 * k + 2, axis.z);
    b.Put(at.start + 4 * k, q.x), b.Put(at.start + 4 * k + 1, q.y);
    b.Put(at.start + 4 * k + 2, q.z), b.Put(at.start + 4 * k + 3, q.w);
    r = k == 0 ? q : Normalized(r * q);
    if (k >= at.bones) continue;
    const V3<L> turned = Rotate(r, BoneOf(job, columns, k));
    const P2<L> flat = b.Flat(turned);
    b.height = b.height + b.Height(turned);
    b.Put2(at.bone + 2 * k, flat);
    b.Put(at.length + k, Sqrt(Dot(flat, flat)));
    b.PutAdded(k, none);
    b.PutTurn(at.best + 2 * k, none);
  }
}

// The turn about the normal that brings the start's end rotation nearest to the goal.
template <class L>
HWY_INLINE Turn<L> GoalTurn(const PlanarBlock<L>& b, const Q4<L>& start_end) {
  L norm2;
  return TurnAbout(b.goal * Conjugate(start_end), V3<L>::Set(b.chain->plane->normal), norm2);
}

template <class L>
HWY_NOINLINE void PutPlanarGoal(const ChainJob& job, const Columns<L>& columns,
                                PlanarBlock<L>& b, const Q4<L>& given) {
  const Goals<L> goals = GoalsOf(job, columns, given);
  b.asked_goal = goals.asked;
  b.goal = goals.weighted;
  Q4<L> start_end = Q4<L>::Set({});
  for (int k = 0; k < b.at->turned; ++k) start_end = start_end * b.Row4(b.at->start + 4 * k);
  b.goal_turn = GoalTurn(b, Normalized(start_end));
}

// Soft reach, in the plane (SoftReach in core/rig.h).
template <class L>
HWY_NOINLINE void SoftenPlanarTarget(PlanarBlock<L>& b) {
  if (!b.chain->spec.soft_reach) return;
  const L distance = Sqrt(Dot(b.target, b.target));
  const L scale = SoftShare(*b.chain->spec.soft_reach, b.reach, distance);
  const P2<L> to = b.target * scale, shift = to - b.target;
  b.wanted = MulAdd(V3<L>::Set(b.chain->plane->x), shift.x,
                    MulAdd(V3<L>::Set(b.chain->plane->y), shift.y, b.asked));
  b.target = to;
}

// Where the chain of the input ends, limits or not: what is asked for where no target is given.
template <class L>
HWY_NOINLINE V3<L> PlanarInputEnd(const ChainJob& job, const Columns<L>& columns) {
  V3<L> p = V3<L>::Set({});
  Q4<L> r = Q4<L>::Set({});
  for (size_t k = 0; k < job.chain->driven.size(); ++k) {
    const Q4<L> q = Gather4<L>(columns, RowsOf(job.before, k));
    r = k == 0 ? q : Normalized(r * q);
    p = p + Rotate(r, BoneOf(job, columns, static_cast<int>(k)));
  }
  return p;
}

template <class L>
HWY_NOINLINE void IntakePlanar(const ChainJob& job, const Columns<L>& columns,
                               PlanarBlock<L>& b) {
  const ChainTargets& targets = *job.targets;
  const PlanarRows& at = *b.at;
  LoadPlanarPose(job, columns, b);
  Asked<L> asked{V3<L>::Set({}), V3<L>::Set({}), Q4<L>::Set({})};
  if (targets.positions)
    asked.target = Gather3<L>(columns, At(targets.positions)) -
                   Gather3<L>(columns, TrackAt{job.motion->root_positions, 3});
  if (job.bends != nullptr) asked.bend = Gather3<L>(columns, TrackAt{job.bends, 3});
  if (targets.rotations) asked.goal = Gather4<L>(columns, At(targets.rotations));
  Descend(job, columns, asked);
  b.bend = b.Flat(asked.bend);
  if (b.chain->spec.pole.weight < 0.5f) b.bend = {L::Set(0), L::Set(0)};
  const P2<L> whole = ForwardPlanar(b, at.turn);
  P2<L> tip{L::Set(0), L::Set(0)};
  if (at.solved < at.bones) tip = b.Bone(at.bones - 1);
  if (!targets.positions) asked.target = PlanarInputEnd(job, columns);
  b.asked = b.wanted = asked.target;
  if (job.has_rotation_target()) PutPlanarGoal(job, columns, b, asked.goal);
  b.target = b.Flat(asked.target);
  if (at.solved < at.bones) b.target = b.target - Rotate(b.goal_turn, tip);
  L longest = L::Set(0);
  b.reach = longest;
  for (int k = 0; k < at.solved; ++k) {
    b.reach = b.reach + b.Length(k);
    longest = Max(longest, b.Length(k));
    b.Put(at.weight + k, L::Set(b.chain->shares[k]));
  }
  b.fold = Max(longest + longest - b.reach, L::Set(0));
  SoftenPlanarTarget(b);
  b.error = b.best_error = ErrorOf(b, whole);
  b.stall = b.held = b.iterations = L::Set(0);
  b.lead = {L::Set(0), L::Set(0)};
}

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_LANES_PLANAR_INTAKE_INL_H_
