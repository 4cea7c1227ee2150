// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/lanes/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/solvers/two_bone.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// after foreach_target
#include "core/solvers/two_bone-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {
void RunTwoBone(const ChainJob& job, LaneSpace& space) { RunLanes<TwoBone>(job, space); }
}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "core/field_error.h"
#include "core/passes.h"
#include "core/planar_solve.h"
#include "core/solver_list.h"

namespace ikstream {
HWY_EXPORT(RunTwoBone);

namespace {
void Dispatch(const ChainJob& job, LaneSpace& space) {
  if (job.chain->plane) return SolvePlanar(PlanarMethod::kTwoBone, job, space);
  HWY_DYNAMIC_DISPATCH(RunTwoBone)(job, space);
}

absl::Status TakesTwoBones(const Chain& chain) {
  if (chain.two_bones) return absl::OkStatus();
  return FieldError("solver", "two_bone needs two bones that have a length; use auto");
}
}  // namespace

SolverEntry TwoBoneSolver() {
  return {
      "two_bone", "Two bones by the law of cosines: exact, no iterations.", TakesTwoBones,
      [](const ChainJob& job, LaneSpace& space) { SolvePositionFirst(Dispatch, job, space); },
      true};
}
}  // namespace ikstream
#endif
