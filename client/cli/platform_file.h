// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Where moving platforms are, from a file: ikstream.v1.Motion as JSON with `platforms` alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ikstream/v1/motion.pb.h"

namespace ikstream::cli {

// In the clip's units and axes. Errors name the file and the field.
absl::StatusOr<std::vector<v1::PlatformTrack>> ReadPlatforms(const std::string& path);
// The same from text; `name` is for messages.
absl::StatusOr<std::vector<v1::PlatformTrack>> ParsePlatforms(const std::string& text,
                                                              const std::string& name);

// OK where each track holds values for one frame or for `frames`, those of the clip.
absl::Status CheckPlatforms(const std::vector<v1::PlatformTrack>& tracks, std::int64_t frames);

// Puts the tracks of frames [begin, end) of the clip into a batch. REQUIRES: CheckPlatforms
// found no fault.
void AddPlatforms(const std::vector<v1::PlatformTrack>& tracks, std::int64_t begin,
                  std::int64_t end, v1::Motion& motion);

}  // namespace ikstream::cli
