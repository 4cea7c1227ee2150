// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The floor of a clip that comes without terrain, found from where its feet stand. Pure
// functions; lengths in rig units.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "motion/foot_track.h"
#include "motion/ground.h"
#include "motion/plan.h"

namespace ikstream {

// `settings` are complete (WithDefaults). Frames before `first` are left out (a reference
// pose). `tracks` hold at least one frame.
Floor FitFloor(std::span<const FootTrack> tracks, const ClipSpec& clip, std::int64_t first,
               const CleanupSettings& settings);

// The ground that a plan's floor describes; null where it is terrain or samples.
std::unique_ptr<GroundQuery> MakeGround(const Floor& floor, const ClipSpec& clip);

}  // namespace ikstream
