// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Rays against triangles without cracks: a ray through an edge or a vertex that triangles share
// hits at least one of them. Method: Woop, Benthin, Wald, "Watertight Ray/Triangle
// Intersection" (JCGT 2013). The sign of an edge function is the same number, negated, for both
// triangles of an edge, which holds only while the compiler keeps the operations as written
// (-ffp-contract=off).
// Double precision, any consistent unit of length. Pure and thread-safe.
#pragma once

#include <array>
#include <limits>
#include <optional>

#include "core/math.h"

namespace ikstream {

struct Ray {
  Vec3d origin;
  Vec3d direction;  // unit
  double length = 0;
};

struct RayHit {
  double distance = std::numeric_limits<double>::infinity();
  Vec3d normal;  // unit, against the ray
};

constexpr std::array<double, 3> Components(Vec3d v) { return {v.x, v.y, v.z}; }

// A ray made ready for many triangles: its longest axis becomes z, and space is sheared so that
// the ray runs along it.
class TriangleRay {
 public:
  explicit TriangleRay(const Ray& ray);

  // The distance at which the ray meets the front of a triangle: the side from which its
  // corners run counter-clockwise. Edges and corners belong to it. None: missed, met from
  // behind, edge-on, or outside [0, length].
  std::optional<double> Hit(Vec3d a, Vec3d b, Vec3d c) const;

 private:
  Vec3d Shear(Vec3d p) const;

  Vec3d origin_;
  double length_;
  int kx_, ky_, kz_;
  double sx_, sy_, sz_;
};

}  // namespace ikstream
