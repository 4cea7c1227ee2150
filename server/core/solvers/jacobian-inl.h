// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Damped least squares (Wampler 1986; Nakamura and Hanafusa 1986) over joints that turn about
// every axis, or one where they are hinges: the least turn that moves the end by the error,
// with joints weighted (Ease()) so that the positions move little, too. With r the way from a
// joint to the end, a free joint adds |r|^2 1 - r r^T to J J^T and turns by r x (J J^T)^-1 e,
// so that a step needs one symmetric 3x3 system, whatever the number of joints. A joint that
// its limit held back counts for less in the next step. By the chain's closeness the start pose
// pulls in the null space (Liegeois 1977).
#if defined(IKSTREAM_CORE_SOLVERS_JACOBIAN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_SOLVERS_JACOBIAN_INL_H_
#undef IKSTREAM_CORE_SOLVERS_JACOBIAN_INL_H_
#else
#define IKSTREAM_CORE_SOLVERS_JACOBIAN_INL_H_
#endif

#include "core/lanes/driver-inl.h"
#include "core/solvers/symmetric3-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

struct Jacobian {
  static constexpr bool kClosed = false;
  static constexpr int kGroups = 2;
  static constexpr float kLongestStep = 0.25f;  // of the chain's length

  template <class L>
  static HWY_NOINLINE typename L::Mask Begin(const Block<L> b) {
    if (b.at->pull >= 0)
      for (int k = 0; k < b.at->bones; ++k) b.Put4(b.at->start + 4 * k, b.Quat(k));
    const auto done = BeginIterations(b);
    b.Put(b.at->damping, L::Set(1e-3f));
    if (!b.at->rotations) return done;
    if (b.at->pull >= 0) b.Put(b.at->pull, L::Set(b.chain->pull));
    for (int k = 0; k < b.at->bones; ++k)
      b.Put(b.at->weights + k, L::Set(b.chain->shares[k] * Ease(b, k)));
    Forward(b, b.at->quat);
    return done;
  }

  // How easily a joint turns: the fewer bones it moves, the more, which keeps the joints nearer
  // to the input pose than equal turns would.
  template <class L>
  static HWY_INLINE float Ease(const Block<L> b, int k) {
    return k < b.at->solved ? 1.0f / static_cast<float>(b.at->solved - k) : 1.0f;
  }

  // The step's force for the way that the end is to go: (J W J^T + damping)^-1 e. Far targets
  // are approached in parts, since the linear model holds for small turns only.
  template <class L>
  static HWY_INLINE V3<L> Force(const Block<L> b, Symmetric3<L> a, const V3<L>& way,
                                float scale) {
    V3<L> e = way * L::Set(scale);
    e = e * Min(L::Set(kLongestStep) * RSqrt(Dot(e, e)), L::Set(1));
    const L more = MulAdd(b.Row(b.at->damping), a.xx + a.yy + a.zz, L::Set(1e-7f));
    a.xx = a.xx + more, a.yy = a.yy + more, a.zz = a.zz + more;
    return SolveSymmetric(a, e);
  }

  // More damping where a step made it worse, less where it helped.
  template <class L>
  static HWY_INLINE void Adapt(const Block<L> b, const typename L::Mask& worse) {
    const L damping = b.Row(b.at->damping);
    b.Put(b.at->damping, Select(worse, Min(damping * L::Set(8), L::Set(1)),
                                Max(damping * L::Set(0.25f), L::Set(1e-5f))));
  }

  // Adds what a joint that turns about every axis gives, at r from the end.
  template <class L>
  static HWY_INLINE void AddFree(Symmetric3<L>& a, const V3<L>& r, const L& share) {
    const V3<L> s = r * share;
    a.xx = MulAdd(s.y, r.y, MulAdd(s.z, r.z, a.xx));
    a.yy = MulAdd(s.x, r.x, MulAdd(s.z, r.z, a.yy));
    a.zz = MulAdd(s.x, r.x, MulAdd(s.y, r.y, a.zz));
    a.xy = NegMulAdd(s.x, r.y, a.xy);
    a.xz = NegMulAdd(s.x, r.z, a.xz);
    a.yz = NegMulAdd(s.y, r.z, a.yz);
  }

