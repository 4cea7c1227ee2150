// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The equations of one step of a body, in the space of its tasks (three rows each), so that
// cost grows with the joints' number and not with its square.
//
// With J the tasks' Jacobian and W the joints' willingness, G = J W J^T. The least turn that
// meets levels in order of priority, each in the null space of those before (Siciliano and
// Slotine 1991), comes from a block L D L^T of G: the Schur complement of the levels before is
// J_l N J_l^T with N their null space's projector, and x = W J^T L^-T z with z_l the damped
// solution of level l. Only z is damped; projectors hold on to well-posed directions.
#if defined(IKSTREAM_CORE_SOLVERS_BODY_SYSTEM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_SOLVERS_BODY_SYSTEM_INL_H_
#undef IKSTREAM_CORE_SOLVERS_BODY_SYSTEM_INL_H_
#else
#define IKSTREAM_CORE_SOLVERS_BODY_SYSTEM_INL_H_
#endif

#include "core/solvers/body_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

template <class L>
class BodySystem {
 public:
  explicit BodySystem(const BodyRows<L>& rows) : p_(rows), size_(3 * rows.plan.count) {}

  // Fills G from the pose in the rows.
  HWY_NOINLINE void Build() const {
    for (int i = 0; i < size_ * (size_ + 1) / 2; ++i) p_.Put(p_.gram + i, L::Set(0));
    for (int n = 0; n < p_.nodes; ++n)
      if (p_.Turns(n)) AddNode(n);
    if (p_.group.moves_root) AddRoot();
  }

  // From the errors in the rows to the forces y of x = W J^T y; errors are used up.
  HWY_NOINLINE void Solve(const L& damping) const {
    L sum = L::Set(1e-9f);
    for (int i = 0; i < size_; ++i) sum = sum + Gram(i, i);
    const L mean = sum * L::Set(1.0f / static_cast<float>(size_));
    for (int first = 0; first < size_;) {
      const int end = EndOfLevel(first);
      const L least = L::Set(first == 0 ? 0 : kLowerDamping);
      Factor(first, end, Max(damping, least) * mean, true);
      const L part = p_.Row(p_.part + LevelOf(first));
      for (int i = first; i < end; ++i) p_.Put(p_.force + i, p_.Row(p_.error + i) * part);
      Substitute(p_.force, first, end);
      if (end < size_) {
        Factor(first, end, mean * L::Set(kProjector), false);
        PassOn(first, end);
      }
      first = end;
    }
    for (int first = StartOfLevel(size_ - 1); first > 0;) {
      const int end = first;
      first = StartOfLevel(first - 1);
      TakeBack(first, end);
    }
  }

  // W J^T y for a node, seen from the body's space.
  HWY_INLINE V3<L> TurnOf(int n) const {
    const V3<L> at = p_.Pos(n);
    V3<L> turn = V3<L>::Set({});
    for (int b = 0; b < p_.plan.count; ++b) {
      const BodyTask& task = p_.plan.tasks[b];
      if (!Below(n, task)) continue;
      const V3<L> y = p_.Row3(p_.force + 3 * b) * p_.Row(p_.active + task.effector);
      turn = turn + (task.rotation ? y : Cross(p_.End(task.effector) - at, y));
    }
    turn = turn * p_.Row(p_.weight + n);
    if (!p_.IsHinge(n)) return turn;
    const V3<L> axis = p_.HingeAxis(n);
    return axis * Dot(axis, turn);
  }
  HWY_INLINE V3<L> RootMove() const {
    V3<L> move = V3<L>::Set({});
    for (int b = 0; b < p_.plan.count; ++b) {
      const BodyTask& task = p_.plan.tasks[b];
      if (task.rotation) continue;
      move = MulAdd(p_.Row3(p_.force + 3 * b), p_.Row(p_.active + task.effector), move);
    }
    return move * L::Set(p_.group.root_share);
  }

