// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Setup.rig.terrain -> Terrain, checked. Thread-safe.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "convert/limits.h"
#include "convert/warnings.h"
#include "ikstream/v1/terrain.pb.h"
#include "terrain/terrain.h"

namespace ikstream {

// Field paths are relative to the message (`meshes[0].triangles[7]`); warnings' paths start at
// `setup.rig.terrain`.
absl::StatusOr<std::shared_ptr<const Terrain>> ToTerrain(const v1::Terrain& in, UpAxis up,
                                                         const Limits& limits,
                                                         Warnings& warnings);

}  // namespace ikstream
