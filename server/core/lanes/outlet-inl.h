// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// From columns of a block to answers: positions become rotations by the shortest arc from the
// bone's old direction (which keeps the animated twist), the bend plane is turned to the pole,
// the end joint meets its rotation, and the result is measured by forward kinematics.
#if defined(IKSTREAM_CORE_LANES_OUTLET_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_LANES_OUTLET_INL_H_
#undef IKSTREAM_CORE_LANES_OUTLET_INL_H_
#else
#define IKSTREAM_CORE_LANES_OUTLET_INL_H_
#endif

#include "core/lanes/intake-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

// The turn about the line from root to end that brings the chain's bend to the pole's side, by
// the pole's weight. Identity where there is no pole, no line or no bend.
template <class L>
HWY_NOINLINE Q4<L> PoleTurn(const Block<L>& b, float weight) {
  const int n = b.at->solved;
  const float length = b.chain->length;
  const V3<L> zero = V3<L>::Set({});
  // A chain folded onto its root has no line of its own: it turns in the pole's plane.
  const V3<L> bend = b.Row3(b.at->bend);
  V3<L> sum = zero;
  for (int k = 1; k < n; ++k) sum = sum + b.Pos(k);
  const V3<L> folded = Normalized(Cross(sum, bend));
  const V3<L> line = NormalizedOr(b.Pos(n), folded, 1e-5f * length);
  const V3<L> off = NegMulAdd(line, Dot(sum, line), sum);
  const Q4<L> turn = TurnAboutAxis(line, off, bend);
  const L least = L::Set(1e-6f * length * length * 1e-6f);
  const auto none = (Dot(off, off) < least) | (Dot(bend, bend) < L::Set(0.25f)) |
                    (Dot(line, line) < L::Set(0.25f));
  return Select(none, Q4<L>::Set({}), Soften(weight, turn));
}

// Turns the root joint by as much of `turn` as its limit allows: all, or the greatest of some
// shares.
template <class L>
HWY_NOINLINE void TurnRoot(const Block<L>& b, const Q4<L>& turn) {
  const JointBound& bound = b.chain->bounds[0];
  const Q4<L> q = b.Quat(0);
  auto refused = L::Set(1) < L::Set(0);
  Q4<L> next = Clamp(bound, Normalized(turn * q), refused);
  const float shares[] = {0.75f, 0.5f, 0.25f, 0};
  for (float share : shares) {
    if (None(refused)) break;
    auto outside = L::Set(1) < L::Set(0);
    const Q4<L> part = Clamp(bound, Normalized(Soften(share, turn) * q), outside);
    next = Select(refused, share == 0 ? q : part, next);
    refused = refused & outside;
  }
  b.PutQuat(0, next);
}

// Turns the solved chain to its pole; returns the lanes that it moved.
template <class L>
HWY_NOINLINE typename L::Mask ApplyPole(const Block<L>& b) {
  auto moved = L::Set(1) < L::Set(0);
  if (b.at->bend < 0) return moved;
  const Q4<L> turn = PoleTurn(b, b.chain->spec.pole.weight);
  moved = Dot(V3<L>{turn.x, turn.y, turn.z}, V3<L>{turn.x, turn.y, turn.z}) > L::Set(1e-13f);
  if (None(moved)) return moved;
  if (b.at->rotations) {
    TurnRoot(b, turn);
    return moved;
  }
  for (int k = 1; k <= b.at->solved; ++k)
    b.PutPos(k, Select(moved, Rotate(turn, b.Pos(k)), b.Pos(k)));
  return moved;
}

// The answer of a block's columns.
template <class L>
struct Answer {
  L error;  // of the end against the softened target
  L asked;  // of the end against the asked target
  L angle;  // to the rotation target, with its weight
  L asked_angle;
};

template <class L>
HWY_INLINE L AngleTo(const Q4<L>& a, const Q4<L>& b) {
  const Q4<L> d = Conjugate(a) * b;
  const V3<L> v{d.x, d.y, d.z};
  return L::Set(2) * Atan2(Length(v), Abs(d.w));
}

// Local rotation of joint k with `r` the rotation of its parent.
template <class L>
HWY_INLINE Q4<L> LocalAnswer(const ChainJob& job, const Columns<L>& columns, const Block<L>& b,
                             int k, const Q4<L>& r, const V3<L>& p, typename L::Mask& turned) {
  const Layout& at = *b.at;
  const JointBound& bound = b.chain->bounds[k];
  auto hit = turned;
  if (k >= at.solved) {
    const Q4<L> sent = Gather4<L>(columns, RowsOf(job.start, k));
    if (!at.has_goal) return sent;
    const Q4<L> q = Clamp(bound, sent, hit);
    const Q4<L> local = Normalized(Conjugate(r) * b.Row4(at.goal));
    const Q4<L> d = Conjugate(q) * local;
    const V3<L> v{d.x, d.y, d.z};
    const auto differs = Dot(v, v) > L::Set(1e-12f);
    turned = turned | differs;
    return Select(differs, Clamp(bound, local, hit), q);
  }
  if (at.rotations) return b.Quat(k);
  const Q4<L> q = Gather4<L>(columns, RowsOf(job.start, k));
  const V3<L> want = RotateBack(r, b.Pos(k + 1) - p);
  return Normalized(ShortestArc(Rotate(q, b.BoneAxis(k)), Normalized(want)) * q);
}

