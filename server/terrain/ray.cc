// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "terrain/ray.h"

#include <utility>

namespace ikstream {

TriangleRay::TriangleRay(const Ray& ray) : origin_(ray.origin), length_(ray.length) {
  const std::array<double, 3> d = Components(ray.direction);
  kz_ = 0;
  for (int k = 1; k < 3; ++k)
    if (std::abs(d[k]) > std::abs(d[kz_])) kz_ = k;
  kx_ = (kz_ + 1) % 3;
  ky_ = (kz_ + 2) % 3;
  // Keeps the winding of triangles as the ray sees them.
  if (d[kz_] < 0) std::swap(kx_, ky_);
  sx_ = d[kx_] / d[kz_];
  sy_ = d[ky_] / d[kz_];
  sz_ = 1 / d[kz_];
}

Vec3d TriangleRay::Shear(Vec3d p) const {
  const std::array<double, 3> q = Components(p - origin_);
  return {q[kx_] - sx_ * q[kz_], q[ky_] - sy_ * q[kz_], sz_ * q[kz_]};
}

std::optional<double> TriangleRay::Hit(Vec3d a, Vec3d b, Vec3d c) const {
  const Vec3d p = Shear(a), q = Shear(b), r = Shear(c);
  const double u = r.x * q.y - r.y * q.x;
  const double v = p.x * r.y - p.y * r.x;
  const double w = q.x * p.y - q.y * p.x;
  if (!(u >= 0 && v >= 0 && w >= 0)) return std::nullopt;
  const double sum = u + v + w;
  if (!(sum > 0)) return std::nullopt;
  const double distance = (u * p.z + v * q.z + w * r.z) / sum;
  if (!(distance >= 0 && distance <= length_)) return std::nullopt;
  return distance;
}

}  // namespace ikstream