  // Where a straight or folded chain holds the end back (no turn moves it along the line), a
  // bow to the bend's side goes on, if it is nearer to the target.
  template <class L>
  static HWY_NOINLINE void Unstick(const Block<L> b, const typename L::Mask& stuck) {
    const int n = b.at->solved, kept = b.at->frames;
    for (int k = 0; k < n; ++k) b.Put3(kept + 3 * k, b.Pos(k + 1));
    PutBow(b, stuck, LineToTarget(b));
    const L error = ErrorOf(b, b.Pos(n)), before = b.Row(b.at->error);
    const auto better = stuck & (error < before);
    for (int k = 0; k < n; ++k)
      b.PutPos(k + 1, Select(better, b.Pos(k + 1), b.Row3(kept + 3 * k)));
    b.Put(b.at->error, Select(better, error, before));
    b.Put(b.at->best_error, Select(better, error, b.Row(b.at->best_error)));
    b.Put(b.at->stall, Select(better, L::Set(0), b.Row(b.at->stall)));
    b.Put(b.at->damping, Select(better, L::Set(1e-3f), b.Row(b.at->damping)));
  }

  // Without limits bones are enough: each turns by the sum of the turns of the joints above it,
  // as the rotation whose half angle's tangent is half that sum (exact in length, bounded). A
  // step that made it worse is taken back.
  template <class L>
  static HWY_INLINE typename L::Mask StepFree(const Block<L> b) {
    const int n = b.at->solved, trial = b.at->frames;
    const float scale = 1 / b.chain->length;
    const L zero = L::Set(0), one = L::Set(1);
    const V3<L> end = b.Pos(n);
    Symmetric3<L> a{zero, zero, zero, zero, zero, zero};
    for (int k = 0; k < n; ++k)
      AddFree(a, (end - b.Pos(k)) * L::Set(scale), L::Set(Ease(b, k)));
    const V3<L> force = Force(b, a, b.Row3(b.at->target) - end, scale) * L::Set(0.5f * scale);
    V3<L> half = V3<L>::Set({}), p = half, old = half;
    for (int k = 0; k < n; ++k) {
      half = MulAdd(Cross(end - old, force), L::Set(Ease(b, k)), half);
      const V3<L> next = b.Pos(k + 1);
      const V3<L> d = next - old;
      const V3<L> c = Cross(half, d);
      const L y =
          RSqrt(MulAdd(half.x, half.x, MulAdd(half.y, half.y, MulAdd(half.z, half.z, one))));
      const L s = (y + y) * y;
      p = p + MulAdd(c + Cross(half, c), s, d);
      b.Put3(trial + 3 * k, p);
      old = next;
    }
    const L before = b.Row(b.at->error), error = ErrorOf(b, p);
    const auto better = error < before;
    for (int k = 0; k < n; ++k)
      b.PutPos(k + 1, Select(better, b.Row3(trial + 3 * k), b.Pos(k + 1)));
    Adapt(b, !better);
    const auto done = EndStep(b, Min(error, before), zero > one);
    const L stall = b.Row(b.at->stall);
    const auto stuck = (stall > L::Set(1.5f)) & (stall < L::Set(2.5f)) & !done;
    if (!None(stuck)) Unstick(b, stuck);
    return done;
  }

  template <class L>
  static HWY_INLINE Q4<L> ParentOf(const Block<L> b, int k) {
    return k == 0 ? Q4<L>::Set({}) : b.Row4(b.at->frames + 4 * (k - 1));
  }

  // The axis of a hinge seen from the root's parent.
  template <class L>
  static HWY_INLINE V3<L> HingeAxis(const Block<L> b, int k) {
    return Rotate(ParentOf(b, k), V3<L>::Set(b.chain->bounds[k].parent_axis));
  }
  static HWY_INLINE bool IsHinge(const Chain& chain, int k) {
    return chain.bounds[k].kind == JointBound::Kind::kHinge;
  }

