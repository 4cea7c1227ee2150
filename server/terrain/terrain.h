// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Ground that rays can be asked of: planes, height fields and triangle meshes, at rest or on
// platforms. Surfaces on a platform are asked in the platform's frame, so that moving one costs
// nothing. Space and units are those of root_positions.
//
// Immutable after Create; any number of threads may read it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "terrain/bounding_tree.h"
#include "terrain/ground_hit.h"
#include "terrain/height_field.h"
#include "terrain/platforms.h"
#include "terrain/ray.h"
#include "terrain/terrain_spec.h"

namespace ikstream {

class Terrain {
 public:
  // Errors: those of CheckTerrain. `warnings`, where not null, is told of zero normals,
  // triangles without area (they are left out), and surfaces that face down. Time:
  // n log n in the triangles, about a second per million.
  static absl::StatusOr<std::shared_ptr<const Terrain>> Create(
      TerrainSpec spec, UpAxis up, const TerrainLimits& limits = {},
      std::vector<TerrainWarning>* warnings = nullptr);

  // Ids of the platforms that carry surfaces, each once, in the order of their first use.
  std::span<const std::string> platforms() const { return platforms_; }
  UpAxis up() const { return up_; }

  // The first surface that the ray meets from its front: going down, the highest. A surface
  // whose platform has no pose in `platforms` is not there.
  std::optional<GroundHit> FirstHit(const Ray& ray, const PlatformPoses& platforms) const;

 private:
  struct Plane {
    Vec3d point, normal;
    std::optional<RayHit> FirstHit(const Ray& ray) const;
  };
  struct Surface {
    std::variant<Plane, HeightField, BoundingTree> shape;
    int platform = -1;
  };

  explicit Terrain(UpAxis up) : up_(up) {}
  void AddPlane(const PlaneSpec& spec, size_t index, std::vector<TerrainWarning>& warnings);
  void AddMesh(const TriangleMeshSpec& spec, size_t index,
               std::vector<TerrainWarning>& warnings);
  int PlatformOf(const std::string& id);

  std::vector<Surface> surfaces_;
  std::vector<std::string> platforms_;
  UpAxis up_;
};

}  // namespace ikstream
