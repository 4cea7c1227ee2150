// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Solves frames past colliders, a register of them at a time: intake, steps, answers. Lanes
// that are done keep their best pose while the others go on.
#if defined(IKSTREAM_CORE_LANES_COLLIDER_DRIVER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_LANES_COLLIDER_DRIVER_INL_H_
#undef IKSTREAM_CORE_LANES_COLLIDER_DRIVER_INL_H_
#else
#define IKSTREAM_CORE_LANES_COLLIDER_DRIVER_INL_H_
#endif

#include <algorithm>

#include "core/collider_pass.h"
#include "core/lanes/collider_steps-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

// The target, asked and after soft reach.
template <class L>
HWY_NOINLINE void LoadTarget(const ChainJob& job, const Columns<L>& columns,
                             ColliderBlock<L>& b) {
  const ChainTargets& targets = *job.targets;
  Asked<L> asked{V3<L>::Set({}), V3<L>::Set({}), Q4<L>::Set({})};
  if (targets.positions) {
    asked.target = Gather3<L>(columns, At(targets.positions)) -
                   Gather3<L>(columns, TrackAt{job.motion->root_positions, 3});
    Descend(job, columns, asked);
  } else {
    for (int k = b.at->bones - 1; k >= 0; --k) {
      const Q4<L> q = Gather4<L>(columns, RowsOf(job.before, static_cast<size_t>(k)));
      const V3<L> bone = b.Row3(b.at->bone + 3 * k) * L::Set(b.chain->length);
      asked.target = Rotate(q, asked.target + bone);
    }
  }
  b.asked = asked.target * L::Set(1 / b.chain->length);
  b.target = b.asked;
  L reach = L::Set(0);
  for (int k = 0; k < b.at->bones; ++k) reach = reach + Length(b.Row3(b.at->bone + 3 * k));
  if (b.chain->spec.soft_reach)
    b.target = b.target * SoftShare(*b.chain->spec.soft_reach, reach, Length(b.target));
  // Beyond its reach the chain can do no better than this.
  const L over = Max(Length(b.target) - reach, L::Set(0));
  const L enough = over + L::Set(0.998f * b.chain->tolerance / b.chain->length);
  b.enough = enough * enough;
}

// Lanes whose target is inside a collider: no pose can meet it.
template <class L>
HWY_NOINLINE typename L::Mask TargetInside(const ColliderBlock<L>& b) {
  auto inside = L::Set(1) < L::Set(0);
  const float tolerance = b.chain->tolerance / b.chain->length;
  for (int c = 0; c < b.at->colliders; ++c) {
    const ChainCollider& collider = b.chain->colliders[static_cast<size_t>(c)];
    if (collider.carrier >= 0) continue;
    const Capsule<L> capsule = CapsuleOf(b, c);
    const auto near = NearestPoints(b.target, V3<L>::Set({}), capsule.a, capsule.v);
    inside = inside | (near.distance < L::Set(collider.radius / b.chain->length - tolerance));
  }
  return inside;
}

// The normal in the frame of each joint's parent, by the input.
template <class L>
HWY_NOINLINE void LoadAxes(const ChainJob& job, const Columns<L>& columns,
                           const ColliderBlock<L>& b) {
  if (!b.chain->plane) return;
  V3<L> axis = V3<L>::Set(b.chain->plane->normal);
  for (int k = 0; k < b.at->turned; ++k) {
    b.Put3(b.at->axis + 3 * k, axis);
    axis = RotateBack(Gather4<L>(columns, RowsOf(job.before, static_cast<size_t>(k))), axis);
  }
}

// The pose to start from.
template <class L>
HWY_NOINLINE void LoadStart(const ChainJob& job, const ColliderStart& start,
                            const Columns<L>& columns, const ColliderBlock<L>& b) {
  const V3<L> line = NormalizedOr(b.target, V3<L>::Set({0, 1, 0}), 1e-6f);
  for (int k = 0; k < b.at->bones; ++k) {
    Q4<L> q = Gather4<L>(
        columns, RowsOf(start.from_input ? job.before : job.start, static_cast<size_t>(k)));
    if (k == 0 && start.swivel != 0 && !b.chain->plane)
      q = About(line, Turn<L>{L::Set(std::sin(start.swivel / 2)),
                              L::Set(std::cos(start.swivel / 2))}) *
          q;
    if (start.scatter > 0) {
      const Quatf turn = ScatterTurn(start, k);
      const Turn<L> half{L::Set(turn.x), L::Set(std::sqrt(1 - turn.x * turn.x))};
      q = (b.chain->plane ? About(b.Row3(b.at->axis + 3 * k), half) : Q4<L>::Set(turn)) * q;
    }
    auto hit = q.w < q.w;
    q = Inside(b, k, Normalized(q), hit);
    b.Put4(b.at->quat + 4 * k, q);
    b.Put4(b.at->best + 4 * k, q);
    b.Put(b.at->weight + k, L::Set(b.chain->shares[k]));
  }
}

