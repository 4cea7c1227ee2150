// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// A picture of what a clean-up did to the feet: height and speed over time, before and after,
// with contacts shaded. SVG, without scripts or outside fonts.
#pragma once

#include <cstdint>
#include <string>

#include "cli/foot_tracks.h"
#include "ikstream/cli/report.pb.h"

namespace ikstream::cli {

// `first_frame` is the clip's frame that the plan's frame 0 is.
std::string FootPlot(const FootTracks& tracks, const v1::Plan& plan, const CleanReport& report,
                     std::int64_t first_frame);

}  // namespace ikstream::cli
