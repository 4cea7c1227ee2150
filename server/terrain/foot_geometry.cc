// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "terrain/foot_geometry.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "core/field_error.h"
#include "terrain/arcs.h"

namespace ikstream {
namespace {

// A rest pose whose knee is off the hip-ankle line by less than this share of the leg says
// nothing of the bend.
constexpr double kBentAtRest = 0.02;

ModelPose RestPose(const Skeleton& skeleton) {
  std::vector<float> rotations(4 * static_cast<size_t>(skeleton.size()));
  for (int i = 0; i < skeleton.size(); ++i) Store(skeleton.joint(i).rest, &rotations[4 * i]);
  const float origin[3] = {0, 0, 0};
  ModelPose pose;
  ForwardKinematics(skeleton, {origin, rotations.data(), nullptr}, {}, pose);
  return pose;
}

absl::Status CheckJoint(absl::string_view field, int joint, int count) {
  if (joint >= 0 && joint < count) return absl::OkStatus();
  return FieldError(field, absl::StrCat(joint, " is out of range [0, ", count, ")"));
}

absl::Status CheckFoot(const Skeleton& skeleton, const PlaceFoot& foot) {
  const int count = skeleton.size();
  for (const absl::Status& status :
       {CheckJoint("hip_joint", foot.hip_joint, count),
        CheckJoint("ankle_joint", foot.ankle_joint, count),
        CheckJoint("knee_joint", foot.knee_joint.value_or(0), count),
        CheckJoint("toe_joint", foot.toe_joint.value_or(0), count)})
    if (!status.ok()) return status;
  if (foot.sole_normal) {
    const Vec3d n = Cast<double>(*foot.sole_normal);
    if (!std::isfinite(Dot(n, n))) return FieldError("sole_normal", "is not finite");
    if (!(Length(n) > 1e-20)) return FieldError("sole_normal", "is zero");
  }
  if (!(std::isfinite(foot.sole_radius_m) && foot.sole_radius_m >= 0))
    return FieldError("sole_radius_m", "must be finite and not below 0");
  if (foot.sole_offset && !std::isfinite(*foot.sole_offset))
    return FieldError("sole_offset", "is not finite");
  return absl::OkStatus();
}

absl::Status FindPaths(const Skeleton& skeleton, const PlaceFoot& foot, FootGeometry& out) {
  out.leg = skeleton.Path(foot.hip_joint, foot.ankle_joint);
  if (out.leg.size() < 2)
    return FieldError("ankle_joint",
                      absl::StrCat("joint ", foot.ankle_joint,
                                   " is no descendant of the hip joint ", foot.hip_joint));
  if (foot.knee_joint) {
    const auto at = std::find(out.leg.begin(), out.leg.end(), *foot.knee_joint);
    if (at == out.leg.begin() || at >= out.leg.end() - 1)
      return FieldError("knee_joint", "is not between hip and ankle");
    out.knee = *foot.knee_joint;
  } else if (out.leg.size() > 2) {
    out.knee = out.leg[out.leg.size() / 2];
  }
  if (!foot.toe_joint) return absl::OkStatus();
  out.toe = *foot.toe_joint;
  out.turns_toe = true;
  if (skeleton.Path(foot.ankle_joint, out.toe).size() < 2)
    return FieldError("toe_joint",
                      absl::StrCat("joint ", out.toe, " is no descendant of the ankle joint ",
                                   foot.ankle_joint));
  return absl::OkStatus();
}

// The sole is the plane through the lowest of the foot's points in the rest pose.
void MeasureSole(const Skeleton& skeleton, const ModelPose& rest, const PlaceFoot& foot,
                 Vec3d up, FootGeometry& out) {
  const int ankle = out.ankle();
  const Quatd q = rest.rotations[ankle];
  out.sole_normal = foot.sole_normal ? NormalizedOr(Cast<double>(*foot.sole_normal), up)
                                     : Rotate(Conjugate(q), up);
  const Vec3d sole = Rotate(q, out.sole_normal), heel = rest.positions[ankle];
  const auto tip_of = [&](int joint) -> std::optional<Vec3d> {
    if (joint < 0 || !skeleton.joint(joint).tip) return std::nullopt;
    return rest.positions[joint] +
           Rotate(rest.rotations[joint], Cast<double>(*skeleton.joint(joint).tip));
  };
  std::optional<Vec3d> toe_point = tip_of(ankle);
  if (out.toe >= 0) {
    toe_point = rest.positions[out.toe];
    out.toe_normal = Rotate(Conjugate(rest.rotations[out.toe]), sole);
  } else if (toe_point) {
    out.tip = Cast<double>(*skeleton.joint(ankle).tip);
  }
  out.has_toe_point = toe_point && Length(*toe_point - heel) > 1e-6 * out.length;
  double offset = 0;
  for (const auto& p : {toe_point, tip_of(out.toe)})
    if (p) offset = std::max(offset, Dot(heel - *p, sole));
  if (foot.sole_offset) offset = *foot.sole_offset;
  out.heel_offset = offset;
  if (toe_point) out.toe_offset = offset - Dot(heel - *toe_point, sole);
}

// Where the knee points: its bend at rest, else the foot's direction, else the rig's front.
Vec3d KneeForward(const ModelPose& rest, const FootGeometry& foot, Vec3d up) {
  const Vec3d hip = rest.positions[foot.hip()], ankle = rest.positions[foot.ankle()];
  const Vec3d line = NormalizedOr(ankle - hip, -up);
  const auto across = [&](Vec3d v) { return v - line * Dot(v, line); };
  std::vector<Vec3d> candidates;
  if (foot.knee >= 0) {
    const Vec3d bend = across(rest.positions[foot.knee] - hip);
    if (Length(bend) > kBentAtRest * foot.length) candidates.push_back(bend);
  }
  if (foot.toe >= 0) candidates.push_back(across(rest.positions[foot.toe] - ankle));
  candidates.push_back(across(Rotate(rest.rotations[foot.ankle()], foot.tip)));
  candidates.push_back(across(up.y > 0 ? Vec3d{0, 0, 1} : Vec3d{0, -1, 0}) * foot.length);
  for (const Vec3d& v : candidates)
    if (Length(v) > 1e-3 * foot.length)
      return Rotate(Conjugate(rest.rotations[foot.hip()]), NormalizedOr(v, up));
  return Rotate(Conjugate(rest.rotations[foot.hip()]), AnyOrthogonal(line));
}

}  // namespace

absl::StatusOr<FootGeometry> MeasureFoot(const Skeleton& skeleton, const PlaceFoot& foot,
                                         UpAxis up) {
  if (absl::Status status = CheckFoot(skeleton, foot); !status.ok()) return status;
  FootGeometry out;
  if (absl::Status status = FindPaths(skeleton, foot, out); !status.ok()) return status;
  const ModelPose rest = RestPose(skeleton);
  for (size_t k = 1; k < out.leg.size(); ++k)
    out.length += Length(rest.positions[out.leg[k]] - rest.positions[out.leg[k - 1]]);
  if (!(out.length > 0 && std::isfinite(out.length)))
    return FieldError("ankle_joint", "the leg has no length");
  MeasureSole(skeleton, rest, foot, UpVector(up), out);
  out.knee_forward = KneeForward(rest, out, UpVector(up));
  return out;
}

int PelvisJoint(const Skeleton& skeleton, const std::vector<FootGeometry>& feet,
                const std::vector<int>& translated) {
  std::vector<int> common = skeleton.Path(skeleton.root(), feet[0].hip());
  if (feet.size() == 1 && common.size() > 1) common.pop_back();
  for (const FootGeometry& foot : feet) {
    const std::vector<int> path = skeleton.Path(skeleton.root(), foot.hip());
    size_t same = 0;
    while (same < std::min(path.size(), common.size()) && path[same] == common[same]) ++same;
    common.resize(same);
  }
  while (common.size() > 1 &&
         std::find(translated.begin(), translated.end(), common.back()) == translated.end())
    common.pop_back();
  return common.back();
}

}  // namespace ikstream
