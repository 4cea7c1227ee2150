// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// A body over lanes: rows of floats, one column per item. Positions are seen from the root's
// input position, in the space of root_positions, and count in units of the body's size, so
// that a metre and a radian weigh about the same.
#if defined(IKSTREAM_CORE_SOLVERS_BODY_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_SOLVERS_BODY_ROWS_INL_H_
#undef IKSTREAM_CORE_SOLVERS_BODY_ROWS_INL_H_
#else
#define IKSTREAM_CORE_SOLVERS_BODY_ROWS_INL_H_
#endif

#include "core/body.h"
#include "core/lanes/intake-inl.h"
#include "core/solvers/turns-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

// Three rows of the system: an effector's position or its rotation.
struct BodyTask {
  int effector = 0;
  bool rotation = false;
  int level = 0;  // 0 comes first; positions of a priority before its rotations
};

// What the effectors of a job ask for, in the order of their levels.
struct BodyPlan {
  explicit BodyPlan(const BodyJob& job);

  BodyTask tasks[2 * BodyGroup::kMaxEffectors];
  int count = 0;
  int levels = 0;
  std::uint32_t rotating = 0;  // effectors with a rotation target
};

inline BodyPlan::BodyPlan(const BodyJob& job) {
  const auto& effectors = job.group->effectors;
  const int size = static_cast<int>(effectors.size());
  for (int e = 0; e < size; ++e) {
    const auto chain = static_cast<size_t>(effectors[e].chain);
    const ChainSpec& spec = job.rig->chains()[chain].spec;
    if (job.targets[chain].rotations || spec.keep_end_rotation) rotating |= 1u << e;
  }
  for (int first = 0; first < size;) {
    int end = first;
    while (end < size && effectors[end].priority == effectors[first].priority) ++end;
    for (int e = first; e < end; ++e) tasks[count++] = {e, false, levels};
    ++levels;
    const int before = count;
    for (int e = first; e < end; ++e)
      if ((rotating >> e) & 1) tasks[count++] = {e, true, levels};
    if (count > before) ++levels;
    first = end;
  }
}

template <class L>
struct BodyRows : Rows<BodyRows<L>, L> {
  using Mask = typename L::Mask;
  using Base = Rows<BodyRows<L>, L>;
  using Base::Put, Base::Put3, Base::Put4, Base::Row, Base::Row3, Base::Row4;
  static constexpr int stride = L::kWidth;

  BodyRows(const BodyJob& body_job, const BodyPlan& body_plan, LaneSpace& space)
      : job(body_job), group(*body_job.group), plan(body_plan), nodes(Count(group.nodes)) {
    const int ends = Count(group.effectors), rows = 3 * plan.count;
    int next = 0;
    const auto take = [&next](int count) { return next += count, next - count; };
    quat = take(4 * nodes), best = take(4 * nodes), start = take(4 * nodes);
    model = take(4 * nodes), pos = take(3 * nodes), offset = take(3 * nodes);
    weight = take(nodes);
    root = take(3), best_root = take(3);
    target = take(3 * ends), end = take(3 * ends), goal = take(4 * ends), active = take(ends);
    level = take(plan.levels), best_level = take(plan.levels), part = take(plan.levels);
    error = take(rows), force = take(rows);
    gram = take(rows * (rows + 1) / 2), factor = take(rows * (rows + 1) / 2);
    base = space.Floats(0, static_cast<size_t>(next) * L::kWidth);
  }

  template <class T>
  static int Count(const T& list) {
    return static_cast<int>(list.size());
  }

  HWY_INLINE V3<L> Pos(int n) const { return Row3(pos + 3 * n); }
  HWY_INLINE Q4<L> Model(int n) const { return Row4(model + 4 * n); }
  HWY_INLINE Q4<L> Quat(int n) const { return Row4(quat + 4 * n); }
  HWY_INLINE V3<L> End(int e) const { return Row3(end + 3 * e); }
  HWY_INLINE bool Turns(int n) const { return group.nodes[n].TurnsFor(plan.rotating); }
  HWY_INLINE bool IsHinge(int n) const {
    return group.nodes[n].bound.kind == JointBound::Kind::kHinge;
  }
  // From a node's parent's frame to the space of the body.
  HWY_INLINE V3<L> FromParent(int n, const V3<L>& v) const {
    const int parent = group.nodes[n].parent;
    return parent < 0 ? v : Rotate(Model(parent), v);
  }
  HWY_INLINE V3<L> ToParent(int n, const V3<L>& v) const {
    const int parent = group.nodes[n].parent;
    return parent < 0 ? v : RotateBack(Model(parent), v);
  }
  HWY_INLINE V3<L> HingeAxis(int n) const {
    return FromParent(n, V3<L>::Set(group.nodes[n].bound.parent_axis));
  }

  const Chain& ChainOf(int e) const {
    return job.rig->chains()[static_cast<size_t>(group.effectors[e].chain)];
  }

