// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Look-at. The chain turns so that the ray from its end along the aim axis meets the target.
//
// Where no limit stands in the way, all joints turn about one common axis, that of the shortest
// arc from the ray's direction in the input pose: joint k by the share w_k of the whole angle,
// w_k = 1 / stiffness over the sum of those. Seen from the chain's root, joint k's frame turns
// by w_0 + ... + w_k of it, so the last one by all: the direction is met exactly, and what the
// animation twists stays as it is. The ray's origin moves as joints turn (parallax): with u the
// way to the target, E = sum w_k (origin - joint k) and t = u / |u|, a turn by d changes the
// direction that is asked for by d (-E.t) / |u|, so Newton's step is the angle to t over
// 1 + E.t / |u|.
//
// Joints that meet a limit, and hinges, leave the common axis: then damped least squares over
// the two angles of the direction, from where that stands (as core/solvers/jacobian-inl.h does
// it for positions), with what limits hold back passed to the other joints.
#if defined(IKSTREAM_CORE_SOLVERS_AIM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_SOLVERS_AIM_INL_H_
#undef IKSTREAM_CORE_SOLVERS_AIM_INL_H_
#else
#define IKSTREAM_CORE_SOLVERS_AIM_INL_H_
#endif

#include "core/solvers/aim_pose-inl.h"
#include "core/solvers/symmetric3-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

template <class L>
class Aim {
 public:
  using Mask = typename L::Mask;

  Aim(const ChainJob& job, const AimPose<L>& pose, const Columns<L>& columns)
      : job_(job), chain_(*job.chain), p_(pose) {
    moved_ = p_.Load(job, columns, chain_.shares.data());
    ray_ = start_ = p_.Forward(p_.quat);
    best_ = AngleOf(p_.Target(), ray_);
    const L zero = L::Set(0);
    turn_ = V3<L>::Set({});
    stall_ = hit_ = iterations_ = zero;
    damp_ = L::Set(1);
    active_ = best_ > L::Set(kExact);
    common_ = HasHinge() ? zero > zero : zero <= zero;
    for (int k = 0; k < p_.joints; ++k) {
      p_.CopyQuat(p_.quat, p_.start, k), p_.CopyQuat(p_.quat, p_.best, k);
      p_.CopyQuat(p_.model, p_.start_model, k);
    }
    moved_ = moved_ | active_;
  }

  void Run() {
    for (int i = 0; i < job_.max_iterations && !None(active_); ++i) {
      iterations_ = iterations_ + Select(active_, L::Set(1), L::Set(0));
      const Mask common = active_ & common_, apart = active_ & !common_;
      Mask hit = L::Set(1) < L::Set(0);
      if (!None(common)) hit = TurnTogether(common);
      if (!None(apart)) hit = hit | TurnApart(apart);
      common_ = common_ & !hit;
      EndStep(hit);
    }
    for (int k = 0; k < p_.joints; ++k) p_.CopyQuat(p_.best, p_.quat, k);
    ray_ = p_.Forward(p_.quat);
  }

  // Writes the columns' rotations and outcomes.
  void Write(const Columns<L>& columns) const {
    HWY_ALIGN_MAX float rows[5][L::kWidth];
    AngleOf(p_.Target(), ray_).Store(rows[0]);
    MissOf(p_.Target(), ray_).Store(rows[1]);
    iterations_.Store(rows[2]);
    hit_.Store(rows[3]);
    Length(p_.Target()).Store(rows[4]);
    const std::uint64_t moved = Bits(moved_);
    for (int c = 0; c < columns.count; ++c) {
      FrameOutcome& out = job_.outcomes[columns.frame[c]];
      out.changed = ((moved >> c) & 1) != 0;
      out.iterations = static_cast<std::int32_t>(rows[2][c]);
      out.residual = rows[1][c];
      out.residual_angle = rows[0][c];
      out.status = StatusOf(rows[0][c], out.iterations, rows[3][c] > 0, rows[4][c]);
    }
    p_.Scatter(job_, columns);
  }

 private:
  // A ray that points at its target within this (radians) has nothing to gain.
  static constexpr float kExact = 5e-5f;
  static constexpr int kStall = 5;

  bool HasHinge() const {
    for (const JointBound& bound : chain_.bounds)
      if (bound.kind == JointBound::Kind::kHinge) return true;
    return false;
  }

  SolveStatus StatusOf(float angle, int iterations, bool hit, float distance) const {
    if (angle <= chain_.spec.rotation_tolerance) return SolveStatus::kConverged;
    if (hit) return SolveStatus::kLimited;
    if (iterations >= job_.max_iterations) return SolveStatus::kIterationLimit;
    if (chain_.limited) return SolveStatus::kLimited;
    return distance < chain_.length ? SolveStatus::kTooClose : SolveStatus::kStalled;
  }

