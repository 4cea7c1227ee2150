// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// How high the points of a foot are over the ground while it stands flat on it.
#pragma once

#include <span>
#include <vector>

#include "motion/foot_detect.h"

namespace ikstream {

// Sole offsets, rig units along the ground's normal.
struct Sole {
  double offset[kFootPoints] = {};
  bool raised = false;  // the clip had sunk into ground that is trusted
};

// One per foot: the 2nd percentile of each point's height while it is slow. That would take a
// foot that sinks for one with a thin sole. So, where the ground is trusted and a joint of a
// standing foot would be less than 5 mm above it, the 99.9th percentile is taken instead, over
// all feet of the same size; the points keep their heights among each other. On a slope a body
// that slides seems to sink or to float, too: over terrain that rests, heights are those at the
// place where the foot would stand had the body not slid (motion/drift.h).
std::vector<Sole> FindSoles(std::span<const FootTrack> tracks,
                            std::span<const DetectInput> inputs);

}  // namespace ikstream
