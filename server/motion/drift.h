// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// How far a body has slid from where its clip began: what its standing feet slid, summed up.
#pragma once

#include <span>
#include <vector>

#include "motion/contacts.h"
#include "motion/foot_detect.h"

namespace ikstream {

// By frame of the track, rig units, across `up`; zero in the first frame. A foot counts in its
// runs of `standing` (one list per foot); where none stands, the body slides on as before and
// after.
std::vector<Vec3f> BodyDrift(std::span<const FootTrack> tracks,
                             std::span<const DetectInput> inputs,
                             std::span<const std::vector<Run>> standing);

}  // namespace ikstream
