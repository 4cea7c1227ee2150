// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "convert/collider.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "convert/values.h"
#include "core/field_error.h"

namespace ikstream {
namespace {

Collider ToCollider(const v1::Collider& in) {
  Collider out;
  out.joint = in.joint();
  out.a = ToVec3(in.a());
  if (in.has_b()) out.b = ToVec3(in.b());
  out.radius = in.radius();
  out.skin = in.skin();
  out.ignored_by.assign(in.ignored_by().begin(), in.ignored_by().end());
  return out;
}

}  // namespace

absl::StatusOr<std::vector<Collider>> ToColliders(const v1::Rig& in, const Limits& limits) {
  if (absl::Status s = CheckCount(in.colliders_size(), limits.max_colliders, "colliders");
      !s.ok())
    return s;
  std::vector<Collider> out;
  out.reserve(in.colliders_size());
  for (int i = 0; i < in.colliders_size(); ++i) {
    // Each chain once at most, so that a list cannot grow without bound.
    if (absl::Status s =
            CheckCount(in.colliders(i).ignored_by_size(), in.chains_size(), "ignored_by");
        !s.ok())
      return Under(At("colliders", i), s);
    out.push_back(ToCollider(in.colliders(i)));
    if (absl::Status s =
            CheckCollider(out.back(), in.skeleton().joints_size(), in.chains_size());
        !s.ok())
      return Under(At("colliders", i), s);
  }
  return out;
}

}  // namespace ikstream
