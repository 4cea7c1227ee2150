// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/bounds.h"

#include <algorithm>
#include <numbers>

#include "absl/strings/str_cat.h"
#include "core/field_error.h"

namespace ikstream {
namespace {

constexpr double kPi = std::numbers::pi;
// What rounding may add to an angle that means pi.
constexpr double kSlack = 1e-5;

bool Finite(Vec3f v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

absl::StatusOr<Vec3f> UnitAxis(Vec3f v, absl::string_view field) {
  if (!Finite(v)) return FieldError(field, "is not finite");
  const Vec3d d = Cast<double>(v);
  if (Length(d) < 1e-12) return FieldError(field, "has no length: give a direction");
  return Cast<float>(d / Length(d));
}

absl::Status CheckRange(double min, double max, double lowest, double highest,
                        absl::string_view min_field, absl::string_view max_field) {
  if (!(min >= lowest - kSlack && min <= highest + kSlack))
    return FieldError(min_field,
                      absl::StrCat(min, " is out of range [", lowest, ", ", highest, "]"));
  if (!(max >= lowest - kSlack && max <= highest + kSlack))
    return FieldError(max_field,
                      absl::StrCat(max, " is out of range [", lowest, ", ", highest, "]"));
  if (max < min) return FieldError(max_field, absl::StrCat(max, " is below the minimum ", min));
  return absl::OkStatus();
}

TurnRange MakeRange(double min, double max) {
  const double centre = (min + max) / 2, half = std::min((max - min) / 2, kPi);
  TurnRange range;
  range.free = half > kPi - kSlack;
  if (range.free) return range;
  range.centre_sin = static_cast<float>(std::sin(centre / 2));
  range.centre_cos = static_cast<float>(std::cos(centre / 2));
  range.half_sin = static_cast<float>(std::sin(half / 2));
  range.half_cos = static_cast<float>(std::cos(half / 2));
  return range;
}

absl::Status Fill(const HingeLimit& limit, Vec3f, JointBound& out) {
  const auto axis = UnitAxis(limit.axis, "axis");
  if (!axis.ok()) return axis.status();
  out.kind = JointBound::Kind::kHinge;
  out.axis = *axis;
  out.turn = MakeRange(limit.min, limit.max);
  return CheckRange(limit.min, limit.max, -2 * kPi, 2 * kPi, "min", "max");
}

// The rig axis (X, Y, Z) that lies least along v.
Vec3f LeastAxis(Vec3f v) {
  const float x = std::abs(v.x), y = std::abs(v.y), z = std::abs(v.z);
  if (x <= y && x <= z) return {1, 0, 0};
  return y <= z ? Vec3f{0, 1, 0} : Vec3f{0, 0, 1};
}

absl::Status FillSwingAxes(const SwingTwistLimit& limit, JointBound& out) {
  Vec3f along = limit.swing_axis.value_or(LeastAxis(out.axis));
  if (!Finite(along)) return FieldError("swing_axis", "is not finite");
  along = along - out.axis * Dot(along, out.axis);
  const auto u = UnitAxis(along, "swing_axis");
  if (!u.ok() || Length(along) < 1e-4f * std::max(1e-6f, Length(*u)))
    return FieldError("swing_axis", "is parallel to twist_axis or has no length");
  out.swing_u = *u;
  out.swing_v = Cross(out.axis, *u);
  return absl::OkStatus();
}

absl::Status Fill(const SwingTwistLimit& limit, Vec3f bone, JointBound& out) {
  if (!limit.twist_axis && Length(bone) < 1e-12f)
    return FieldError("twist_axis", "is needed where the joint has no bone to take it from");
  const auto axis = UnitAxis(limit.twist_axis.value_or(bone), "twist_axis");
  if (!axis.ok()) return axis.status();
  out.kind = JointBound::Kind::kSwingTwist;
  out.axis = *axis;
  if (auto status = FillSwingAxes(limit, out); !status.ok()) return status;
  if (auto s = CheckRange(0, limit.swing_x, 0, kPi, "swing_x", "swing_x"); !s.ok()) return s;
  if (auto s = CheckRange(0, limit.swing_y, 0, kPi, "swing_y", "swing_y"); !s.ok()) return s;
  out.round = limit.swing_x == limit.swing_y;
  out.cone_sin = static_cast<float>(std::sin(std::min<double>(limit.swing_x, kPi) / 2));
  out.cone_cos = static_cast<float>(std::cos(std::min<double>(limit.swing_x, kPi) / 2));
  out.swing_x = limit.swing_x;
  out.swing_y = limit.swing_y;
  out.turn = MakeRange(limit.twist_min, limit.twist_max);
  return CheckRange(limit.twist_min, limit.twist_max, -kPi, kPi, "twist_min", "twist_max");
}

absl::Status Fill(const EulerLimit& limit, Vec3f, JointBound& out) {
  out.kind = JointBound::Kind::kEuler;
  out.euler_min = limit.min;
  out.euler_max = limit.max;
  const float lows[] = {limit.min.x, limit.min.y, limit.min.z};
  const float highs[] = {limit.max.x, limit.max.y, limit.max.z};
  const char* names[] = {"x", "y", "z"};
  for (int i = 0; i < 3; ++i)
    if (auto s = CheckRange(lows[i], highs[i], -2 * kPi, 2 * kPi,
                            absl::StrCat("min.", names[i]), absl::StrCat("max.", names[i]));
        !s.ok())
      return s;
  return absl::OkStatus();
}

absl::Status Fill(std::monostate, Vec3f, JointBound&) { return absl::OkStatus(); }

}  // namespace

absl::StatusOr<JointBound> MakeBound(const JointLimit& limit, Quatf rest, Vec3f bone) {
  JointBound out;
  out.rest = rest;
  out.rest_is_identity = rest == Quatf{0, 0, 0, 1};
  absl::Status status =
      std::visit([&](const auto& kind) { return Fill(kind, bone, out); }, limit);
  if (!status.ok()) return status;
  out.parent_axis = Cast<float>(Rotate(Cast<double>(rest), Cast<double>(out.axis)));
  return out;
}

namespace {

constexpr double kEdge = 1e-3;

// Whether a unit turn (sine and cosine of its half angle) stands at an end of the range.
bool AtEnd(const TurnRange& range, double sine, double cosine) {
  if (range.free) return false;
  const double s = sine * range.centre_cos - cosine * range.centre_sin;
  const double c = cosine * range.centre_cos + sine * range.centre_sin;
  const double angle = 2 * std::atan2(std::abs(s), std::abs(c));
  return angle > 2 * std::atan2(range.half_sin, range.half_cos) - kEdge;
}

bool AtCone(const JointBound& bound, Quatd swing) {
  const Vec3d s{swing.x, swing.y, swing.z};
  const double n = Length(s), angle = 2 * std::atan2(n, std::abs(swing.w));
  if (n < 1e-9) return std::max(bound.swing_x, bound.swing_y) < kEdge;
  const double u = angle * Dot(s, Cast<double>(bound.swing_u)) / n;
  const double v = angle * Dot(s, Cast<double>(bound.swing_v)) / n;
  const double x = std::max(1e-5, bound.swing_x - kEdge),
               y = std::max(1e-5, bound.swing_y - kEdge);
  return u * u / (x * x) + v * v / (y * y) > 1;
}

bool AtAngle(double sine, double cosine, double min, double max) {
  const double angle = std::remainder(std::atan2(sine, cosine) - (min + max) / 2, 2 * kPi);
  return std::abs(angle) > (max - min) / 2 - kEdge;
}

bool AtEuler(const JointBound& b, Quatd d) {
  const double sy = std::clamp(2 * (d.w * d.y - d.x * d.z), -1.0, 1.0);
  return AtAngle(2 * (d.w * d.x + d.y * d.z), 1 - 2 * (d.x * d.x + d.y * d.y), b.euler_min.x,
                 b.euler_max.x) ||
         AtAngle(sy, std::sqrt(1 - sy * sy), b.euler_min.y, b.euler_max.y) ||
         AtAngle(2 * (d.w * d.z + d.x * d.y), 1 - 2 * (d.y * d.y + d.z * d.z), b.euler_min.z,
                 b.euler_max.z);
}

}  // namespace

bool AtLimit(const JointBound& bound, Quatf local) {
  if (bound.kind == JointBound::Kind::kFree) return false;
  const Quatd d = Normalized(Conjugate(Cast<double>(bound.rest)) * Cast<double>(local));
  if (bound.kind == JointBound::Kind::kEuler) return AtEuler(bound, d);
  const Vec3d axis = Cast<double>(bound.axis);
  const double t = Dot(Vec3d{d.x, d.y, d.z}, axis), n = std::max(1e-12, std::hypot(t, d.w));
  if (AtEnd(bound.turn, t / n, d.w / n)) return true;
  if (bound.kind == JointBound::Kind::kHinge) return false;
  const Quatd twist{axis.x * t / n, axis.y * t / n, axis.z * t / n, d.w / n};
  return AtCone(bound, d * Conjugate(twist));
}

}  // namespace ikstream
