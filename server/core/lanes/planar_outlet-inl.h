// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// From the columns of a planar block to rotations and outcomes; the pole's side.
#if defined(IKSTREAM_CORE_LANES_PLANAR_OUTLET_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_LANES_PLANAR_OUTLET_INL_H_
#undef IKSTREAM_CORE_LANES_PLANAR_OUTLET_INL_H_
#else
#define IKSTREAM_CORE_LANES_PLANAR_OUTLET_INL_H_
#endif

#include "core/lanes/outlet-inl.h"
#include "core/lanes/planar_poses-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

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
  PutMirrored(b, UnitOr(end, P2<L>{L::Set(1), L::Set(0)}, 1e-6f * b.chain->length));
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
    p = p + Rotate(r, BoneOf(job, columns, k));
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

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_LANES_PLANAR_OUTLET_INL_H_
