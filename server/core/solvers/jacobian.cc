// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/lanes/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/solvers/jacobian.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// after foreach_target
#include "core/solvers/jacobian-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {
void RunJacobian(const ChainJob& job, LaneSpace& space) { RunLanes<Jacobian>(job, space); }
}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "core/passes.h"
#include "core/planar_solve.h"
#include "core/solver_list.h"

namespace ikstream {
HWY_EXPORT(RunJacobian);

namespace {
void Dispatch(const ChainJob& job, LaneSpace& space) {
  if (job.chain->plane) return SolvePlanar(PlanarMethod::kJacobian, job, space);
  HWY_DYNAMIC_DISPATCH(RunJacobian)(job, space);
}
}  // namespace

SolverEntry JacobianSolver() {
  return {
      "jacobian", "Damped least squares with limits, least motion from the input pose.",
      TakesAnyChain,
      [](const ChainJob& job, LaneSpace& space) { SolvePositionFirst(Dispatch, job, space); },
      true};
}
}  // namespace ikstream
#endif
