// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// What is odd about a plan that is obeyed all the same.
#pragma once

#include "convert/warnings.h"
#include "motion/plan.h"
#include "motion/quality.h"
#include "session/clip_setup.h"

namespace ikstream {

// Where it does not fit the clip's setup.
void WarnOfPlan(const Plan& plan, const ClipSetup& setup, Warnings& warnings);
// Where it asks for what no leg can do.
void WarnOfUnreachable(const QualityReport& report, const ClipSetup& setup, Warnings& warnings);

}  // namespace ikstream
