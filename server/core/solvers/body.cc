// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/lanes/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/solvers/body.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// after foreach_target
#include "core/solvers/body-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {
void RunBody(const BodyJob& job, LaneSpace& space) {
  SolveBody<hn::ScalableTag<float>>(job, space);
}
}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "core/field_error.h"
#include "core/solver_list.h"

namespace ikstream {
HWY_EXPORT(RunBody);

namespace {
absl::Status TakesEffectors(const Chain& chain) {
  const char* none = "has no meaning with solver \"body\"";
  if (chain.spec.soft_reach) return FieldError("soft_reach", none);
  return absl::OkStatus();
}

void Run(const BodyJob& job, LaneSpace& space) { HWY_DYNAMIC_DISPATCH(RunBody)(job, space); }
}  // namespace

SolverEntry BodySolver() {
  return {"body",
          "Several effectors at once, by priority: damped least squares over the whole tree.",
          TakesEffectors,
          nullptr,
          SolverKind::kBody,
          nullptr,
          Run};
}
}  // namespace ikstream
#endif
