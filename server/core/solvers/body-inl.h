// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Several effectors at once: prioritised damped least squares over the whole tree (no FABRIK
// before it: from any legal pose it converges in fewer passes over the joints than a tree
// FABRIK needs to bring sub-bases together, and it keeps limits, priorities and the input's
// shape on the way). A joint that its limit held back counts for less in the next step; the
// pull to the input works in the null space of all levels.
#if defined(IKSTREAM_CORE_SOLVERS_BODY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_SOLVERS_BODY_INL_H_
#undef IKSTREAM_CORE_SOLVERS_BODY_INL_H_
#else
#define IKSTREAM_CORE_SOLVERS_BODY_INL_H_
#endif

#include "core/solvers/body_answers-inl.h"
#include "core/solvers/body_bend-inl.h"
#include "core/solvers/body_poles-inl.h"
#include "core/solvers/body_system-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

template <class L>
class Body {
 public:
  using Mask = typename L::Mask;

  Body(const BodyRows<L>& rows, const Columns<L>& columns, const BodyItem* items)
      : p_(rows), system_(rows) {
    moved_ = p_.Load(columns, items);
    const L zero = L::Set(0);
    stall_ = iterations_ = zero;
    damping_ = L::Set(1e-2f);
    pull_ = L::Set(1);
    active_ = !Measure();
    for (int l = 0; l < p_.plan.levels; ++l) p_.Put(p_.best_level + l, p_.Row(p_.level + l));
    moved_ = moved_ | active_;
    if (!None(active_)) BendStraight(p_, active_);
  }

  HWY_NOINLINE void Run(const Columns<L>& columns) {
    const int most = p_.group.max_iterations;
    for (int i = 0; i < most && !None(active_); ++i) {
      iterations_ = iterations_ + Select(active_, L::Set(1), L::Set(0));
      Step();
      EndStep(Measure());
    }
    for (int n = 0; n < p_.nodes; ++n) p_.Put4(p_.quat + 4 * n, p_.Row4(p_.best + 4 * n));
    p_.Put3(p_.root, p_.Row3(p_.best_root));
    p_.Forward();
    moved_ = moved_ | BodyPoles<L>(p_).Apply(columns);
  }

  // Writes the answers of the columns, `first` being the number of the first item.
  void Write(int first, int count) const {
    BodyAnswers<L>(p_).Write(first, count, iterations_, moved_);
  }

 private:
  static constexpr float kLongestStep = 0.35f;  // of the body's size, and radians
  static constexpr int kStall = 4;
  static constexpr float kRoom = 6e-4f;  // of the body's size: about a tolerance
  // The pull fades with the iterations: a constant one keeps tasks from being met.
  static constexpr float kPullDecay = 0.7f;

  // Squared errors of the levels; lanes whose tasks are all met.
  HWY_NOINLINE Mask Measure() const {
    for (int l = 0; l < p_.plan.levels; ++l) p_.Put(p_.level + l, L::Set(0));
    auto met = L::Set(0) <= L::Set(0);
    for (int b = 0; b < p_.plan.count; ++b) {
      const BodyTask& task = p_.plan.tasks[b];
      const Chain& chain = p_.ChainOf(task.effector);
      const V3<L> e = p_.ErrorOf(task) * p_.Row(p_.active + task.effector);
      const L square = Dot(e, e), weight = L::Set(p_.group.effectors[task.effector].weight);
      const float tolerance = 0.998f * (task.rotation ? chain.spec.rotation_tolerance
                                                      : chain.tolerance / p_.group.size);
      met = met & (square <= L::Set(tolerance * tolerance));
      // Higher levels count from half their tolerance on: below, they leave lower ones room.
      const bool last = task.level + 1 == p_.plan.levels;
      const float met_at = last ? 0 : 0.25f * tolerance * tolerance;
      const int row = p_.level + task.level;
      p_.Put(row, MulAdd(Max(square - L::Set(met_at), L::Set(0)), weight, p_.Row(row)));
    }
    return met;
  }

  // The pull of a node to the input pose, as a turn seen from the body's space.
  HWY_INLINE V3<L> PullOf(int n) const {
    Q4<L> d = p_.Row4(p_.start + 4 * n) * Conjugate(p_.Quat(n));
    d = Select(d.w < L::Set(0), -d, d);
    const L share = pull_ * L::Set(2 * p_.group.nodes[n].closeness);
    return p_.FromParent(n, V3<L>{d.x, d.y, d.z} * share);
  }

  // What is to be done, in parts where it is far (the model is linear), less what the pull
  // does.
  HWY_NOINLINE void LoadErrors() const {
    for (int b = 0; b < p_.plan.count; ++b) {
      const BodyTask& task = p_.plan.tasks[b];
      const V3<L> e = p_.ErrorOf(task) * p_.Row(p_.active + task.effector);
      const L part = Min(L::Set(kLongestStep) * RSqrt(Dot(e, e)), L::Set(1));
      p_.Put3(p_.error + 3 * b, e * part);
    }
    for (int n = 0; n < p_.nodes; ++n) {
      if (!p_.Turns(n) || p_.group.nodes[n].closeness == 0) continue;
      const V3<L> pull = PullOf(n);
      for (int b = 0; b < p_.plan.count; ++b) {
        const BodyTask& task = p_.plan.tasks[b];
        if (!system_.Below(n, task)) continue;
        const int row = p_.error + 3 * b;
        p_.Put3(row, p_.Row3(row) - system_.Effect(n, task, pull));
      }
    }
  }

