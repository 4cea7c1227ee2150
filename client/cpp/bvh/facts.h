// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// What a clip tells about its up axis and its unit. These are reports: nothing is turned or
// scaled by them, and a caller who knows better sets them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cpp/bvh/bvh.h"
#include "cpp/bvh/clip.h"

namespace ikstream::bvh {

enum class UpAxis : std::uint8_t { kUnclear, kY, kZ };
std::string_view UpAxisName(UpAxis up);  // "+Y", "+Z", "unclear"

struct RigFacts {
  UpAxis up = UpAxis::kUnclear;
  std::string why;        // one sentence
  double leg_length = 0;  // of the two longest bones of a leg, file units; 0: no legs found
  double hip_height = 0;  // median height of the legs' common joint over the lowest joint;
                          // 0 where up is unclear
};

// Looks for two chains of equal length under the joint nearest to the root that has such a
// pair (the legs), and at where they point in the animation and in the rest pose. A clip
// whose two answers differ (a body that lies) is decided by the animation only where its
// lowest joint stays near 0, as on a floor; else it is unclear. Reads the first
// kSampleRows rows. REQUIRES: the layout belongs to the header, the rows to both.
RigFacts MeasureRig(const Header& header, const ClipLayout& layout, const Rows& sample);

}  // namespace ikstream::bvh
