// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/lanes/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/solvers/fabrik.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// after foreach_target
#include "core/solvers/fabrik-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {
void RunFabrik(const ChainJob& job, LaneSpace& space) { RunLanes<Fabrik>(job, space); }
}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "core/passes.h"
#include "core/planar_solve.h"
#include "core/solver_list.h"

namespace ikstream {
HWY_EXPORT(RunFabrik);

namespace {
void Dispatch(const ChainJob& job, LaneSpace& space) {
  if (job.chain->plane) return SolvePlanar(PlanarMethod::kFabrik, job, space);
  HWY_DYNAMIC_DISPATCH(RunFabrik)(job, space);
}
}  // namespace

SolverEntry FabrikSolver() {
  return {
      "fabrik",
      "Forward and backward reaching (Aristidou and Lasenby 2011), limits in the passes.",
      TakesAnyChain,
      [](const ChainJob& job, LaneSpace& space) { SolvePositionFirst(Dispatch, job, space); },
      true};
}
}  // namespace ikstream
#endif