  HWY_INLINE V3<L> Way() const { return p_.Target() - ray_.origin; }

  // The turn from the ray to the target's direction.
  HWY_INLINE V3<L> WholeTurn() const {
    const V3<L> u = Way();
    const V3<L> t = u * (L::Set(1) / Max(Length(u), L::Set(kLeastWay)));
    return RotationVector(ShortestArc(ray_.axis, t));
  }

  // How much of a turn of joint k the direction that is asked for gives back: E.t / |u| more.
  HWY_INLINE L Gain(int k, const L& distance) const {
    const L along = Dot(ray_.origin - p_.Pos(k), ray_.axis);
    return L::Set(1) + along / Max(distance, L::Set(kLeastWay));
  }

  // Newton's part of the whole turn.
  HWY_INLINE L NewtonPart() const {
    const L distance = Length(Way());
    L gain = L::Set(0);
    for (int k = 0; k < p_.joints; ++k)
      gain = MulAdd(p_.Row(p_.weight + k), Gain(k, distance), gain);
    return damp_ / Max(gain, L::Set(0.25f));
  }

  // Every joint turns by its share about the common axis, from the start pose.
  HWY_NOINLINE Mask TurnTogether(const Mask& where) {
    const V3<L> part = WholeTurn() * NewtonPart();
    const V3<L> to = Rotate(FromRotationVector(part), ray_.axis);
    V3<L> turn = RotationVector(ShortestArc(start_.axis, to));
    // Behind the start the arc must not change sides between steps: it goes on past 180
    // degrees.
    const L angle = Length(turn);
    const auto flips = (Dot(turn, turn_) < L::Set(0)) & (angle > L::Set(kLanePi / 2));
    const L past = L::Set(1) - L::Set(2 * kLanePi) / Max(angle, L::Set(1));
    turn = Select(flips, turn * past, turn);
    turn_ = Select(where, turn, turn_);
    auto hit = L::Set(1) < L::Set(0);
    for (int k = 0; k < p_.joints; ++k) {
      V3<L> own = turn * p_.Row(p_.weight + k);
      if (k > 0) own = RotateBack(p_.Quat(p_.start_model, k - 1), own);
      const Q4<L> q = Normalized(FromRotationVector(own) * p_.Quat(p_.start, k));
      p_.PutWhere(where, p_.quat, k, Clamp(chain_.bounds[k], q, hit));
    }
    return hit & where;
  }

  // What a turn of joint k by one radian about `axis` does to the direction's miss.
  HWY_INLINE V3<L> EffectOf(int k, const V3<L>& axis, const L& distance) const {
    const V3<L> lever =
        (ray_.origin - p_.Pos(k)) * (L::Set(1) / Max(distance, L::Set(kLeastWay)));
    const V3<L> c = Cross(axis, ray_.axis + lever);
    return NegMulAdd(ray_.axis, Dot(ray_.axis, c), c);
  }

  // (J W J^T)^-1 of the error, the way along the ray left out. Free joints do not roll: they
  // turn about axes orthogonal to the ray alone.
  HWY_INLINE V3<L> Force(const V3<L>& error, const L& distance) const {
    const V3<L> a = ray_.axis;
    const L zero = L::Set(0);
    Symmetric3<L> m{zero, zero, zero, zero, zero, zero};
    for (int k = 0; k < p_.joints; ++k) {
      const L w = p_.Row(p_.weight + k), gain = Gain(k, distance);
      if (IsHinge(k))
        m.AddOuter(EffectOf(k, HingeAxis(k), distance), w);
      else
        m.AddCross(a, w * gain * gain);
    }
    const L size = m.xx + m.yy + m.zz;
    m.AddOuter(a, size);
    m.AddDiagonal(MulAdd(size, L::Set(1e-4f), L::Set(1e-7f)));
    return SolveSymmetric(m, error);
  }

  HWY_INLINE V3<L> OwnTurn(int k, const V3<L>& force, const L& distance) const {
    const L w = p_.Row(p_.weight + k);
    if (!IsHinge(k)) return Cross(ray_.axis, force) * (w * Gain(k, distance));
    const V3<L> axis = HingeAxis(k);
    return axis * (w * Dot(EffectOf(k, axis, distance), force));
  }

