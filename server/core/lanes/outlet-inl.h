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
HWY_NOINLINE Q4<L> PoleTurn(const Block<L> b, float weight) {
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

// Turns the root joint of the best pose by as much of `turn` as its limit allows: all, or the
// greatest of some shares; only the lanes of `where`.
template <class L>
HWY_NOINLINE void TurnRoot(const Block<L> b, const Q4<L>& turn, const typename L::Mask& where) {
  const JointBound& bound = b.chain->bounds[0];
  const Q4<L> q = b.Row4(b.at->best);
  auto refused = L::Set(1) < L::Set(0);
  Q4<L> next = Clamp(bound, Renormalized(turn * q), refused);
  const float shares[] = {0.75f, 0.5f, 0.25f, 0};
  for (float share : shares) {
    if (None(refused)) break;
    auto outside = L::Set(1) < L::Set(0);
    const Q4<L> part = Clamp(bound, Renormalized(Soften(share, turn) * q), outside);
    next = Select(refused, share == 0 ? q : part, next);
    refused = refused & outside;
  }
  b.Put4(b.at->best, Select(where, next, q));
}

// Turns the solved chain to its pole; returns the lanes that it moved.
template <class L>
HWY_NOINLINE typename L::Mask ApplyPole(const Block<L> b) {
  auto moved = L::Set(1) < L::Set(0);
  if (b.at->bend < 0) return moved;
  const Q4<L> turn = PoleTurn(b, b.chain->spec.pole.weight);
  moved = Dot(V3<L>{turn.x, turn.y, turn.z}, V3<L>{turn.x, turn.y, turn.z}) > L::Set(1e-13f);
  if (None(moved)) return moved;
  if (b.at->rotations) {
    TurnRoot(b, turn, moved);
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

// Where the columns' frames begin: the rotations to start from and the answers.
template <class L>
struct AnswerRows {
  RowsAt<L, const float> start;
  RowsAt<L, float> solved;
};

// Local rotation of solved joint k whose parent has the rotation `r`, with the joint at `p`.
template <class L>
HWY_INLINE Q4<L> LocalAnswer(const ChainJob& job, const AnswerRows<L>& rows, const Block<L> b,
                             int k, const Q4<L>& r, const V3<L>& p) {
  if (b.at->rotations) return b.Row4(b.at->best + 4 * k);
  const Q4<L> q = Gather4<L>(rows.start, job.start.offsets[k]);
  const V3<L> way = b.Pos(k + 1) - p;
  const V3<L> want = k == 0 ? way : RotateBack(r, way);
  if (b.at->moving >= 0) return Renormalized(ArcBetween(Rotate(q, b.Bone(k)), want) * q);
  const Vec3f axis = b.chain->axes[k];
  if (axis == Vec3f{}) return q;
  return Renormalized(ArcFromUnit(Rotate(q, V3<L>::Set(axis)), want) * q);
}

// That of a joint which meets the rotation target, or stays as it was sent.
template <class L>
HWY_NOINLINE Q4<L> EndAnswer(const ChainJob& job, const AnswerRows<L>& rows, const Block<L> b,
                             int k, const Q4<L>& r, typename L::Mask& turned) {
  const JointBound& bound = b.chain->bounds[k];
  const Q4<L> sent = Gather4<L>(rows.start, job.start.offsets[k]);
  if (!b.at->has_goal) return sent;
  // What is sent outside its limit turns, though the goal be where the limit puts it.
  const Q4<L> q = Clamp(bound, sent, turned);
  const Q4<L> local = Renormalized(Conjugate(r) * b.Row4(b.at->goal));
  const Q4<L> d = Conjugate(q) * local;
  const V3<L> v{d.x, d.y, d.z};
  const auto differs = Dot(v, v) > L::Set(1e-12f);
  turned = turned | differs;
  auto hit = differs;
  return Select(differs, Clamp(bound, local, hit), q);
}

// Writes the columns' rotations of a joint.
template <class L>
HWY_INLINE void Scatter(const Columns<L>& columns, const RowsAt<L, float>& rows,
                        std::ptrdiff_t offset, const Q4<L>& q) {
  if (columns.count == L::kWidth) return StoreColumns4(q, rows[offset]);
  HWY_ALIGN_MAX float cells[4 * L::kWidth];
  StoreColumns4(q, [&cells](int c) HWY_ATTR { return cells + 4 * c; });
  for (int c = 0; c < columns.count; ++c)
    std::memcpy(rows[offset](c), cells + 4 * c, 4 * sizeof(float));
}

// Works out the local rotations of all turned joints, writes and measures them.
template <class L>
HWY_NOINLINE Answer<L> Finish(const ChainJob& job, const Columns<L>& columns, const Block<L> b,
                              typename L::Mask& moved) {
  const Layout& at = *b.at;
  if (at.rotations && at.bend >= 0) Forward(b, at.best);
  moved = moved | ApplyPole(b);
  V3<L> p = V3<L>::Set({});
  Q4<L> r = Q4<L>::Set({});
  const int turned = static_cast<int>(b.chain->turned.size());
  const AnswerRows<L> rows{FramesOf(columns, job.start), {columns, job.solved, 4 * turned}};
  for (int k = 0; k < turned; ++k) {
    const Q4<L> q = k < at.solved ? LocalAnswer(job, rows, b, k, r, p)
                                  : EndAnswer(job, rows, b, k, r, moved);
    Scatter(columns, rows.solved, 4 * k, q);
    if (k >= at.bones && at.goal < 0) break;
    r = k == 0 ? q : Renormalized(r * q);
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

// What each column came to, as numbers of SolveStatus.
template <class L>
HWY_INLINE L StatusOf(const ChainJob& job, const Block<L> b, const Answer<L>& answer) {
  const Chain& chain = *b.chain;
  const auto status = [](SolveStatus s) HWY_ATTR { return L::Set(static_cast<float>(s)); };
  const L tolerance = L::Set(chain.tolerance), distance = Length(b.Row3(b.at->target));
  const L limited = status(SolveStatus::kLimited);
  L s = chain.limited ? limited : status(SolveStatus::kStalled);
  const auto late = b.Row(b.at->age) >= L::Set(static_cast<float>(job.max_iterations));
  s = Select(late, status(SolveStatus::kIterationLimit), s);
  if (chain.limited) s = Select(b.Row(b.at->hit) > L::Set(0), limited, s);
  s = Select(distance < b.Fold() - tolerance, status(SolveStatus::kTooClose), s);
  s = Select(distance > b.Reach() + tolerance, status(SolveStatus::kUnreachable), s);
  const auto met =
      (answer.error <= tolerance) & (answer.angle <= L::Set(chain.spec.rotation_tolerance));
  return Select(met, status(SolveStatus::kConverged), s);
}

// Writes the first `columns.count` columns' rotations and outcomes.
template <class L>
HWY_NOINLINE void Outlet(const ChainJob& job, const Columns<L>& columns, const Block<L> b) {
  auto moved = (b.Row(b.at->moved) > L::Set(0)) | (b.Row(b.at->age) > L::Set(0));
  const Answer<L> answer = Finish(job, columns, b, moved);
  HWY_ALIGN_MAX float rows[5][L::kWidth];
  StatusOf(job, b, answer).Store(rows[0]);
  Select(moved, L::Set(1), L::Set(0)).Store(rows[1]);
  b.Row(b.at->age).Store(rows[2]);
  answer.asked.Store(rows[3]);
  answer.asked_angle.Store(rows[4]);
  for (int c = 0; c < columns.count; ++c)
    job.outcomes[columns.frame[c]] = {static_cast<SolveStatus>(static_cast<int>(rows[0][c])),
                                      rows[1][c] > 0, static_cast<std::int32_t>(rows[2][c]),
                                      rows[3][c], rows[4][c]};
}

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_LANES_OUTLET_INL_H_
