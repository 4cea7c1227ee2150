// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "convert/chain.h"

#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "convert/values.h"
#include "core/field_error.h"
#include "core/solve.h"

namespace ikstream {
namespace {

constexpr double kHuge = std::numeric_limits<float>::max();
constexpr double kPi = 3.14159265358979323846;

std::string SolverNames() {
  std::string names;
  for (const SolverText& solver : Solvers()) absl::StrAppend(&names, " ", solver.name);
  return names;
}

absl::Status CheckSolver(const std::string& name) {
  if (FindSolver(name) >= 0) return absl::OkStatus();
  return FieldError(
      "solver", absl::StrCat("no solver is called \"", name, "\"; there are:", SolverNames()));
}

absl::Status AddPole(const v1::Pole& in, Pole& out) {
  if (!v1::Pole::Kind_IsValid(in.kind()))
    return FieldError("pole.kind", absl::StrCat(static_cast<int>(in.kind()), " is no kind"));
  const auto value = CheckVec3(in.value(), "pole.value");
  if (!value.ok()) return value.status();
  out.value = *value;
  out.kind = static_cast<PoleKind>(in.kind());
  if (!in.has_weight()) return absl::OkStatus();
  out.weight = in.weight();
  return CheckRange(in.weight(), 0, 1, "pole.weight");
}

// Ranges are the core's to check.
SoftReach ToSoftReach(const v1::SoftReach& in) {
  SoftReach out;
  if (in.has_cap()) out.cap = in.cap();
  if (in.has_zone()) out.zone = in.zone();
  return out;
}

// What only some solvers know: whether this one does is Rig::Create's to say.
absl::Status AddOfSolvers(const v1::Chain& in, ChainSpec& out) {
  absl::Status s;
  out.group = in.group();
  if (in.has_aim_axis()) {
    const auto axis = CheckVec3(in.aim_axis(), "aim_axis");
    if (!axis.ok()) return axis.status();
    out.aim_axis = *axis;
  }
  if (in.has_effector_weight()) {
    out.effector_weight = in.effector_weight();
    s = CheckRange(in.effector_weight(), 1e-3, 1e3, "effector_weight");
  }
  if (s.ok() && in.has_closeness()) {
    out.closeness = in.closeness();
    s = CheckRange(in.closeness(), 0, 1, "closeness");
  }
  return s;
}

Temporal ToTemporal(const v1::Temporal& in) {
  Temporal out;
  out.target_half_life = in.target_half_life_seconds();
  out.one_euro_min_cutoff = in.one_euro_min_cutoff_hz();
  out.one_euro_beta = in.one_euro_beta_hz();
  out.weight_rise = in.weight_rise_per_second();
  out.weight_fall = in.weight_fall_per_second();
  return out;
}

absl::Status AddTime(const v1::Chain& in, ChainSpec& out) {
  out.angular_velocities = in.angular_velocities();
  out.temporal = ToTemporal(in.temporal());
  if (in.solve_every() != 0) out.solve_every = in.solve_every();
  if (!v1::Chain::Between_IsValid(in.between()))
    return FieldError("between",
                      absl::StrCat(static_cast<int>(in.between()), " is no way to go between"));
  if (in.between() == v1::Chain::BETWEEN_HOLD_EASED) out.between = FramesBetween::kHoldEased;
  return absl::OkStatus();
}

absl::Status AddAccuracy(const v1::Chain& in, const Limits& limits, ChainSpec& out) {
  absl::Status s;
  if (in.has_max_iterations()) {
    out.max_iterations = in.max_iterations();
    s = CheckRange(in.max_iterations(), 1, limits.max_iterations, "max_iterations");
  }
  if (s.ok() && in.has_tolerance()) {
    out.tolerance = in.tolerance();
    s = CheckRange(in.tolerance(), 1e-30, kHuge, "tolerance");
  }
  if (s.ok() && in.has_rotation_tolerance_rad()) {
    out.rotation_tolerance = in.rotation_tolerance_rad();
    s = CheckRange(in.rotation_tolerance_rad(), 1e-6, kPi, "rotation_tolerance_rad");
  }
  if (s.ok() && in.has_rotation_weight()) {
    out.rotation_weight = in.rotation_weight();
    s = CheckRange(in.rotation_weight(), 0, 1, "rotation_weight");
  }
  return s;
}

}  // namespace

absl::StatusOr<ChainSpec> ToChain(const v1::Chain& in, int joints, const Limits& limits) {
  ChainSpec out;
  out.name = in.name();
  out.root_joint = in.root_joint();
  out.end_joint = in.end_joint();
  if (!in.solver().empty()) out.solver = in.solver();
  out.keep_end_rotation = in.keep_end_rotation();
  out.priority = in.priority();
  if (in.has_soft_reach()) out.soft_reach = ToSoftReach(in.soft_reach());
  out.max_stretch = in.max_stretch();
  absl::Status s = CheckIndex(in.root_joint(), joints, "root_joint");
  if (s.ok()) s = CheckIndex(in.end_joint(), joints, "end_joint");
  if (s.ok()) s = CheckSolver(out.solver);
  if (s.ok()) s = AddPole(in.pole(), out.pole);
  if (s.ok()) s = AddAccuracy(in, limits, out);
  if (s.ok()) s = AddOfSolvers(in, out);
  if (s.ok()) s = AddTime(in, out);
  if (!s.ok()) return s;
  if (in.has_plane_normal()) {
    const auto normal = CheckVec3(in.plane_normal(), "plane_normal");
    if (!normal.ok()) return normal.status();
    if (Length(*normal) > 0) out.plane_normal = *normal;
  }
  if (in.has_tip_offset()) {
    const auto tip = CheckVec3(in.tip_offset(), "tip_offset");
    if (!tip.ok()) return tip.status();
    out.tip_offset = *tip;
  }
  return out;
}

}  // namespace ikstream
