// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Where a planted foot stands, and where a contact that slides away is cut. Pure functions.
#pragma once

#include <vector>

#include "motion/contacts.h"
#include "motion/foot_detect.h"

namespace ikstream {

// Whether a run is too short for a contact: half the length is enough where the clip's end cuts
// it off.
bool TooShort(const Run& run, const FootTrack& track, const DetectInput& input);

// Whether the point of a run (indices of the track) leaves the split radius.
bool LeavesItsPlace(const FootTrack& track, const Run& run, const DetectInput& input);

// Cuts a run where its point leaves the split radius: at the place that
// divides it best into two that stand, with a gap for the step between. Parts shorter than the
// shortest contact are dropped.
std::vector<Run> SplitWhereItLeaves(const FootTrack& track, const Run& run,
                                    const DetectInput& input);

// Fills the anchors of an interval that have no position, one anchor where it has none.
void FillAnchors(const FootTrack& track, const DetectInput& input, const FootPlan& plan,
                 ContactInterval& interval);

}  // namespace ikstream
