// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Runs a planar solver over the frames of a job, a register of them at a time; lanes that are
// done keep their best turns while the others go on.
#if defined(IKSTREAM_CORE_LANES_PLANAR_DRIVER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_LANES_PLANAR_DRIVER_INL_H_
#undef IKSTREAM_CORE_LANES_PLANAR_DRIVER_INL_H_
#else
#define IKSTREAM_CORE_LANES_PLANAR_DRIVER_INL_H_
#endif

#include <algorithm>

#include "core/lanes/planar_steps-inl.h"
#include "core/planar_solve.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

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
  const Chain& chain = *job.chain;
  V3<L> p = V3<L>::Set({});
  Q4<L> r = Q4<L>::Set({});
  for (size_t k = 0; k < chain.driven.size(); ++k) {
    const Q4<L> q = Gather4<L>(columns, RowsOf(job.before, k));
    r = k == 0 ? q : Normalized(r * q);
    const int slot = chain.bone_slots[k];
    p = p + Rotate(r, slot < 0 ? V3<L>::Set(chain.bones[k])
                               : Gather3<L>(columns, TranslationOf(job, slot)));
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

// Takes the pose after a step for the lanes at work; returns those that are done now.
template <class L>
HWY_INLINE typename L::Mask EndPlanarStep(PlanarBlock<L>& b, const typename L::Mask& hit,
                                          const typename L::Mask& active) {
  const L zero = L::Set(0), one = L::Set(1);
  const L error = ErrorOf(b, b.Pos(b.at->solved));
  const auto better = (error < b.best_error) & active;
  for (int k = 0; k < b.at->solved; ++k) {
    const int row = b.at->best + 2 * k;
    b.PutTurn(row, Select(better, b.Added(k), b.TurnRow(row)));
  }
  const auto gain = error < b.best_error * L::Set(1 - 2e-4f);
  b.stall = Select(gain, zero, b.stall + one);
  b.best_error = Select(active, Min(error, b.best_error), b.best_error);
  b.error = error;
  b.held = Select(active, Select(hit, one, zero), b.held);
  b.moved = b.moved | active;
  b.iterations = Select(active, b.iterations + one, b.iterations);
  return (error <= DoneBelow(b)) | (b.stall >= L::Set(12));
}

// A step can leave a chain straight along the way to its target, where no further one bends it.
template <class L>
HWY_NOINLINE void BendAgain(PlanarBlock<L>& b, const typename L::Mask& active, bool reaching) {
  const auto stuck = active & (b.stall > L::Set(1.5f)) & (b.stall < L::Set(2.5f));
  if (None(stuck)) return;
  const auto bend = stuck & NeedsBend(b, reaching);
  if (None(bend)) return;
  const float least = 1e-6f * b.chain->length;
  PutPlanarBow(b, UnitOr(b.target, P2<L>{L::Set(1), L::Set(0)}, least));
  FollowPlanarWhere(b, b.at->scratch, bend);
  b.error = Select(bend, ErrorOf(b, b.Pos(b.at->solved)), b.error);
}

template <class L>
HWY_NOINLINE void SolvePlanarBlock(PlanarMethod method, int most, PlanarBlock<L>& b) {
  const float exact = 1e-6f * b.chain->length;
  const bool closed = method == PlanarMethod::kTwoBone;
  b.damping = L::Set(method == PlanarMethod::kCcd ? 1 : 1e-3f);
  auto done = b.error <= L::Set(exact * exact);
  if (!closed) done = BeginPlanar(b, method == PlanarMethod::kFabrik);
  for (int k = 0; k < b.at->solved; ++k) b.PutTurn(b.at->best + 2 * k, b.Added(k));
  b.best_error = b.error;
  for (int i = 0; i < (closed ? 1 : most); ++i) {
    const auto active = !done;
    if (None(active)) break;
    auto hit = done & active;
    if (method == PlanarMethod::kTwoBone) hit = StepTwoBone(b);
    if (method == PlanarMethod::kFabrik) hit = StepFabrik(b);
    if (method == PlanarMethod::kCcd) hit = StepCcd(b);
    if (method == PlanarMethod::kJacobian) hit = StepJacobian(b);
    done = done | EndPlanarStep(b, hit, active);
    if (!closed) BendAgain(b, !done, method == PlanarMethod::kFabrik);
  }
}

// There are two bends to every target, mirrored about the way to it: the pole's, where limits
// allow.
template <class L>
HWY_NOINLINE void MirrorToPole(const ChainJob& job, PlanarBlock<L>& b) {
  const int n = b.at->solved, best = b.at->best;
  for (int k = 0; k < n; ++k) b.PutAdded(k, b.TurnRow(best + 2 * k));
  const P2<L> end = ForwardPlanar(b, b.at->turn);
  if (job.bends == nullptr || n < 2) return;
  const L least = L::Set(1e-6f * b.chain->length * b.chain->length);
  const L side = SideOf(b), pole = Cross(end, b.bend);
  const auto wrong = (side * pole < L::Set(0)) & (Abs(side) > least) &
                     (Abs(pole) > L::Set(1e-3f) * Sqrt(Dot(end, end)));
  if (None(wrong)) return;
  const P2<L> line = UnitOr(end, end, 1e-6f * b.chain->length);
  for (int k = 1; k <= n; ++k) {
    const P2<L> p = b.Pos(k);
    b.Put2(b.at->scratch + 2 * k, line * (Dot(p, line) + Dot(p, line)) - p);
  }
  for (int k = 0; k < n; ++k) b.PutTurn(b.at->frozen + 2 * k, b.Added(k));
  const auto mirrored = wrong & !FollowPlanar(b, b.at->scratch, nullptr);
  for (int k = 0; k < n; ++k)
    b.PutAdded(k, Select(mirrored, b.Added(k), b.TurnRow(b.at->frozen + 2 * k)));
  b.moved = b.moved | mirrored;
}

// Rotation of joint k, in its parent's frame, and the turn of all joints up to it.
template <class L>
HWY_INLINE Q4<L> PlanarAnswer(const ChainJob& job, const Columns<L>& columns, PlanarBlock<L>& b,
                              int k, Turn<L>& sum) {
  const PlanarRows& at = *b.at;
  Turn<L> added{L::Set(0), L::Set(1)};
  if (k < at.solved) {
    added = b.Added(k);
  } else {
    if (!at.has_goal) return Gather4<L>(columns, RowsOf(job.start, k));
    auto hit = added.cos < added.sin;
    added = b.Clamped(k, Then(b.goal_turn, Back(sum)), hit);
    b.moved = b.moved | (Abs(added.sin) > L::Set(1e-6f));
  }
  sum = Then(sum, added);
  return Normalized(About(b.Row3(at.axis + 3 * k), added) * b.Row4(at.start + 4 * k));
}

// What one column came to.
struct PlanarNumbers {
  float error, asked, angle, asked_angle, distance, reach, fold;
  bool hit, moved;
  int iterations, max_iterations;
};

inline SolveStatus StatusOf(const Chain& chain, const PlanarNumbers& n) {
  if (n.error <= chain.tolerance && n.angle <= chain.spec.rotation_tolerance)
    return SolveStatus::kConverged;
  if (n.distance > n.reach + chain.tolerance) return SolveStatus::kUnreachable;
  if (n.distance < n.fold - chain.tolerance) return SolveStatus::kTooClose;
  if (chain.limited && n.hit) return SolveStatus::kLimited;
  if (n.iterations >= n.max_iterations) return SolveStatus::kIterationLimit;
  return chain.limited ? SolveStatus::kLimited : SolveStatus::kStalled;
}

template <class L>
HWY_NOINLINE void OutletPlanar(const ChainJob& job, const Columns<L>& columns,
                               PlanarBlock<L>& b) {
  const PlanarRows& at = *b.at;
  MirrorToPole(job, b);
  V3<L> p = V3<L>::Set({});
  Q4<L> r = Q4<L>::Set({});
  Turn<L> sum{L::Set(0), L::Set(1)};
  for (int k = 0; k < at.turned; ++k) {
    const Q4<L> q = PlanarAnswer(job, columns, b, k, sum);
    ScatterJoint(job, columns, k, q);
    r = Normalized(r * q);
    if (k >= at.bones) continue;
    const int slot = b.chain->bone_slots[k];
    p = p + Rotate(r, slot < 0 ? V3<L>::Set(b.chain->bones[k])
                               : Gather3<L>(columns, TranslationOf(job, slot)));
  }
  HWY_ALIGN_MAX float rows[9][L::kWidth] = {};
  const L off = Abs(b.Height(b.asked) - b.height);
  const L distance = Sqrt(Dot(b.target, b.target));
  const auto apart = off > L::Set(b.chain->tolerance);
  Length(b.wanted - p).Store(rows[0]);
  Length(b.asked - p).Store(rows[1]);
  if (job.has_rotation_target()) {
    AngleTo(r, b.goal).Store(rows[2]);
    AngleTo(r, b.asked_goal).Store(rows[3]);
  }
  Select(apart, L::Set(1e30f), distance).Store(rows[4]);
  b.reach.Store(rows[5]), b.fold.Store(rows[6]), b.held.Store(rows[7]);
  b.iterations.Store(rows[8]);
  const std::uint64_t moved = Bits(b.moved);
  for (int c = 0; c < columns.count; ++c) {
    const bool changed = ((moved >> c) & 1) != 0;
    const PlanarNumbers n{
        rows[0][c],        rows[1][c], rows[2][c],     rows[3][c], rows[4][c],
        rows[5][c],        rows[6][c], rows[7][c] > 0, changed,    static_cast<int>(rows[8][c]),
        job.max_iterations};
    job.outcomes[columns.frame[c]] = {StatusOf(*b.chain, n), changed, n.iterations, n.asked,
                                      n.asked_angle};
  }
}

template <class L>
HWY_NOINLINE void RunPlanar(PlanarMethod method, const ChainJob& job, LaneSpace& space) {
  const PlanarRows at(job);
  PlanarBlock<L> b;
  b.chain = job.chain;
  b.at = &at;
  b.base = space.Floats(0, static_cast<size_t>(at.rows) * L::kWidth);
  Columns<L> columns;
  const int count = static_cast<int>(job.frames.size());
  for (int first = 0; first < count; first += L::kWidth) {
    columns.count = std::min(count - first, L::kWidth);
    for (int c = 0; c < L::kWidth; ++c)
      columns.frame[c] = job.frames[first + (c < columns.count ? c : 0)];
    IntakePlanar(job, columns, b);
    SolvePlanarBlock(method, job.max_iterations, b);
    OutletPlanar(job, columns, b);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_LANES_PLANAR_DRIVER_INL_H_
