// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// A plan in pieces, as it travels on a stream: at most 1 MiB each.
#pragma once

#include <vector>

#include "ikstream/v1/cleanup.pb.h"

namespace ikstream::client {

// Joined again in their order, the parts are the plan. At least one part.
std::vector<v1::PlanPart> SplitPlan(const v1::Plan& plan);

// Puts the next part into `plan`. False where the part names a foot that the head has not.
bool JoinPlan(const v1::PlanPart& part, v1::Plan& plan);

}  // namespace ikstream::client
