// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/lanes/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/measure.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// after foreach_target
#include "core/lanes/measure-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {
void RunMeasure(const ChainJob& job, LaneSpace& space) {
  Measure<Lane<hn::ScalableTag<float>, 1>>(job, space);
}
void RunClamp(std::span<const JointBound> bounds, std::span<const std::int32_t> frames,
              float* rows, FrameOutcome* outcomes) {
  ClampRows<Lane<hn::ScalableTag<float>, 1>>(bounds, frames, rows, outcomes);
}
}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "core/measure.h"
#include "core/solver_list.h"

namespace ikstream {
HWY_EXPORT(RunMeasure);
HWY_EXPORT(RunClamp);

void MeasureFrames(const ChainJob& job, LaneSpace& space) {
  ChainJob plain = job;
  plain.clamp_start = false;
  plain.bends = nullptr;
  const auto own = SolverEntries()[static_cast<size_t>(job.chain->solver)].measure;
  if (own != nullptr) return own(plain, space);
  HWY_DYNAMIC_DISPATCH(RunMeasure)(plain, space);
}

void ClampFrames(std::span<const JointBound> bounds, std::span<const std::int32_t> frames,
                 float* rows, FrameOutcome* outcomes) {
  HWY_DYNAMIC_DISPATCH(RunClamp)(bounds, frames, rows, outcomes);
}
}  // namespace ikstream
#endif
