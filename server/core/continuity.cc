// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/continuity.h"

#include <cmath>

namespace ikstream {
namespace {

// slerp(1, d, w): w of the whole turn of d, the long way where d.w < 0.
Quatf Part(Quatf d, float w) {
  const Vec3f v{d.x, d.y, d.z};
  const float n = Length(v);
  const float half = std::atan2(n, d.w) * w;
  const Vec3f u = n > 1e-9f ? v * (std::sin(half) / n) : v * w;
  return {u.x, u.y, u.z, std::cos(half)};
}

}  // namespace

Quatf JointContinuity::Blend(Quatf input, Quatf solved, float weight) {
  Quatf d = solved * Conjugate(input);
  if (active_ ? Dot(d, d_) < 0 : d.w < 0) d = -d, solved = -solved;
  if (d.w < -0.99f) d = -d, solved = -solved;
  Quatf answer = weight == 1 ? solved : Normalized(Part(d, weight) * input);
  if (active_ && Dot(answer, answer_) < 0) answer = -answer;
  d_ = d;
  answer_ = answer;
  active_ = true;
  return answer;
}

}  // namespace ikstream