  HWY_INLINE V3<L> ErrorOf(const BodyTask& task) const {
    const int e = task.effector;
    if (!task.rotation) return Row3(target + 3 * e) - End(e);
    Q4<L> d = Row4(goal + 4 * e) * Conjugate(Model(group.effectors[e].node));
    return RotationVector(Select(d.w < L::Set(0), -d, d));
  }

  // Positions and rotations of the joints, and where the effectors are.
  HWY_NOINLINE void Forward() const {
    for (int n = 0; n < nodes; ++n) {
      const int parent = group.nodes[n].parent;
      if (parent < 0) {
        Put4(model + 4 * n, Quat(n));
        Put3(pos + 3 * n, Row3(root));
        continue;
      }
      const Q4<L> r = Model(parent);
      Put4(model + 4 * n, Normalized(r * Quat(n)));
      Put3(pos + 3 * n, Pos(parent) + Rotate(r, Row3(offset + 3 * n)));
    }
    for (int e = 0; e < Count(group.effectors); ++e) {
      const BodyEffector& effector = group.effectors[e];
      const V3<L> tip = V3<L>::Set(effector.tip * (1 / group.size));
      Put3(end + 3 * e, Pos(effector.node) + Rotate(Model(effector.node), tip));
    }
  }

  // Fills the columns; returns the lanes that a limit moved.
  HWY_NOINLINE Mask Load(const Columns<L>& columns, const BodyItem* items) const {
    const L scale = L::Set(1 / group.size);
    const int moved = static_cast<int>(job.rig->translated_joints().size());
    for (int n = 0; n < nodes; ++n) {
      const BodyNode& node = group.nodes[n];
      const int joints = job.rig->skeleton().size();
      Put4(quat + 4 * n, Gather4<L>(columns, TrackAt{job.pose + 4 * node.joint, 4 * joints}));
      const V3<L> at = OffsetOf(*job.motion, moved, columns, node.slot, node.offset);
      Put3(offset + 3 * n, at * scale);
    }
    Put3(root, V3<L>::Set({}));
    Put3(best_root, V3<L>::Set({}));
    Forward();
    for (int e = 0; e < Count(group.effectors); ++e) Put3(target + 3 * e, End(e));
    const Mask clamped = ClampStart();
    LoadTargets(columns, items, scale);
    return clamped;
  }

  // Over the rows, which hold where the input has the ends, limits or not.
  HWY_NOINLINE void LoadTargets(const Columns<L>& columns, const BodyItem* items,
                                const L& scale) const {
    const V3<L> origin = Gather3<L>(columns, TrackAt{job.motion->root_positions, 3});
    for (int e = 0; e < Count(group.effectors); ++e) {
      const ChainTargets& asked = job.targets[group.effectors[e].chain];
      if (asked.positions)
        Put3(target + 3 * e, (Gather3<L>(columns, At(asked.positions)) - origin) * scale);
      HWY_ALIGN_MAX float on[L::kWidth];
      for (int c = 0; c < L::kWidth; ++c)
        on[c] = (items[c < columns.count ? c : 0].active >> e) & 1 ? 1.0f : 0.0f;
      Put(active + e, L::Load(on));
      if (asked.rotations) PutGoal(e, Gather4<L>(columns, At(asked.rotations)));
    }
  }

  // The rotation target, by the chain's weight from the rotation of the input, which the row
  // holds.
  HWY_INLINE void PutGoal(int e, const Q4<L>& asked) const {
    const int chain = group.effectors[e].chain;
    const float share = job.rig->chains()[static_cast<size_t>(chain)].spec.rotation_weight;
    const Q4<L> now = Row4(goal + 4 * e);
    Q4<L> d = asked * Conjugate(now);
    d = Select(d.w < L::Set(0), -d, d);
    Put4(goal + 4 * e, share == 1 ? asked : Power(d, L::Set(share)) * now);
  }

  HWY_NOINLINE Mask ClampStart() const {
    for (int e = 0; e < Count(group.effectors); ++e)
      Put4(goal + 4 * e, Model(group.effectors[e].node));
    auto moved = L::Set(1) < L::Set(0);
    for (int n = 0; n < nodes; ++n) {
      const BodyNode& node = group.nodes[n];
      Q4<L> q = Quat(n);
      if (Turns(n)) q = Clamp(node.bound, q, moved);
      Put4(quat + 4 * n, q), Put4(best + 4 * n, q), Put4(start + 4 * n, q);
      Put(weight + n, L::Set(node.share));
    }
    if (!None(moved)) Forward();
    return moved;
  }

  const BodyJob& job;
  const BodyGroup& group;
  const BodyPlan& plan;
  int nodes;
  float* base;
  int quat, best, start;   // 4 per node: local rotations
  int model, pos, offset;  // 4, 3, 3 per node
  int weight;              // 1 per node: how far it may turn in a step
  int root, best_root;     // 3: what the root has moved by
  int target, end, goal;   // 3, 3, 4 per effector
  int active;              // 1 per effector: takes part (1) or not (0)
  int level, best_level;   // 1 per level: squared errors
  int part;                // 1 per level: of its step that it takes
  int error, force;        // 3 per task
  int gram, factor;        // lower triangles over the tasks' rows
};

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_SOLVERS_BODY_ROWS_INL_H_