// Takes the pose of the rows from `quat`: measures it, keeps it where it is the best so far
// (less deep, else nearer). Returns the lanes that are done.
template <class L>
HWY_NOINLINE typename L::Mask TakePose(ColliderBlock<L>& b, const typename L::Mask& active) {
  Forward(b, b.at->quat);
  FindContacts(b);
  const V3<L> miss = b.target - b.End();
  const L before = b.error;
  b.error = Dot(miss, miss);
  const auto level = b.depth <= b.best_depth;
  const auto better = active & level & ((b.depth < b.best_depth) | (b.error < b.best_error));
  const auto gain = better & ((b.depth < b.best_depth - L::Set(1e-5f)) |
                              (b.error < b.best_error * L::Set(1 - 2e-3f)));
  for (int k = 0; k < b.at->bones; ++k) {
    const int row = b.at->best + 4 * k;
    b.Put4(row, Select(better, b.Quat(k), b.Row4(row)));
  }
  b.best_depth = Select(better, b.depth, b.best_depth);
  b.best_error = Select(better, b.error, b.best_error);
  b.stall = Select(gain, L::Set(0), b.stall + L::Set(1));
  b.damping = Select(b.error > before, Min(b.damping * L::Set(4), L::Set(1)),
                     Max(b.damping * L::Set(0.5f), L::Set(1e-4f)));
  return (b.depth <= L::Set(0)) & (b.error <= b.enough);
}

template <class L>
HWY_NOINLINE void SolveBlock(ColliderBlock<L>& b, int most) {
  const L huge = L::Set(1e6f), zero = L::Set(0);
  b.best_depth = b.best_error = b.error = huge;
  b.stall = b.iterations = zero;
  b.damping = L::Set(1e-3f);
  auto done = TakePose(b, zero <= zero);
  for (int i = 0; i < most; ++i) {
    const auto active = !done;
    if (None(active)) return;
    FindTurns(b, 1);
    MakeTurns(b);
    b.iterations = Select(active, b.iterations + L::Set(1), b.iterations);
    done = done | TakePose(b, active) | (b.stall >= L::Set(kPatience));
  }
}

// Writes the best poses that are better than what the frames have.
template <class L>
HWY_NOINLINE void PutAnswers(const ChainJob& job, const Columns<L>& columns,
                             const ColliderBlock<L>& b, const ColliderScores& scores,
                             int first) {
  HWY_ALIGN_MAX float depth[L::kWidth], error[L::kWidth], iterations[L::kWidth];
  b.best_depth.Store(depth), b.best_error.Store(error), b.iterations.Store(iterations);
  const auto met = (b.best_depth <= L::Set(0)) & (b.best_error <= b.enough);
  const std::uint64_t met_bits = Bits(met), inside_bits = Bits(TargetInside(b));
  const size_t turned = b.chain->turned.size();
  for (int c = 0; c < columns.count; ++c) {
    const int i = first + c;
    std::int32_t& state = scores.states[scores.order[i]];
    if ((inside_bits >> c) & 1) state = ColliderScores::kForbidden;
    if ((met_bits >> c) & 1) state = ColliderScores::kMet;
    if (!scores.Take(i, depth[c], error[c], static_cast<int>(iterations[c]))) continue;
    float* out = job.solved + 4 * turned * static_cast<size_t>(columns.frame[c]);
    for (int x = 0; x < 4 * b.at->bones; ++x) out[x] = b.base[(b.at->best + x) * L::kWidth + c];
  }
}

template <class L>
HWY_INLINE ColliderBlock<L> MakeBlock(const ChainJob& job, const ColliderRows& at,
                                      LaneSpace& space) {
  ColliderBlock<L> b;
  b.chain = job.chain;
  b.at = &at;
  b.base = space.Floats(0, static_cast<size_t>(at.rows) * L::kWidth);
  return b;
}

// Calls `work(columns, index of the first)` for the job's frames, a register at a time.
template <class L, class Work>
HWY_INLINE void EachRegister(const ChainJob& job, const Work& work) {
  Columns<L> columns;
  const int count = static_cast<int>(job.frames.size());
  for (int first = 0; first < count; first += L::kWidth) {
    columns.count = std::min(count - first, L::kWidth);
    for (int c = 0; c < L::kWidth; ++c)
      columns.frame[c] = job.frames[first + (c < columns.count ? c : 0)];
    work(columns, first);
  }
}