  // What turning node n by the vector `turn` does to a task.
  HWY_INLINE V3<L> Effect(int n, const BodyTask& task, const V3<L>& turn) const {
    const V3<L> v = turn * p_.Row(p_.active + task.effector);
    return task.rotation ? v : Cross(v, p_.End(task.effector) - p_.Pos(n));
  }
  HWY_INLINE bool Below(int n, const BodyTask& task) const {
    return ((p_.group.nodes[n].above >> task.effector) & 1) != 0;
  }

 private:
  // How well-posed (of G's mean diagonal) a direction must be to be kept from lower levels, and
  // the least damping of those: what leaks from them is the first over the second.
  static constexpr float kProjector = 3e-6f;
  static constexpr float kLowerDamping = 3e-3f;

  HWY_INLINE L Gram(int i, int j) const { return p_.Row(p_.gram + i * (i + 1) / 2 + j); }
  HWY_INLINE L Part(int i, int j) const { return p_.Row(p_.factor + i * (i + 1) / 2 + j); }
  HWY_INLINE void PutPart(int i, int j, const L& v) const {
    p_.Put(p_.factor + i * (i + 1) / 2 + j, v);
  }
  HWY_INLINE void Add(int i, int j, const L& v) const {
    if (j > i) return;  // the upper half of a diagonal block
    const int row = p_.gram + i * (i + 1) / 2 + j;
    p_.Put(row, p_.Row(row) + v);
  }
  int LevelOf(int row) const { return p_.plan.tasks[row / 3].level; }
  int EndOfLevel(int row) const {
    const int level = LevelOf(row);
    while (row < size_ && LevelOf(row) == level) ++row;
    return row;
  }
  int StartOfLevel(int row) const {
    const int level = LevelOf(row);
    while (row > 0 && LevelOf(row - 1) == level) --row;
    return row;
  }

  // w a b^T onto the block of two tasks.
  HWY_INLINE void AddOuter(int b, int c, const V3<L>& u, const V3<L>& v) const {
    Add(3 * b, 3 * c, u.x * v.x), Add(3 * b, 3 * c + 1, u.x * v.y);
    Add(3 * b, 3 * c + 2, u.x * v.z), Add(3 * b + 1, 3 * c, u.y * v.x);
    Add(3 * b + 1, 3 * c + 1, u.y * v.y), Add(3 * b + 1, 3 * c + 2, u.y * v.z);
    Add(3 * b + 2, 3 * c, u.z * v.x), Add(3 * b + 2, 3 * c + 1, u.z * v.y);
    Add(3 * b + 2, 3 * c + 2, u.z * v.z);
  }

  // A joint that turns about every axis, between two positions at r and s from it:
  // (r.s) 1 - s r^T.
  HWY_INLINE void AddPositions(int b, int c, const V3<L>& r, const V3<L>& s) const {
    AddOuter(b, c, -s, r);
    const L d = Dot(r, s);
    Add(3 * b, 3 * c, d), Add(3 * b + 1, 3 * c + 1, d), Add(3 * b + 2, 3 * c + 2, d);
  }

  HWY_INLINE void AddNode(int n) const {
    const L w = p_.Row(p_.weight + n);
    for (int b = 0; b < p_.plan.count; ++b) {
      const BodyTask& row = p_.plan.tasks[b];
      if (!Below(n, row)) continue;
      for (int c = 0; c <= b; ++c) {
        const BodyTask& column = p_.plan.tasks[c];
        if (!Below(n, column)) continue;
        if (p_.IsHinge(n)) {
          const V3<L> axis = p_.HingeAxis(n);
          AddOuter(b, c, Effect(n, row, axis * w), Effect(n, column, axis));
        } else if (row.rotation || column.rotation) {
          for (const Vec3f& axis : {Vec3f{1, 0, 0}, Vec3f{0, 1, 0}, Vec3f{0, 0, 1}})
            AddOuter(b, c, Effect(n, row, V3<L>::Set(axis) * w),
                     Effect(n, column, V3<L>::Set(axis)));
        } else {
          AddPositions(b, c, Lever(n, row) * w, Lever(n, column));
        }
      }
    }
  }
  HWY_INLINE V3<L> Lever(int n, const BodyTask& task) const {
    return (p_.End(task.effector) - p_.Pos(n)) * p_.Row(p_.active + task.effector);
  }

