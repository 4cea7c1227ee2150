// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "unit/core/reference.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ikstream {
namespace {

constexpr double kPi = std::numbers::pi;

double Wrap(double a) { return std::remainder(a, 2 * kPi); }

double OutsideRange(double a, double min, double max) {
  const double centre = (min + max) / 2, half = (max - min) / 2;
  return std::max(0.0, std::abs(Wrap(a - centre)) - half);
}

struct SwingTwist {
  Quatd swing;
  double twist;
};

SwingTwist Split(Quatd d, Vec3d axis) {
  const double t = Dot(Vec3d{d.x, d.y, d.z}, axis);
  const double n = std::hypot(t, d.w);
  if (n < 1e-12) return {d, 0};
  const Quatd twist{axis.x * t / n, axis.y * t / n, axis.z * t / n, d.w / n};
  return {d * Conjugate(twist), Wrap(2 * std::atan2(t, d.w))};
}

double Out(const HingeLimit& limit, Vec3d, Quatd d) {
  const Vec3d axis = NormalizedOr(Cast<double>(limit.axis), Vec3d{});
  const SwingTwist part = Split(d, axis);
  const double lean = 2 * std::atan2(Length(Vec3d{part.swing.x, part.swing.y, part.swing.z}),
                                     std::abs(part.swing.w));
  return std::max(lean, OutsideRange(part.twist, limit.min, limit.max));
}

double Out(const SwingTwistLimit& limit, Vec3d bone, Quatd d) {
  const Vec3d axis =
      NormalizedOr(limit.twist_axis ? Cast<double>(*limit.twist_axis) : bone, Vec3d{});
  const SwingTwist part = Split(d, axis);
  Vec3d u{1, 0, 0};
  if (limit.swing_axis) {
    u = Cast<double>(*limit.swing_axis);
  } else {
    const double x = std::abs(axis.x), y = std::abs(axis.y), z = std::abs(axis.z);
    u = x <= y && x <= z ? Vec3d{1, 0, 0} : y <= z ? Vec3d{0, 1, 0} : Vec3d{0, 0, 1};
  }
  u = NormalizedOr(u - axis * Dot(axis, u), Vec3d{});
  const Vec3d v = Cross(axis, u);
  const Vec3d s{part.swing.x, part.swing.y, part.swing.z};
  const double angle = 2 * std::atan2(Length(s), part.swing.w);
  const Vec3d turn = Length(s) > 0 ? s * (angle / Length(s)) : Vec3d{};
  const double pu = Dot(turn, u), pv = Dot(turn, v);
  // The least widening of the ellipse that takes the point in.
  double low = 0, high = 4;
  for (int i = 0; i < 60; ++i) {
    const double e = (low + high) / 2 + 1e-12;
    const double r = std::hypot(pu / (limit.swing_x + e), pv / (limit.swing_y + e));
    (r > 1 ? low : high) = (low + high) / 2;
  }
  const double swing = high;
  return std::max(swing, OutsideRange(part.twist, limit.twist_min, limit.twist_max));
}

double Out(const EulerLimit& limit, Vec3d, Quatd d) {
  const double sy = std::clamp(2 * (d.w * d.y - d.x * d.z), -1.0, 1.0);
  const double y = std::asin(sy);
  const double x = std::atan2(2 * (d.w * d.x + d.y * d.z), 1 - 2 * (d.x * d.x + d.y * d.y));
  const double z = std::atan2(2 * (d.w * d.z + d.x * d.y), 1 - 2 * (d.y * d.y + d.z * d.z));
  const auto worst = [&](double a, double b, double c) {
    return std::max({OutsideRange(a, limit.min.x, limit.max.x),
                     OutsideRange(b, limit.min.y, limit.max.y),
                     OutsideRange(c, limit.min.z, limit.max.z)});
  };
  return std::min(worst(x, y, z), worst(x + kPi, kPi - y, z + kPi));
}

double Out(std::monostate, Vec3d, Quatd) { return 0; }

}  // namespace

double Outside(const JointLimit& limit, Quatd rest, Vec3d bone, Quatd local) {
  const Quatd d = Normalized(Conjugate(rest) * local);
  return std::visit([&](const auto& kind) { return Out(kind, bone, d); }, limit);
}

}  // namespace ikstream
