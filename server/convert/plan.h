// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Plans between wire and core, whole and in parts. Thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "ikstream/v1/cleanup.pb.h"
#include "motion/plan.h"

namespace ikstream {

// Only the shape is checked here; ValidatePlan says whether it fits a clip. Field paths are
// relative to the plan.
absl::StatusOr<Plan> ToPlan(const v1::Plan& in, int joints);
v1::Plan ToProto(const Plan& in);

// `plan` cut into parts of at most `max_bytes` each; at least one, the last one marked.
std::vector<v1::PlanPart> CutPlan(const v1::Plan& plan, std::int64_t max_bytes);

// Appends a part to `plan`. Errors: a foot that the plan's head has not; a head that is not
// first.
absl::Status JoinPlanPart(const v1::PlanPart& part, bool first, v1::Plan& plan);

}  // namespace ikstream