template <class L>
HWY_NOINLINE void RunColliderStart(const ChainJob& job, const ColliderStart& start,
                                   const ColliderScores& scores, LaneSpace& space) {
  const ColliderRows at(*job.chain);
  ColliderBlock<L> b = MakeBlock<L>(job, at, space);
  EachRegister<L>(job, [&](const Columns<L>& columns, int first) HWY_ATTR {
    LoadBones(job, columns, b);
    LoadColliders(job, columns, b);
    LoadTarget(job, columns, b);
    LoadAxes(job, columns, b);
    LoadStart(job, start, columns, b);
    SolveBlock(b, job.max_iterations);
    PutAnswers(job, columns, b, scores, first);
  });
}

// The pose in the rows of job.start, and its depth.
template <class L>
HWY_NOINLINE L LoadMeasured(const ChainJob& job, const Columns<L>& columns,
                            ColliderBlock<L>& b) {
  LoadBones(job, columns, b);
  LoadColliders(job, columns, b);
  for (int k = 0; k < b.at->bones; ++k)
    b.Put4(b.at->quat + 4 * k, Gather4<L>(columns, RowsOf(job.start, static_cast<size_t>(k))));
  Forward(b, b.at->quat);
  return DepthOf(b) * L::Set(b.chain->length);
}

template <class L>
HWY_NOINLINE void RunColliderMeasure(const ChainJob& job, LaneSpace& space) {
  const ColliderRows at(*job.chain);
  ColliderBlock<L> b = MakeBlock<L>(job, at, space);
  EachRegister<L>(job, [&](const Columns<L>& columns, int) HWY_ATTR {
    HWY_ALIGN_MAX float depth[L::kWidth];
    LoadMeasured(job, columns, b).Store(depth);
    for (int c = 0; c < columns.count; ++c) job.outcomes[columns.frame[c]].depth = depth[c];
  });
}

// The end joint's rotation, where it is asked for: nearest to the goal within its limit.
// Returns that of the chain's end.
template <class L>
HWY_NOINLINE Q4<L> PutEnd(const ChainJob& job, const Columns<L>& columns,
                          const ColliderBlock<L>& b, const Q4<L>& goal) {
  const auto last = static_cast<size_t>(b.at->bones);
  const Q4<L> above = b.Row4(b.at->frame + 4 * (b.at->bones - 1));
  if (!b.chain->turns_end) return above;
  Q4<L> local = Normalized(Conjugate(above) * goal);
  if (b.chain->plane) {
    const Q4<L> sent = Gather4<L>(columns, RowsOf(job.before, last));
    L norm2;
    const Turn<L> turn =
        TurnAbout(goal * Conjugate(above * sent), V3<L>::Set(b.chain->plane->normal), norm2);
    local = Normalized(About(b.Row3(b.at->axis + 3 * b.at->bones), turn) * sent);
  }
  auto hit = above.w < above.w;
  local = Inside(b, b.at->bones, local, hit);
  ScatterJoint(job, columns, b.at->bones, local);
  return Normalized(above * local);
}

// The frames' outcomes, from their answers in job.solved (also the rows of job.start).
template <class L>
HWY_NOINLINE void RunColliderSettle(const ChainJob& job, LaneSpace& space) {
  const ColliderRows at(*job.chain);
  ColliderBlock<L> b = MakeBlock<L>(job, at, space);
  EachRegister<L>(job, [&](const Columns<L>& columns, int) HWY_ATTR {
    HWY_ALIGN_MAX float depth[L::kWidth], over[L::kWidth];
    HWY_ALIGN_MAX float error[L::kWidth], residual[L::kWidth];
    HWY_ALIGN_MAX float angle[L::kWidth] = {}, asked_angle[L::kWidth] = {};
    LoadMeasured(job, columns, b).Store(depth);
    LoadTarget(job, columns, b);
    FindContacts(b);
    b.depth.Store(over);
    const L length = L::Set(b.chain->length);
    (Length(b.target - b.End()) * length).Store(error);
    (Length(b.asked - b.End()) * length).Store(residual);
    if (job.has_rotation_target()) {
      Asked<L> asked{V3<L>::Set({}), V3<L>::Set({}), Q4<L>::Set({})};
      if (job.targets->rotations) asked.goal = Gather4<L>(columns, At(job.targets->rotations));
      Descend(job, columns, asked);
      const Goals<L> goals = GoalsOf(job, columns, asked.goal);
      LoadAxes(job, columns, b);
      const Q4<L> end = PutEnd(job, columns, b, goals.weighted);
      AngleTo(end, goals.weighted).Store(angle);
      AngleTo(end, goals.asked).Store(asked_angle);
    }
    for (int c = 0; c < columns.count; ++c) {
      const ColliderNumbers numbers{error[c],       angle[c], residual[c],
                                    asked_angle[c], depth[c], over[c]};
      SettleOutcome(*b.chain, numbers, job.outcomes[columns.frame[c]]);
    }
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_LANES_COLLIDER_DRIVER_INL_H_
