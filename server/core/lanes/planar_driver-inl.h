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

#include "core/lanes/planar_intake-inl.h"
#include "core/lanes/planar_outlet-inl.h"
#include "core/lanes/planar_steps-inl.h"
#include "core/planar_solve.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

// Steps without gain before other poses are tried, and before the end.
inline constexpr float kTryMirrored = 6, kTryMiddle = 12, kPlanarPatience = 20;

// What PlanarBlock::damping starts from: by how much the aim leads the target, or the damping
// of least squares.
template <class L>
HWY_INLINE L FirstDamping(PlanarMethod method) {
  return L::Set(method == PlanarMethod::kJacobian ? 1e-3f : 1);
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
  return (error <= DoneBelow(b)) | (b.stall >= L::Set(b.chain->limited ? kPlanarPatience : 12));
}

// A pose to go on from. What steps carried over is forgotten.
template <class L>
HWY_INLINE void GoOn(PlanarMethod method, PlanarBlock<L>& b, const typename L::Mask& where) {
  const P2<L> none{L::Set(0), L::Set(0)};
  b.error = Select(where, ErrorOf(b, b.Pos(b.at->solved)), b.error);
  b.lead = Select(where, none, b.lead);
  b.damping = Select(where, FirstDamping<L>(method), b.damping);
  for (int k = 0; k < b.at->solved; ++k)
    b.Put(b.at->weight + k, Select(where, L::Set(b.chain->shares[k]), b.Row(b.at->weight + k)));
}

// Where limits hold a chain on the wrong side: the pose mirrored about the way to the target,
// and, if that does not help, all joints in the middle of their ranges.
template <class L>
HWY_NOINLINE void TryOther(PlanarMethod method, PlanarBlock<L>& b,
                           const typename L::Mask& active) {
  const L half = L::Set(0.5f);
  const auto mirror = active & (Abs(b.stall - L::Set(kTryMirrored)) < half);
  const auto middle = active & (Abs(b.stall - L::Set(kTryMiddle)) < half);
  if (!None(mirror)) {
    const float least = 1e-6f * b.chain->length;
    const P2<L> end = UnitOr(b.Pos(b.at->solved), P2<L>{L::Set(1), L::Set(0)}, least);
    PutMirrored(b, UnitOr(b.target, end, least));
    FollowPlanarWhere(b, b.at->scratch, mirror);
    GoOn(method, b, mirror);
  }
  if (None(middle)) return;
  for (int k = 0; k < b.at->solved; ++k) {
    const TurnRange& range = b.chain->plane->ranges[k];
    if (range.free) continue;
    const Turn<L> centre{L::Set(range.centre_sin), L::Set(range.centre_cos)};
    const Turn<L> to = Then(centre, Back(b.TurnRow(b.at->rest_turn + 2 * k)));
    b.PutAdded(k, Select(middle, to, b.Added(k)));
  }
  ForwardPlanar(b, b.at->turn);
  GoOn(method, b, middle);
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
  b.damping = FirstDamping<L>(method);
  b.pull = L::Set(b.chain->pull);
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
    if (closed) continue;
    BendAgain(b, !done, method == PlanarMethod::kFabrik);
    if (b.chain->limited) TryOther(method, b, !done);
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
