// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "convert/joint_limit.h"

#include <numbers>

#include "absl/strings/str_cat.h"
#include "convert/values.h"
#include "core/field_error.h"

namespace ikstream {
namespace {

constexpr double kPi = std::numbers::pi;

absl::StatusOr<Vec3f> CheckAxis(const v1::Vec3& v, absl::string_view field) {
  auto axis = CheckVec3(v, field);
  if (axis.ok() && Length(*axis) < 1e-6f)
    return FieldError(field, "has zero length: an axis needs a direction");
  return axis;
}

absl::Status CheckOrder(double low, double high, absl::string_view field) {
  if (low <= high) return absl::OkStatus();
  return FieldError(field, absl::StrCat(high, " is below the minimum ", low));
}

absl::StatusOr<JointLimit> ToHinge(const v1::HingeLimit& in) {
  const auto axis = CheckAxis(in.axis(), "hinge.axis");
  if (!axis.ok()) return axis.status();
  absl::Status s = CheckRange(in.min_rad(), -2 * kPi, 2 * kPi, "hinge.min_rad");
  if (s.ok()) s = CheckRange(in.max_rad(), -2 * kPi, 2 * kPi, "hinge.max_rad");
  if (s.ok()) s = CheckOrder(in.min_rad(), in.max_rad(), "hinge.max_rad");
  if (!s.ok()) return s;
  return JointLimit(HingeLimit{*axis, in.min_rad(), in.max_rad()});
}

absl::Status CheckSwingTwistRanges(const v1::SwingTwistLimit& in) {
  // Single precision rounds pi up.
  const double half = kPi + 1e-6;
  absl::Status s = CheckRange(in.swing_x_rad(), 0, half, "swing_twist.swing_x_rad");
  if (s.ok()) s = CheckRange(in.swing_y_rad(), 0, half, "swing_twist.swing_y_rad");
  if (s.ok()) s = CheckRange(in.twist_min_rad(), -half, 0, "swing_twist.twist_min_rad");
  if (s.ok()) s = CheckRange(in.twist_max_rad(), 0, half, "swing_twist.twist_max_rad");
  return s;
}

absl::StatusOr<JointLimit> ToSwingTwist(const v1::SwingTwistLimit& in) {
  if (absl::Status s = CheckSwingTwistRanges(in); !s.ok()) return s;
  SwingTwistLimit out{
      {}, {}, in.swing_x_rad(), in.swing_y_rad(), in.twist_min_rad(), in.twist_max_rad()};
  if (in.has_twist_axis()) {
    const auto axis = CheckAxis(in.twist_axis(), "swing_twist.twist_axis");
    if (!axis.ok()) return axis.status();
    out.twist_axis = *axis;
  }
  if (in.has_swing_axis()) {
    const auto axis = CheckAxis(in.swing_axis(), "swing_twist.swing_axis");
    if (!axis.ok()) return axis.status();
    out.swing_axis = *axis;
  }
  return JointLimit(out);
}

absl::StatusOr<JointLimit> ToEuler(const v1::EulerLimit& in) {
  const auto min = CheckVec3(in.min_rad(), "euler.min_rad");
  if (!min.ok()) return min.status();
  const auto max = CheckVec3(in.max_rad(), "euler.max_rad");
  if (!max.ok()) return max.status();
  absl::Status s = CheckOrder(min->x, max->x, "euler.max_rad.x");
  if (s.ok()) s = CheckOrder(min->y, max->y, "euler.max_rad.y");
  if (s.ok()) s = CheckOrder(min->z, max->z, "euler.max_rad.z");
  if (!s.ok()) return s;
  return JointLimit(EulerLimit{*min, *max});
}

}  // namespace

absl::StatusOr<JointLimit> ToJointLimit(const v1::JointLimit& in) {
  switch (in.kind_case()) {
    case v1::JointLimit::kHinge:
      return ToHinge(in.hinge());
    case v1::JointLimit::kSwingTwist:
      return ToSwingTwist(in.swing_twist());
    case v1::JointLimit::kEuler:
      return ToEuler(in.euler());
    case v1::JointLimit::KIND_NOT_SET:
      break;
  }
  return FieldError("kind", "is not set: one of hinge, swing_twist, euler is needed");
}

}  // namespace ikstream
