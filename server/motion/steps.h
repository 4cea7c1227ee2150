// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Anchors whose foot would stand in the riser of a higher step. A body that slid forward by
// some centimetres on a staircase has its toes in the next step: lifted onto it they would
// stand 17 cm too high; they are moved back out of it. Pure functions.
#pragma once

#include "motion/contacts.h"
#include "motion/foot_detect.h"

namespace ikstream {

// What is added to the anchor of a run (indices of the track) so that none of the foot's points
// is in a higher step while it stands, comes and leaves: the shortest way across `up`, and
// along it what the ground changes there. 0 where nothing is in a step, where nothing near
// helps, or where the ground cannot be asked at any time. `anchor`: where `point` of the flat
// foot stands.
Vec3d WayOutOfStep(const FootTrack& track, const DetectInput& input, const FootPlan& plan,
                   const Run& run, FootPoint point, Vec3d anchor);

}  // namespace ikstream
