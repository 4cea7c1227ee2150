// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/plane.h"

#include <cmath>
#include <variant>

#include "absl/strings/str_cat.h"
#include "core/field_error.h"
#include "core/rig.h"

namespace ikstream {
namespace {

// How far a hinge's axis may lean from the normal: what single precision makes of an axis that
// a caller has turned into the joint's frame.
constexpr double kLean = 1e-3;

Plane MakePlane(Vec3d normal) {
  const double x = std::abs(normal.x), y = std::abs(normal.y), z = std::abs(normal.z);
  // Looked at along -Z (or the axis it leans to most) the plane's axes are the world's.
  Vec3d along = z >= x && z >= y ? Vec3d{1, 0, 0} : y >= x ? Vec3d{0, 0, 1} : Vec3d{0, 1, 0};
  along -= normal * Dot(normal, along);
  along = along / Length(along);
  Plane plane;
  plane.normal = Cast<float>(normal);
  plane.x = Cast<float>(along);
  plane.y = Cast<float>(Cross(normal, along));
  return plane;
}

// The bound of a joint about `axis`, the normal seen from its rest frame.
absl::StatusOr<JointBound> AboutNormal(const JointLimit& limit, Quatf rest, Vec3d axis) {
  const auto* hinge = std::get_if<HingeLimit>(&limit);
  if (hinge == nullptr)
    return FieldError(
        "kind", "a joint of a planar chain is limited by a hinge about the plane's normal");
  const Vec3d given = NormalizedOr(Cast<double>(hinge->axis), Vec3d{});
  if (Length(Cross(given, axis)) > kLean)
    return FieldError("axis", "is not the normal of the planar chain, seen from the rest pose");
  const bool same = Dot(given, axis) > 0;
  return MakeBound(HingeLimit{Cast<float>(axis), same ? hinge->min : -hinge->max,
                              same ? hinge->max : -hinge->min},
                   rest, {});
}

}  // namespace

absl::Status BuildPlane(const Rig& rig, Chain& chain) {
  if (!chain.spec.plane_normal) return absl::OkStatus();
  const Vec3d given = Cast<double>(*chain.spec.plane_normal);
  if (!(std::isfinite(Length(given)) && Length(given) > 1e-12))
    return FieldError("plane_normal", "is not finite or has no length: give a direction");
  const Vec3d normal = given / Length(given);
  Plane plane = MakePlane(normal);
  plane.ranges.resize(chain.turned.size());
  double in_plane = 0;
  Quatd r;
  for (size_t k = 0; k < chain.turned.size(); ++k) {
    const int joint = chain.turned[k];
    const Quatf rest = rig.skeleton().joint(joint).rest;
    r = Normalized(r * Cast<double>(rest));
    if (k < chain.bones.size())
      in_plane += Length(Cross(Rotate(r, Cast<double>(chain.bones[k])), normal));
    if (chain.bounds[k].kind == JointBound::Kind::kFree) continue;
    const auto bound = AboutNormal(rig.limit(joint), rest, Rotate(Conjugate(r), normal));
    if (!bound.ok()) return Under(absl::StrCat("limits[", joint, "]"), bound.status());
    chain.bounds[k] = *bound;
    plane.ranges[k] = bound->turn;
  }
  if (in_plane < 1e-6 * chain.length)
    return FieldError("plane_normal", "lies along every bone of the chain: nothing can turn");
  chain.plane = std::move(plane);
  return absl::OkStatus();
}

}  // namespace ikstream
