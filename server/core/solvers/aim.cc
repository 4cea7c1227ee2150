// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/lanes/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/solvers/aim.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// after foreach_target
#include "core/solvers/aim-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {
void RunAim(const ChainJob& job, LaneSpace& space) {
  SolveAim<hn::ScalableTag<float>>(job, space);
}
void RunMeasureAim(const ChainJob& job, LaneSpace& space) {
  MeasureAim<hn::ScalableTag<float>>(job, space);
}
}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "core/field_error.h"
#include "core/solver_list.h"

namespace ikstream {
HWY_EXPORT(RunAim);
HWY_EXPORT(RunMeasureAim);

namespace {
// What shapes a reach has no meaning for a direction.
absl::Status TakesRays(const Chain& chain) {
  const char* none = "has no meaning with solver \"aim\"";
  if (chain.spec.pole.kind != PoleKind::kNone) return FieldError("pole.kind", none);
  if (chain.spec.keep_end_rotation) return FieldError("keep_end_rotation", none);
  if (chain.spec.soft_reach) return FieldError("soft_reach", none);
  return absl::OkStatus();
}

void Run(const ChainJob& job, LaneSpace& space) { HWY_DYNAMIC_DISPATCH(RunAim)(job, space); }
void MeasureRays(const ChainJob& job, LaneSpace& space) {
  HWY_DYNAMIC_DISPATCH(RunMeasureAim)(job, space);
}
}  // namespace

SolverEntry AimSolver() {
  return {"aim",
          "Look-at: turns a chain until an axis of its end points at the target, the turn "
          "shared by stiffness.",
          TakesRays,
          Run,
          SolverKind::kAim,
          MeasureRays};
}
}  // namespace ikstream
#endif
