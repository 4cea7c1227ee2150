// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/lanes/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/collider_solve.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// after foreach_target
#include "core/lanes/collider_driver-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {
using OneRegister = Lane<hn::ScalableTag<float>, 1>;
void MeasureColliderLanes(const ChainJob& job, LaneSpace& space) {
  RunColliderMeasure<OneRegister>(job, space);
}
void StartColliderLanes(const ChainJob& job, const ColliderStart& start,
                        const ColliderScores& scores, LaneSpace& space) {
  RunColliderStart<OneRegister>(job, start, scores, space);
}
void SettleColliderLanes(const ChainJob& job, LaneSpace& space) {
  RunColliderSettle<OneRegister>(job, space);
}
}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>

#include "core/collider_solve.h"

namespace ikstream {
HWY_EXPORT(MeasureColliderLanes);
HWY_EXPORT(StartColliderLanes);
HWY_EXPORT(SettleColliderLanes);

namespace {

// Areas of LaneSpace that the lanes and passes.cc do not use.
constexpr size_t kFloats = 16, kInts = 8;
// Starts that frames get whose target is inside a collider.
constexpr int kForbiddenStarts = 2;
constexpr float kQuarter = 1.5707964f;

constexpr ColliderStart kStarts[] = {
    {},
    {true, 0, 0, 0},
    {false, kQuarter, 0, 0},
    {false, -kQuarter, 0, 0},
    {false, 2 * kQuarter, 0, 0},
    {true, 0, 1, 1},
    {true, kQuarter, 1.5f, 2},
    {true, 2 * kQuarter, 2, 3},
    {true, -kQuarter, 2.5f, 4},
    {true, 0, 2.5f, 5},
    {true, 0, 3, 6},
    {true, 0, 3, 7},
};

// The frames that a collider is in the way of, and those that a solver left unsolved.
class Blocked {
 public:
  Blocked(const ChainJob& job, LaneSpace& space) : job_(job) {
    const size_t count = job.frames.size();
    frames_ = space.Ints(kInts, count);
    run_ = space.Ints(kInts + 1, count);
    order_ = space.Ints(kInts + 2, count);
    scores_ = {order_, space.Floats(kFloats, count), space.Floats(kFloats + 1, count),
               space.Ints(kInts + 3, count), space.Ints(kInts + 4, count)};
    for (std::int32_t frame : job.frames)
      if (job.outcomes[frame].depth > kFreeDepth * job.chain->length || Missed(frame))
        Add(frame);
  }

  std::span<const std::int32_t> frames() const { return {frames_, count_}; }
  const ColliderScores& scores() const { return scores_; }

  // The frames that start number `start` is for.
  std::span<const std::int32_t> Open(int start) {
    size_t open = 0;
    for (size_t i = 0; i < count_; ++i) {
      const std::int32_t state = scores_.states[i];
      if (state == ColliderScores::kMet) continue;
      if (state == ColliderScores::kForbidden && start >= kForbiddenStarts) continue;
      run_[open] = frames_[i];
      order_[open++] = static_cast<std::int32_t>(i);
    }
    return {run_, open};
  }

  // Iterations of the solver before and of the start that stays.
  void AddIterations() const {
    for (size_t i = 0; i < count_; ++i) {
      FrameOutcome& outcome = job_.outcomes[frames_[i]];
      outcome.iterations =
          std::min(outcome.iterations + scores_.iterations[i], job_.chain->spec.max_iterations);
    }
  }

 private:
  // A solver that limits held back can have ended beside a collider.
  bool Missed(std::int32_t frame) const {
    const FrameOutcome& outcome = job_.outcomes[frame];
    return outcome.residual > job_.chain->tolerance &&
           (outcome.status == SolveStatus::kLimited ||
            outcome.status == SolveStatus::kStalled ||
            outcome.status == SolveStatus::kIterationLimit);
  }
  void Add(std::int32_t frame) {
    frames_[count_] = frame;
    scores_.depths[count_] = scores_.errors[count_] = 1e9f;
    scores_.iterations[count_] = 0;
    scores_.states[count_++] = ColliderScores::kOpen;
  }

  const ChainJob& job_;
  size_t count_ = 0;
  std::int32_t* frames_;
  std::int32_t* run_;
  std::int32_t* order_;
  ColliderScores scores_;
};

}  // namespace

void SettleOutcome(const Chain& chain, const ColliderNumbers& n, FrameOutcome& outcome) {
  outcome.changed = true;
  outcome.residual = n.residual;
  outcome.residual_angle = n.asked_angle;
  outcome.depth = n.depth;
  const bool free = n.over <= 1e-3f;
  if (free && n.error <= chain.tolerance && n.angle <= chain.spec.rotation_tolerance)
    outcome.status = SolveStatus::kConverged;
  else if (outcome.status != SolveStatus::kUnreachable &&
           outcome.status != SolveStatus::kTooClose)
    outcome.status = SolveStatus::kLimited;
}

void MeasureDepths(const ChainJob& job, LaneSpace& space) {
  HWY_DYNAMIC_DISPATCH(MeasureColliderLanes)(job, space);
}

void ClearColliders(const ChainJob& job, LaneSpace& space) {
  ChainJob again = job;
  again.start = {job.solved, static_cast<std::ptrdiff_t>(4 * job.chain->turned.size()),
                 job.chain->packed_offsets.data()};
  MeasureDepths(again, space);
  if (job.chain->aims()) return;  // what it looks at comes first
  Blocked blocked(job, space);
  if (blocked.frames().empty()) return;
  int index = 0;
  for (const ColliderStart& start : kStarts) {
    again.frames = blocked.Open(index++);
    if (again.frames.empty()) break;
    HWY_DYNAMIC_DISPATCH(StartColliderLanes)(again, start, blocked.scores(), space);
  }
  again.frames = blocked.frames();
  HWY_DYNAMIC_DISPATCH(SettleColliderLanes)(again, space);
  blocked.AddIterations();
}
}  // namespace ikstream
#endif
