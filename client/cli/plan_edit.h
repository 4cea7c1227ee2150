// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Makes a plan that a person edited fit together: intervals may stand in any order, and moving
// one need not move its anchors, too.
#pragma once

#include <string>
#include <vector>

#include "ikstream/v1/cleanup.pb.h"

namespace ikstream::cli {

// Sorts intervals by their begin. The first anchor of an interval holds from its begin on;
// anchors that are left outside are dropped, unless none would remain. Returns a line for each
// interval whose anchors were changed. What else is wrong is the engine's to tell.
std::vector<std::string> TidyPlan(v1::Plan& plan);

}  // namespace ikstream::cli
