// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// From one foot's track to its part of the plan: sole offsets, contacts, anchors.
#pragma once

#include <string>
#include <vector>

#include "motion/foot_track.h"
#include "motion/plan.h"

namespace ikstream {

struct DetectInput {
  const ClipSpec* clip = nullptr;
  const CleanupSettings* settings = nullptr;  // complete
  const GroundQuery* fitted = nullptr;        // the floor, where the caller brings no ground
  const GroundQuery* callers = nullptr;       // whose platforms the track names
  bool trusted_ground = false;  // terrain or samples or a floor that the caller gave
  std::int64_t first = 0;       // frames of the track before it are left out
  int foot = 0;
  // AUTO may take contacts by height alone: no foot of the body stands for long by its speed.
  bool may_take_height = true;
  // Given by the caller or fixed in an earlier plan; they win over what is found.
  std::vector<ContactInterval> fixed;
};

struct Sole;  // motion/soles.h

// The share of frames in which the foot is planted by speed and height.
double StandingShare(const FootTrack& track, const DetectInput& input, const Sole& sole);
// Below this a foot hardly ever stands.
inline constexpr double kLowStandingShare = 0.15;

// All of FootPlan but the knee's and the reach's statistics.
FootPlan DetectFoot(const FootTrack& track, const DetectInput& input, const Sole& sole);

}  // namespace ikstream
