// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The ground under a foot: one vertical ray, or a disc of the sole's size, which is steadier on
// rough ground. Source of the distances: server/terrain/README.md.
//
// Thread-safe.
#pragma once

#include <memory>
#include <optional>

#include "terrain/terrain.h"

namespace ikstream {

// How far from the sole ground is looked for, and how far it may be. Metres.
struct GroundRange {
  double ray_above = 0.50;
  double ray_below = 0.65;
  // A hit farther up hit something else than ground; farther down there is none.
  double max_up = 0.45;
  double max_down = 0.60;
};

class Ground {
 public:
  // REQUIRES: `terrain` is not null, units_per_metre > 0.
  Ground(std::shared_ptr<const Terrain> terrain, double units_per_metre,
         const GroundRange& range = {});

  // The ground under `sole`, a point of the sole in the space of root_positions. `radius`, rig
  // units, is that of the disc about it that is averaged; 0: one ray. The hit lies on the
  // vertical through `sole`. None: there is no ground, or it is out of range.
  std::optional<GroundHit> Query(const PlatformPoses& platforms, Vec3d sole,
                                 double radius = 0) const;

  const Terrain& terrain() const { return *terrain_; }

 private:
  std::optional<GroundHit> HitAt(const PlatformPoses& platforms, Vec3d sole) const;
  std::optional<GroundHit> HitDisc(const PlatformPoses& platforms, Vec3d sole,
                                   double radius) const;

  std::shared_ptr<const Terrain> terrain_;
  Vec3d up_;
  GroundRange range_;  // rig units
};

// Whether a hit under or over `sole` may be ground. `range` in rig units.
bool InRange(const GroundRange& range, Vec3d up, Vec3d sole, Vec3d hit);

// `range` in rig units.
GroundRange Scaled(const GroundRange& range, double units_per_metre);

}  // namespace ikstream
