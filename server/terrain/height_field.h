// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// A height field that answers rays of any direction. Looks only at the cells under the ray.
// Immutable; any number of threads may read it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "terrain/ray.h"
#include "terrain/terrain_spec.h"

namespace ikstream {

class HeightField {
 public:
  // REQUIRES: CheckTerrain found no fault in `spec`.
  HeightField(HeightFieldSpec spec, UpAxis up);

  // The first place where the ray meets the surface from above. Cells marked as holes have no
  // ground; the border belongs to the field.
  std::optional<RayHit> FirstHit(const Ray& ray) const;

 private:
  // A ray in grid coordinates: i and j count cells, h is the height.
  struct GridRay {
    double i, j, h;
    double di, dj, dh;
    double begin, end;  // the distances between which it may meet the field
  };

  std::optional<GridRay> Clip(const Ray& ray) const;
  void HitStrip(const TriangleRay& tester, const GridRay& grid, int i, RayHit& best) const;
  void HitCell(const TriangleRay& tester, int i, int j, RayHit& best) const;
  Vec3d Vertex(int i, int j) const;

  HeightFieldSpec spec_;
  UpAxis up_;
  double lowest_ = 0, highest_ = 0;
};

}  // namespace ikstream