// Works out the local rotations of all turned joints into the rows of at->extra (4 per joint)
// and measures them.
template <class L>
HWY_NOINLINE Answer<L> Finish(const ChainJob& job, const Columns<L>& columns, const Block<L>& b,
                              typename L::Mask& moved) {
  const Layout& at = *b.at;
  if (at.rotations) {
    for (int k = 0; k < at.bones; ++k) b.PutQuat(k, b.Row4(at.best + 4 * k));
    if (at.bend >= 0) Forward(b, at.quat);
  }
  moved = moved | ApplyPole(b);
  V3<L> p = V3<L>::Set({});
  Q4<L> r = Q4<L>::Set({});
  const int turned = static_cast<int>(b.chain->turned.size());
  for (int k = 0; k < turned; ++k) {
    const Q4<L> q = LocalAnswer(job, columns, b, k, r, p, moved);
    b.Put4(at.extra + 4 * k, q);
    r = Normalized(r * q);
    if (k < at.bones) p = p + Rotate(r, b.Bone(k));
  }
  const L zero = L::Set(0);
  Answer<L> answer{Length(b.Row3(at.wanted) - p), Length(b.Row3(at.asked) - p), zero, zero};
  if (at.goal >= 0) {
    answer.angle = AngleTo(r, b.Row4(at.goal));
    answer.asked_angle = AngleTo(r, b.Row4(at.asked_goal));
  }
  return answer;
}

// Numbers of one column, for the scalar decisions at the end.
struct ColumnNumbers {
  float error, asked, angle, asked_angle, distance, reach, fold;
  bool hit, moved;
  int iterations, max_iterations;
};

inline SolveStatus StatusOf(const Chain& chain, const ColumnNumbers& n) {
  if (n.error <= chain.tolerance && n.angle <= chain.spec.rotation_tolerance)
    return SolveStatus::kConverged;
  if (n.distance > n.reach + chain.tolerance) return SolveStatus::kUnreachable;
  if (n.distance < n.fold - chain.tolerance) return SolveStatus::kTooClose;
  if (chain.limited && n.hit) return SolveStatus::kLimited;
  if (n.iterations >= n.max_iterations) return SolveStatus::kIterationLimit;
  return chain.limited ? SolveStatus::kLimited : SolveStatus::kStalled;
}

// Writes the first columns' rotations from the rows of at->extra.
template <class L>
HWY_INLINE void Scatter(const ChainJob& job, const Columns<L>& columns, const Block<L>& b) {
  static_assert(L::K == 1);
  const size_t turned = b.chain->turned.size();
  for (size_t k = 0; k < turned; ++k) {
    HWY_ALIGN_MAX float cells[4 * L::kWidth];
    const Q4<L> q = b.Row4(b.at->extra + 4 * static_cast<int>(k));
    hn::StoreInterleaved4(q.x.v[0], q.y.v[0], q.z.v[0], q.w.v[0], typename L::D(), cells);
    for (int c = 0; c < columns.count; ++c)
      std::memcpy(job.solved + 4 * (turned * columns.frame[c] + k), cells + 4 * c,
                  4 * sizeof(float));
  }
}

// Writes the first `columns.count` columns' rotations and outcomes.
template <class L>
HWY_NOINLINE void Outlet(const ChainJob& job, const Columns<L>& columns,
                         const std::int32_t* iterations, const Block<L>& b) {
  const Layout& at = *b.at;
  auto moved = b.Row(at.moved) > L::Set(0);
  const Answer<L> answer = Finish(job, columns, b, moved);
  HWY_ALIGN_MAX float rows[5][L::kWidth];
  answer.error.Store(rows[0]);
  answer.asked.Store(rows[1]);
  answer.angle.Store(rows[2]);
  answer.asked_angle.Store(rows[3]);
  Length(b.Row3(at.target)).Store(rows[4]);
  const std::uint64_t moved_bits = Bits(moved);
  for (int c = 0; c < columns.count; ++c) {
    const auto cell = [&](int row) HWY_ATTR { return b.base[row * b.stride + c]; };
    const int frame = columns.frame[c];
    const bool changed = ((moved_bits >> c) & 1) != 0;
    const ColumnNumbers n{rows[0][c], rows[1][c],     rows[2][c],        rows[3][c],
                          rows[4][c], cell(at.reach), cell(at.fold),     cell(at.hit) > 0,
                          changed,    iterations[c],  job.max_iterations};
    job.outcomes[frame] = {StatusOf(*b.chain, n), changed, n.iterations, n.asked,
                           n.asked_angle};
  }
  Scatter(job, columns, b);
}

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_LANES_OUTLET_INL_H_