  // J W J^T, lengths as shares of the chain's.
  template <class L>
  static HWY_INLINE Symmetric3<L> Normal(const Block<L> b, const V3<L>& end, float scale) {
    const L zero = L::Set(0);
    Symmetric3<L> a{zero, zero, zero, zero, zero, zero};
    for (int k = 0; k < b.at->solved; ++k) {
      const V3<L> r = (end - b.Pos(k)) * L::Set(scale);
      const L w = b.Row(b.at->weights + k);
      if (!IsHinge(*b.chain, k)) {
        AddFree(a, r, w);
        continue;
      }
      const V3<L> t = Cross(HingeAxis(b, k), r);
      const V3<L> s = t * w;
      a.xx = MulAdd(s.x, t.x, a.xx), a.yy = MulAdd(s.y, t.y, a.yy);
      a.zz = MulAdd(s.z, t.z, a.zz), a.xy = MulAdd(s.x, t.y, a.xy);
      a.xz = MulAdd(s.x, t.z, a.xz), a.yz = MulAdd(s.y, t.z, a.yz);
    }
    return a;
  }

  // The pull of the start pose on a joint, in its parent's frame: half of the turn. It fades
  // with the steps, since a constant one keeps the target from being met.
  template <class L>
  static HWY_INLINE V3<L> PullOf(const Block<L> b, int k) {
    const Q4<L> d = b.Row4(b.at->start + 4 * k) * Conjugate(b.Quat(k));
    const L pull = CopySign(b.Row(b.at->pull), d.w);
    return V3<L>{d.x, d.y, d.z} * pull;
  }
  static constexpr float kPullDecay = 0.8f;

  // How far the pulls move the end: what the step has to make up for.
  template <class L>
  static HWY_NOINLINE V3<L> PulledBy(const Block<L> b, const V3<L>& end) {
    V3<L> sum = V3<L>::Set({});
    for (int k = 0; k < b.at->solved; ++k) {
      const V3<L> half = Rotate(ParentOf(b, k), PullOf(b, k));
      sum = sum + Cross(half + half, end - b.Pos(k));
    }
    return sum;
  }

  // Turns every joint by its part of the step, within limits.
  template <class L>
  static HWY_INLINE typename L::Mask Apply(const Block<L> b, const V3<L>& end, float scale,
                                           const V3<L>& force) {
    auto any = L::Set(1) < L::Set(0);
    for (int k = 0; k < b.at->solved; ++k) {
      const int row = b.at->weights + k;
      const L w = b.Row(row), share = L::Set(b.chain->shares[k] * Ease(b, k));
      const V3<L> r = (end - b.Pos(k)) * L::Set(scale);
      V3<L> turn = Cross(r, force) * (w * L::Set(0.5f));
      if (IsHinge(*b.chain, k)) {
        const V3<L> axis = HingeAxis(b, k);
        turn = axis * Dot(axis, turn);
      }
      turn = RotateBack(ParentOf(b, k), turn);
      if (b.at->pull >= 0) turn = turn + PullOf(b, k);
      const Q4<L> q = b.Quat(k);
      auto hit = L::Set(1) < L::Set(0);
      // (v / 2, 1) made unit: turns by 2 atan(|v| / 2), which also bounds a wild step.
      const Q4<L> by{turn.x, turn.y, turn.z, L::Set(1)};
      b.PutQuat(k, Clamp(b.chain->bounds[k], Normalized(by * q), hit));
      any = any | hit;
      const L less = Max(w * L::Set(0.25f), share * L::Set(1.0f / 64));
      const L more = Min(w * L::Set(2), share);
      b.Put(row, Select(hit, less, more));
    }
    return any;
  }

  template <class L>
  static HWY_NOINLINE typename L::Mask StepTurning(const Block<L> b) {
    const float scale = 1 / b.chain->length;
    const V3<L> end = b.Pos(b.at->solved);
    V3<L> way = b.Row3(b.at->target) - end;
    if (b.at->pull >= 0) way = way - PulledBy(b, end);
    const auto hit = Apply(b, end, scale, Force(b, Normal(b, end, scale), way, scale));
    if (b.at->pull >= 0) b.Put(b.at->pull, b.Row(b.at->pull) * L::Set(kPullDecay));
    const L before = b.Row(b.at->error);
    const L error = ErrorOf(b, Forward(b, b.at->quat));
    Adapt(b, error > before);
    return EndStep(b, error, hit);
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_SOLVERS_JACOBIAN_INL_H_
