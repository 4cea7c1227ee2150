// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Ground from a file: ikstream.v1.Terrain as JSON, or a Wavefront OBJ mesh.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "ikstream/v1/terrain.pb.h"

namespace ikstream::cli {

// By the name's ending: .obj or JSON. In the clip's units and axes; nothing is scaled.
absl::StatusOr<v1::Terrain> ReadTerrain(const std::string& path);

}  // namespace ikstream::cli
