// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// From a body over lanes to packed rotations, moves of the root and outcomes.
#if defined(IKSTREAM_CORE_SOLVERS_BODY_ANSWERS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_SOLVERS_BODY_ANSWERS_INL_H_
#undef IKSTREAM_CORE_SOLVERS_BODY_ANSWERS_INL_H_
#else
#define IKSTREAM_CORE_SOLVERS_BODY_ANSWERS_INL_H_
#endif

#include "core/solvers/body_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

template <class L>
class BodyAnswers {
 public:
  // `rows` outlives this.
  explicit BodyAnswers(const BodyRows<L>& rows) : p_(rows) {}

  // Writes the answers of the columns, `first` being the number of the first item.
  HWY_NOINLINE void Write(int first, int count, const L& made,
                          const typename L::Mask& moved_lanes) const {
    const std::uint64_t moved = Bits(moved_lanes);
    HWY_ALIGN_MAX float iterations[L::kWidth];
    made.Store(iterations);
    const int effectors = BodyRows<L>::Count(p_.group.effectors);
    for (int e = 0; e < effectors; ++e) {
      Numbers n = Measured(e);
      for (int c = 0; c < count; ++c) {
        FrameOutcome& out = p_.job.outcomes[effectors * (first + c) + e];
        out.iterations = static_cast<std::int32_t>(iterations[c]);
        out.residual = n.miss[c];
        out.residual_angle = n.angle[c];
        out.changed = ((moved >> c) & 1) != 0;
        out.status = StatusOf(e, n, c, out.iterations);
      }
    }
    const auto turned = p_.group.turned.size();
    for (int c = 0; c < count; ++c) {
      for (size_t k = 0; k < turned; ++k)
        for (int i = 0; i < 4; ++i)
          p_.job.solved[4 * (turned * (first + c) + k) + i] =
              Cell(p_.quat + 4 * p_.group.turned[k] + i, c);
      for (int i = 0; i < 3; ++i)
        p_.job.moves[3 * (first + c) + i] = Cell(p_.root + i, c) * p_.group.size;
    }
  }

 private:
  struct Numbers {
    HWY_ALIGN_MAX float miss[L::kWidth], angle[L::kWidth], distance[L::kWidth], held[L::kWidth];
    HWY_ALIGN_MAX float reach[L::kWidth], fold[L::kWidth];
  };

  float Cell(int row, int column) const { return p_.base[row * L::kWidth + column]; }

  // The greatest and the least distance from the chain's root, by the frames' own bones.
  HWY_INLINE void Reach(int e, Numbers& out) const {
    const BodyEffector& effector = p_.group.effectors[e];
    L reach = L::Set(effector.reach), fold = L::Set(effector.fold);
    if (p_.ChainOf(e).moving_bones) {
      L longest = reach = L::Set(Length(effector.tip));
      for (int n = effector.node; n != effector.root_node; n = p_.group.nodes[n].parent) {
        const L bone = Length(p_.Row3(p_.offset + 3 * n)) * L::Set(p_.group.size);
        reach = reach + bone;
        longest = Max(longest, bone);
      }
      fold = Max(longest + longest - reach, L::Set(0));
    }
    reach.Store(out.reach);
    fold.Store(out.fold);
  }

  HWY_NOINLINE Numbers Measured(int e) const {
    Numbers out;
    const BodyEffector& effector = p_.group.effectors[e];
    const L size = L::Set(p_.group.size);
    const V3<L> target = p_.Row3(p_.target + 3 * e);
    (Length(target - p_.End(e)) * size).Store(out.miss);
    (Length(target - p_.Pos(effector.root_node)) * size).Store(out.distance);
    L angle = L::Set(0);
    if ((p_.plan.rotating >> e) & 1) angle = Length(p_.ErrorOf({e, true, 0}));
    angle.Store(out.angle);
    L held = L::Set(0);
    for (int n = 0; n < p_.nodes; ++n)
      if (p_.Turns(n) && ((p_.group.nodes[n].above >> e) & 1) != 0) {
        const auto less = p_.Row(p_.weight + n) < L::Set(0.9f * p_.group.nodes[n].share);
        held = Select(less, L::Set(1), held);
      }
    held.Store(out.held);
    Reach(e, out);
    return out;
  }

  SolveStatus StatusOf(int e, const Numbers& n, int c, int iterations) const {
    const Chain& chain = p_.ChainOf(e);
    if (n.miss[c] <= chain.tolerance && n.angle[c] <= chain.spec.rotation_tolerance)
      return SolveStatus::kConverged;
    if (n.distance[c] > n.reach[c] + chain.tolerance) return SolveStatus::kUnreachable;
    if (n.distance[c] < n.fold[c] - chain.tolerance) return SolveStatus::kTooClose;
    if (n.held[c] > 0) return SolveStatus::kLimited;
    if (iterations >= p_.group.max_iterations) return SolveStatus::kIterationLimit;
    return SolveStatus::kStalled;
  }

  const BodyRows<L>& p_;
};

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_SOLVERS_BODY_ANSWERS_INL_H_
