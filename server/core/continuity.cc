// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/continuity.h"

#include <cmath>

namespace ikstream {

Quatf JointContinuity::Part(Quatf d, float w, Quatf input) {
  const Vec3f v{d.x, d.y, d.z};
  const float n = Length(v);
  const float half = std::atan2(n, d.w) * w;
  const Vec3f u = n > 1e-9f ? v * (std::sin(half) / n) : v * w;
  return Normalized(Quatf{u.x, u.y, u.z, std::cos(half)} * Normalized(input));
}

}  // namespace ikstream
