// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "session/solve_setup.h"

#include "convert/rig.h"
#include "core/field_error.h"

namespace ikstream {
namespace {

absl::Status CheckUnserved(const v1::Setup& setup) {
  const v1::Rig& rig = setup.rig();
  const char* field = nullptr;
  if (rig.colliders_size() > 0) field = "setup.rig.colliders";
  if (field == nullptr) return absl::OkStatus();
  return FieldError(absl::StatusCode::kUnimplemented, field, "is not served by this version");
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Rig>> ReadSolveRig(const v1::Setup& setup,
                                                        const Limits& limits,
                                                        Warnings& warnings) {
  if (absl::Status s = CheckUnserved(setup); !s.ok()) return s;
  auto rig = ToRig(setup, limits, warnings);
  if (!rig.ok()) return rig.status();
  if ((*rig)->chains().empty())
    return FieldError("setup.rig.chains", "is empty: mode SOLVE needs a chain");
  if (setup.plan_follows() || setup.has_plan())
    return FieldError("setup.plan", "has no meaning in mode SOLVE");
  return rig;
}

absl::Status CheckSolveMotion(const v1::Motion& motion) {
  const char* field = nullptr;
  if (motion.samples_size() > 0) field = "motion.samples";
  if (motion.platforms_size() > 0) field = "motion.platforms";
  if (field == nullptr) return absl::OkStatus();
  return FieldError(field, "has no meaning in mode SOLVE");
}

}  // namespace ikstream
