// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The ground of a clip, from files that are named or that lie beside it.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/clip_options.h"

namespace ikstream::cli {

// NAME.`what`.json beside NAME.bvh where it lies there, else "".
std::string FileBeside(const std::string& clip, const std::string& what);

// Read a file into the request. Errors name the file.
absl::Status LoadTerrain(const std::string& path, ClipRequest& request);
absl::Status LoadPlatforms(const std::string& path, ClipRequest& request);

// The request for one clip of a run: where no terrain was named, NAME.terrain.json beside the
// clip is its ground, and NAME.platforms.json is where that moves.
absl::StatusOr<ClipRequest> WithGroundBeside(ClipRequest request, const std::string& clip);

}  // namespace ikstream::cli
