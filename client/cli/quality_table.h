// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The before/after table of a clean-up, for people.
#pragma once

#include <string>

#include "ikstream/v1/cleanup.pb.h"

namespace ikstream::cli {

// One block per foot and one for the clip: figure, before, after, unit.
std::string QualityTable(const v1::QualityReport& report);

// One line for lists of many clips: slide, penetration and knee, before and after.
std::string QualityLine(const v1::QualityReport& report);

}  // namespace ikstream::cli
