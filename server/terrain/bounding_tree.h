// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// A tree of boxes over the triangles of a mesh, so that a ray looks at few of them. Built by
// binned surface-area splits (Wald 2007); below a fixed depth by halves, so that the depth, and
// with it the traversal's stack, is bounded whatever the mesh. Corners are floats, and so are
// the boxes: they bound exactly.
//
// Immutable after Build; any number of threads may read it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "terrain/ray.h"

namespace ikstream {

class BoundingTree {
 public:
  // `triangles` holds three indices into `vertices` each; checked by the caller. At most
  // 2^30 triangles. Takes a copy of the triangles, in its own order.
  void Build(std::vector<Vec3f> vertices, std::vector<std::array<std::int32_t, 3>> triangles);

  // The nearest triangle whose front the ray meets.
  std::optional<RayHit> FirstHit(const Ray& ray) const;

  std::span<const std::array<std::int32_t, 3>> triangles() const { return triangles_; }
  std::span<const Vec3f> vertices() const { return vertices_; }
  int depth() const { return depth_; }

 private:
  struct Box {
    std::array<float, 3> lo, hi;
  };
  // A leaf where count > 0: triangles first .. first + count. Else the children are first and
  // first + 1.
  struct Node {
    Box box;
    std::int32_t first = 0;
    std::int32_t count = 0;
  };
  struct Builder;
  struct BoxRay;

  std::array<Vec3d, 3> Corners(int triangle) const;

  std::vector<Vec3f> vertices_;
  std::vector<std::array<std::int32_t, 3>> triangles_;
  std::vector<Node> nodes_;
  int depth_ = 0;
};

}  // namespace ikstream