  // The root moves every position alike.
  HWY_NOINLINE void AddRoot() const {
    for (int b = 0; b < p_.plan.count; ++b)
      for (int c = 0; c <= b; ++c) {
        const BodyTask &row = p_.plan.tasks[b], &column = p_.plan.tasks[c];
        if (row.rotation || column.rotation) continue;
        const L both = p_.Row(p_.active + row.effector) * p_.Row(p_.active + column.effector);
        const L d = both * L::Set(p_.group.root_share);
        for (int i = 0; i < 3; ++i) Add(3 * b + i, 3 * c + i, d);
      }
  }

  // Cholesky of a level's rows with `add` on the diagonal, less for effectors of more weight;
  // the diagonal holds inverses.
  HWY_NOINLINE void Factor(int first, int end, const L& add, bool weighted) const {
    for (int i = first; i < end; ++i) {
      const int effector = p_.plan.tasks[i / 3].effector;
      const float less = weighted ? 1 / p_.group.effectors[effector].weight : 1;
      for (int j = first; j <= i; ++j) {
        L s = Gram(i, j);
        const L more = add * L::Set(less);
        if (i == j) s = s + more;
        for (int k = first; k < j; ++k) s = NegMulAdd(Part(i, k), Part(j, k), s);
        // What rounding may leave of a pivot is never less than what was added.
        PutPart(i, j, i == j ? L::Set(1) / Sqrt(Max(s, more)) : s * Part(j, j));
      }
    }
  }

  // The rows of `v` times the inverse of what Factor() took apart.
  HWY_NOINLINE void Substitute(int v, int first, int end) const {
    for (int i = first; i < end; ++i) {
      L s = p_.Row(v + i);
      for (int k = first; k < i; ++k) s = NegMulAdd(Part(i, k), p_.Row(v + k), s);
      p_.Put(v + i, s * Part(i, i));
    }
    for (int i = end - 1; i >= first; --i) {
      L s = p_.Row(v + i);
      for (int k = i + 1; k < end; ++k) s = NegMulAdd(Part(k, i), p_.Row(v + k), s);
      p_.Put(v + i, s * Part(i, i));
    }
  }

  // Takes what a level does out of the errors and equations of those after it.
  HWY_NOINLINE void PassOn(int first, int end) const {
    for (int i = end; i < size_; ++i) {
      L e = p_.Row(p_.error + i);
      for (int k = first; k < end; ++k) {
        e = NegMulAdd(Gram(i, k), p_.Row(p_.force + k), e);
        L s = Gram(i, k);
        for (int m = first; m < k; ++m) s = NegMulAdd(Part(i, m), Part(k, m), s);
        PutPart(i, k, s * Part(k, k));
      }
      p_.Put(p_.error + i, e);
      for (int j = end; j <= i; ++j) {
        L s = Gram(i, j);
        for (int k = first; k < end; ++k) s = NegMulAdd(Part(i, k), Part(j, k), s);
        p_.Put(p_.gram + i * (i + 1) / 2 + j, s);
      }
    }
  }

  // Forces of a level that cancel what the forces of later levels would do to it.
  HWY_NOINLINE void TakeBack(int first, int end) const {
    for (int k = first; k < end; ++k) {
      L s = L::Set(0);
      for (int i = end; i < size_; ++i) s = MulAdd(Gram(i, k), p_.Row(p_.force + i), s);
      p_.Put(p_.error + k, s);
    }
    Substitute(p_.error, first, end);
    for (int k = first; k < end; ++k)
      p_.Put(p_.force + k, p_.Row(p_.force + k) - p_.Row(p_.error + k));
  }

  const BodyRows<L>& p_;
  int size_;
};

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_SOLVERS_BODY_SYSTEM_INL_H_
