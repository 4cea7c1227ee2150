// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/lanes/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/solvers/ccd.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// after foreach_target
#include "core/solvers/ccd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {
void RunCcd(const ChainJob& job, LaneSpace& space) { RunLanes<Ccd>(job, space); }
}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "core/passes.h"
#include "core/planar_solve.h"
#include "core/solver_list.h"

namespace ikstream {
HWY_EXPORT(RunCcd);

namespace {
void Dispatch(const ChainJob& job, LaneSpace& space) {
  if (job.chain->plane) return SolvePlanar(PlanarMethod::kCcd, job, space);
  HWY_DYNAMIC_DISPATCH(RunCcd)(job, space);
}
}  // namespace

SolverEntry CcdSolver() {
  return {
      "ccd", "Cyclic coordinate descent, end to root, limits inside the loop.", TakesAnyChain,
      [](const ChainJob& job, LaneSpace& space) { SolvePositionFirst(Dispatch, job, space); },
      true};
}
}  // namespace ikstream
#endif
