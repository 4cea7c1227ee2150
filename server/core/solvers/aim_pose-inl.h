// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The pose of a chain that aims, over lanes: rows of floats, one column per frame, in the frame
// of root_joint's parent, centred at root_joint.
#if defined(IKSTREAM_CORE_SOLVERS_AIM_POSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_SOLVERS_AIM_POSE_INL_H_
#undef IKSTREAM_CORE_SOLVERS_AIM_POSE_INL_H_
#else
#define IKSTREAM_CORE_SOLVERS_AIM_POSE_INL_H_
#endif

#include <algorithm>
#include <cstring>

#include "core/input_targets.h"
#include "core/lanes/intake-inl.h"
#include "core/solvers/turns-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

// A target nearer to the ray's origin than this (rig units) has no direction.
inline constexpr float kLeastWay = 1e-9f;

// A ray from `origin` along the unit vector `axis`.
template <class L>
struct Ray {
  V3<L> origin, axis;
};

// The angle between the ray and the direction to the target; 0 where that has none.
template <class L>
HWY_NOINLINE L AngleOf(const V3<L>& target, const Ray<L>& ray) {
  const V3<L> u = target - ray.origin;
  const L least = L::Set(kLeastWay);
  const auto none = Dot(u, u) < least * least;
  return Select(none, L::Set(0), Atan2(Length(Cross(ray.axis, u)), Dot(ray.axis, u)));
}

// The distance of the target from the ray.
template <class L>
HWY_NOINLINE L MissOf(const V3<L>& target, const Ray<L>& ray) {
  const V3<L> u = target - ray.origin;
  const auto ahead = Dot(ray.axis, u) > L::Set(0);
  return Select(ahead, Length(Cross(ray.axis, u)), Length(u));
}

template <class L>
struct AimPose : Rows<AimPose<L>, L> {
  using Base = Rows<AimPose<L>, L>;
  using Base::Put, Base::Put3, Base::Put4, Base::Row, Base::Row3, Base::Row4;
  static constexpr int stride = L::kWidth;

  AimPose(const ChainJob& job, LaneSpace& space)
      : chain(job.chain), joints(static_cast<int>(chain->driven.size())) {
    int next = 0;
    const auto take = [&next](int count) { return next += count, next - count; };
    target = take(3);
    quat = take(4 * joints), best = take(4 * joints), start = take(4 * joints);
    model = take(4 * joints), start_model = take(4 * joints);
    pos = take(3 * joints);
    bone = take(3 * joints);
    weight = take(joints);
    base = space.Floats(0, static_cast<size_t>(next) * L::kWidth);
  }

  HWY_INLINE V3<L> Target() const { return Row3(target); }
  HWY_INLINE V3<L> Pos(int k) const { return Row3(pos + 3 * k); }
  HWY_INLINE Q4<L> Quat(int rows, int k) const { return Row4(rows + 4 * k); }
  HWY_INLINE void PutQuat(int rows, int k, const Q4<L>& q) const { Put4(rows + 4 * k, q); }
  HWY_INLINE void CopyQuat(int from, int to, int k) const { PutQuat(to, k, Quat(from, k)); }
  HWY_INLINE void PutWhere(const typename L::Mask& where, int rows, int k,
                           const Q4<L>& q) const {
    PutQuat(rows, k, Select(where, q, Quat(rows, k)));
  }

  // The frames' rotations, clamped to limits where the job asks for it, and their target.
  // Returns the lanes that a limit moved.
  HWY_NOINLINE typename L::Mask Load(const ChainJob& job, const Columns<L>& columns,
                                     const float* shares) const {
    float sum = 0;
    for (int k = 0; k < joints; ++k) sum += shares[k];
    auto moved = L::Set(1) < L::Set(0);
    LoadTarget(job, columns);
    for (int k = 0; k < joints; ++k) {
      Q4<L> q = Gather4<L>(columns, RowsOf(job.start, k));
      if (job.clamp_start) q = Clamp(chain->bounds[k], q, moved);
      PutQuat(quat, k, q);
      Put(weight + k, L::Set(shares[k] / sum));
    }
    return moved;
  }

  // The bones and the target. Where none is given: what the input looks at, limits or not.
  HWY_INLINE void LoadTarget(const ChainJob& job, const Columns<L>& columns) const {
    for (int k = 0; k < joints; ++k) Put3(bone + 3 * k, BoneOf(job, columns, k));
    if (!job.targets->positions) {
      for (int k = 0; k < joints; ++k)
        PutQuat(quat, k, Gather4<L>(columns, RowsOf(job.before, k)));
      const Ray<L> ray = Forward(quat);
      Put3(target, ray.origin + ray.axis * L::Set(AimDistance(*chain)));
      return;
    }
    Asked<L> asked{Gather3<L>(columns, At(job.targets->positions)) -
                       Gather3<L>(columns, TrackAt{job.motion->root_positions, 3}),
                   V3<L>::Set({}), Q4<L>::Set({})};
    Descend(job, columns, asked);
    Put3(target, asked.target);
  }

  // Positions and rotations of joints from their local rotations; the ray at the end.
  HWY_NOINLINE Ray<L> Forward(int rows) const {
    V3<L> p = V3<L>::Set({});
    Q4<L> r = Q4<L>::Set({});
    for (int k = 0; k < joints; ++k) {
      r = k == 0 ? Quat(rows, k) : Normalized(r * Quat(rows, k));
      PutQuat(model, k, r);
      Put3(pos + 3 * k, p);
      p = p + Rotate(r, Row3(bone + 3 * k));
    }
    return {p, Rotate(r, V3<L>::Set(chain->aim_axis))};
  }

  // Writes the wanted columns' local rotations.
  HWY_NOINLINE void Scatter(const ChainJob& job, const Columns<L>& columns) const {
    for (int k = 0; k < joints; ++k)
      for (int c = 0; c < columns.count; ++c)
        for (int i = 0; i < 4; ++i)
          job.solved[4 * (static_cast<std::ptrdiff_t>(joints) * columns.frame[c] + k) + i] =
              base[(quat + 4 * k + i) * L::kWidth + c];
  }

  const Chain* chain;
  int joints;
  float* base;
  int target;              // 3
  int quat, best, start;   // 4 per joint: local rotations
  int model, start_model;  // 4 per joint: rotations seen from root_joint's parent
  int pos, bone, weight;   // 3, 3, 1 per joint
};

// Calls `each` with the job's frames, a register's width at a time.
template <class L, class Each>
HWY_INLINE void ForColumns(const ChainJob& job, const Each& each) {
  const int count = static_cast<int>(job.frames.size());
  Columns<L> columns;
  for (int first = 0; first < count; first += L::kWidth) {
    columns.count = std::min(count - first, L::kWidth);
    for (int c = 0; c < L::kWidth; ++c)
      columns.frame[c] = job.frames[first + (c < columns.count ? c : 0)];
    each(columns);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_SOLVERS_AIM_POSE_INL_H_