  // A step of a lower level disturbs the higher ones by the square of its size: it takes as
  // much of it as does no more harm than their own errors.
  HWY_NOINLINE void LoadParts() const {
    L above = L::Set(0);
    for (int l = 0; l < p_.plan.levels; ++l) {
      L step = L::Set(0);
      for (int b = 0; b < p_.plan.count; ++b)
        if (p_.plan.tasks[b].level == l) {
          const V3<L> e = p_.Row3(p_.error + 3 * b);
          step = step + Dot(e, e);
        }
      const L room = (Sqrt(above) + L::Set(kRoom)) / Max(step, L::Set(1e-12f));
      p_.Put(p_.part + l, l == 0 ? L::Set(1) : Min(Sqrt(room), L::Set(1)));
      above = above + p_.Row(p_.level + l);
    }
  }

  HWY_NOINLINE void Step() {
    LoadErrors();
    LoadParts();
    system_.Build();
    system_.Solve(damping_);
    for (int n = 0; n < p_.nodes; ++n)
      if (p_.Turns(n)) TurnNode(n);
    if (p_.group.moves_root) p_.Put3(p_.root, p_.Row3(p_.root) + system_.RootMove());
    p_.Forward();
    pull_ = pull_ * L::Set(kPullDecay);
  }

  HWY_INLINE void TurnNode(int n) const {
    const BodyNode& node = p_.group.nodes[n];
    V3<L> turn = system_.TurnOf(n);
    if (node.closeness > 0) turn = turn + PullOf(n);
    turn = p_.ToParent(n, turn) * L::Set(0.5f);
    // (v / 2, 1) made unit: turns by 2 atan(|v| / 2), which also bounds a wild step.
    const Q4<L> by{turn.x, turn.y, turn.z, L::Set(1)};
    auto hit = L::Set(1) < L::Set(0);
    p_.Put4(p_.quat + 4 * n, Clamp(node.bound, Normalized(by * p_.Quat(n)), hit));
    const L w = p_.Row(p_.weight + n), share = L::Set(node.share);
    const L less = Max(w * L::Set(0.25f), share * L::Set(1.0f / 64));
    // Lanes that are done keep theirs: Measured tells by it which joints limits held.
    p_.Put(p_.weight + n, Select(active_, Select(hit, less, Min(w + w, share)), w));
  }

  // Whether the pose is better than the best so far: by the first level that differs.
  HWY_INLINE void Compare(Mask& better, Mask& gain) const {
    auto decided = L::Set(1) < L::Set(0);
    better = gain = decided;
    for (int l = 0; l < p_.plan.levels; ++l) {
      const L now = p_.Row(p_.level + l), best = p_.Row(p_.best_level + l);
      const L slack = MulAdd(best, L::Set(2e-4f), L::Set(1e-12f));
      const Mask down = (now < best - slack) & !decided, up = (now > best + slack) & !decided;
      gain = gain | down;
      decided = decided | down | up;
      if (l + 1 == p_.plan.levels) better = gain | ((now < best) & !decided);
    }
  }

  HWY_NOINLINE void EndStep(const Mask& met) {
    Mask better, gain;
    Compare(better, gain);
    better = active_ & better;
    if (!None(better)) {
      for (int n = 0; n < p_.nodes; ++n)
        p_.Put4(p_.best + 4 * n, Select(better, p_.Quat(n), p_.Row4(p_.best + 4 * n)));
      p_.Put3(p_.best_root, Select(better, p_.Row3(p_.root), p_.Row3(p_.best_root)));
      for (int l = 0; l < p_.plan.levels; ++l) {
        const int row = p_.best_level + l;
        p_.Put(row, Select(better, p_.Row(p_.level + l), p_.Row(row)));
      }
    }
    damping_ = Select(gain, Max(damping_ * L::Set(0.25f), L::Set(kLeastDamping)),
                      Min(damping_ * L::Set(8), L::Set(1)));
    stall_ = Select(gain, L::Set(0), stall_ + L::Set(1));
    active_ = active_ & !met & (stall_ < L::Set(kStall));
    const Mask back = active_ & (stall_ > L::Set(1.5f)) & (stall_ < L::Set(2.5f));
    if (!None(back)) TurnBack(back);
  }

  // Steps that only led away: on from the best pose, in shorter ones.
  HWY_NOINLINE void TurnBack(const Mask& where) {
    for (int n = 0; n < p_.nodes; ++n)
      p_.Put4(p_.quat + 4 * n, Select(where, p_.Row4(p_.best + 4 * n), p_.Quat(n)));
    p_.Put3(p_.root, Select(where, p_.Row3(p_.best_root), p_.Row3(p_.root)));
    damping_ = Select(where, Max(damping_, L::Set(0.1f)), damping_);
    p_.Forward();
  }
  static constexpr float kLeastDamping = 1e-4f;

  const BodyRows<L>& p_;
  const BodySystem<L> system_;
  L stall_, damping_, pull_, iterations_;
  Mask active_, moved_;
};

template <class D>
HWY_NOINLINE void SolveBody(const BodyJob& job, LaneSpace& space) {
  using L = Lane<D, 1>;
  const BodyPlan plan(job);
  const BodyRows<L> rows(job, plan, space);
  const int count = static_cast<int>(job.items.size());
  Columns<L> columns;
  for (int first = 0; first < count; first += L::kWidth) {
    columns.count = std::min(count - first, L::kWidth);
    for (int c = 0; c < L::kWidth; ++c)
      columns.frame[c] = job.items[first + (c < columns.count ? c : 0)].frame;
    Body<L> body(rows, columns, job.items.data() + first);
    body.Run(columns);
    body.Write(first, columns.count);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_SOLVERS_BODY_INL_H_
