// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "absl/strings/str_cat.h"
#include "convert/settings.h"
#include "core/field_error.h"
#include "core/solve.h"
#include "session/clean_session.h"
#include "session/facts.h"
#include "session/place_session.h"
#include "session/plan_session.h"
#include "session/session.h"
#include "session/solve_session.h"

namespace ikstream {

absl::StatusOr<std::unique_ptr<Session>> Session::Open(const v1::Setup& setup,
                                                       const Limits& limits, CallShape shape) {
  switch (setup.mode()) {
    case v1::MODE_UNSPECIFIED:
    case v1::MODE_SOLVE:
      return SolveSession::Open(setup, limits, shape);
    case v1::MODE_PLAN:
      return PlanSession::Open(setup, limits, shape);
    case v1::MODE_CLEAN:
      return CleanSession::Open(setup, limits, shape);
    case v1::MODE_PLACE:
      return PlaceSession::Open(setup, limits, shape);
    default:
      return FieldError("setup.mode",
                        absl::StrCat(static_cast<int>(setup.mode()), " is no mode"));
  }
}

v1::GetServerInfoResponse DescribeEngine(const Limits& limits) {
  v1::GetServerInfoResponse info;
  info.set_version(Version());
  info.set_cpu_target(CpuTarget());
  v1::ServerLimits& out = *info.mutable_limits();
  out.set_max_joints(limits.max_joints);
  out.set_max_chains(limits.max_chains);
  out.set_max_batch_frames(limits.max_batch_frames);
  out.set_max_iterations(limits.max_iterations);
  out.set_max_message_bytes(limits.max_message_bytes);
  out.set_max_plan_frames(limits.max_plan_frames);
  out.set_max_colliders(limits.max_colliders);
  out.set_max_feet(limits.max_feet);
  out.set_max_terrain_vertices(limits.max_terrain_vertices);
  for (const SolverText& solver : Solvers()) {
    v1::SolverInfo& entry = *info.add_solvers();
    entry.set_name(solver.name);
    entry.set_text(solver.text);
  }
  for (v1::Mode mode : {v1::MODE_SOLVE, v1::MODE_PLACE, v1::MODE_PLAN, v1::MODE_CLEAN})
    info.add_modes(mode);
  info.set_default_profile(kDefaultProfile);
  info.add_profiles(kDefaultProfile);
  *info.mutable_cleanup_defaults() = ToProto(WithDefaults({}));
  return info;
}

}  // namespace ikstream