  HWY_NOINLINE Mask TurnApart(const Mask& where) {
    const L distance = Length(Way());
    V3<L> wanted = WholeTurn() * damp_;
    wanted = wanted * Min(L::Set(1), RSqrt(Dot(wanted, wanted)));  // the model is linear
    const V3<L> force = Force(Cross(wanted, ray_.axis), distance);
    auto any = L::Set(1) < L::Set(0);
    for (int k = 0; k < p_.joints; ++k) {
      const int row = p_.weight + k;
      const L w = p_.Row(row), share = L::Set(chain_.shares[k]);
      V3<L> turn = OwnTurn(k, force, distance);
      turn = turn * Min(L::Set(1), RSqrt(Dot(turn, turn)));
      if (k > 0) turn = RotateBack(p_.Quat(p_.model, k - 1), turn);
      auto hit = L::Set(1) < L::Set(0);
      const Q4<L> q = Normalized(FromRotationVector(turn) * p_.Quat(p_.quat, k));
      p_.PutWhere(where, p_.quat, k, Clamp(chain_.bounds[k], q, hit));
      const L less = Max(w * L::Set(0.25f), share * L::Set(1.0f / 64));
      p_.Put(row, Select(where, Select(hit, less, Min(w * L::Set(2), share)), w));
      any = any | hit;
    }
    return any & where;
  }

  bool IsHinge(int k) const { return chain_.bounds[k].kind == JointBound::Kind::kHinge; }
  HWY_INLINE V3<L> HingeAxis(int k) const {
    const V3<L> axis = V3<L>::Set(chain_.bounds[k].parent_axis);
    return k == 0 ? axis : Rotate(p_.Quat(p_.model, k - 1), axis);
  }

  // Keeps the best pose; lanes that point at the target, or gain no more, are done.
  HWY_NOINLINE void EndStep(const Mask& hit) {
    ray_ = p_.Forward(p_.quat);
    const L angle = AngleOf(p_.Target(), ray_);
    const L one = L::Set(1), zero = L::Set(0);
    const Mask better = active_ & (angle < best_);
    for (int k = 0; k < p_.joints; ++k) p_.PutWhere(better, p_.best, k, p_.Quat(p_.quat, k));
    const Mask gain = angle < best_ * L::Set(0.999f);
    damp_ = Select(gain, Min(damp_ + damp_, one), damp_ * L::Set(0.5f));
    stall_ = Select(gain, zero, stall_ + one);
    best_ = Select(better, angle, best_);
    hit_ = Select(active_, Select(hit, one, zero), hit_);
    active_ = active_ & (best_ > L::Set(kExact)) & (stall_ < L::Set(kStall));
    const Mask leave = active_ & common_ & (stall_ > L::Set(2.5f));
    if (!None(leave)) LeaveTogether(leave);
  }

  // No common turn gets nearer (the target is close to the joints): on from the best pose, each
  // joint by itself.
  HWY_NOINLINE void LeaveTogether(const Mask& where) {
    for (int k = 0; k < p_.joints; ++k) p_.PutWhere(where, p_.quat, k, p_.Quat(p_.best, k));
    common_ = common_ & !where;
    stall_ = Select(where, L::Set(0), stall_);
    damp_ = Select(where, L::Set(1), damp_);
    ray_ = p_.Forward(p_.quat);
  }

  const ChainJob& job_;
  const Chain& chain_;
  const AimPose<L> p_;
  Ray<L> start_, ray_;  // of the start pose, of the current one
  V3<L> turn_;          // the common turn so far
  L best_, stall_, damp_, hit_, iterations_;
  Mask active_, common_, moved_;
};

template <class D>
HWY_NOINLINE void SolveAim(const ChainJob& job, LaneSpace& space) {
  using L = Lane<D, 1>;
  const AimPose<L> pose(job, space);
  ForColumns<L>(job, [&](const Columns<L>& columns) HWY_ATTR {
    Aim<L> aim(job, pose, columns);
    aim.Run();
    aim.Write(columns);
  });
}

template <class D>
HWY_NOINLINE void MeasureAim(const ChainJob& job, LaneSpace& space) {
  using L = Lane<D, 1>;
  const AimPose<L> pose(job, space);
  ForColumns<L>(job, [&](const Columns<L>& columns) HWY_ATTR {
    pose.Load(job, columns, job.chain->shares.data());
    const Ray<L> ray = pose.Forward(pose.quat);
    HWY_ALIGN_MAX float miss[L::kWidth], angle[L::kWidth];
    MissOf(pose.Target(), ray).Store(miss);
    AngleOf(pose.Target(), ray).Store(angle);
    for (int c = 0; c < columns.count; ++c) {
      job.outcomes[columns.frame[c]].residual = miss[c];
      job.outcomes[columns.frame[c]].residual_angle = angle[c];
    }
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_SOLVERS_AIM_INL_H_
