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

// The nearest angle of the range, over whole turns.
double Nearest(double a, double min, double max) {
  const double centre = (min + max) / 2, half = (max - min) / 2;
  return centre + std::clamp(Wrap(a - centre), -half, half);
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

// The axes of a swing-twist limit, and a rotation seen from them.
struct Swing {
  Vec3d axis, u, v;
  double twist, pu, pv;  // radians; (pu, pv) is the swing's rotation vector
};

Swing SwingOf(const SwingTwistLimit& limit, Vec3d bone, Quatd d) {
  Swing at{};
  at.axis = NormalizedOr(limit.twist_axis ? Cast<double>(*limit.twist_axis) : bone, Vec3d{});
  const SwingTwist part = Split(d, at.axis);
  Vec3d u{1, 0, 0};
  if (limit.swing_axis) {
    u = Cast<double>(*limit.swing_axis);
  } else {
    const double x = std::abs(at.axis.x), y = std::abs(at.axis.y), z = std::abs(at.axis.z);
    u = x <= y && x <= z ? Vec3d{1, 0, 0} : y <= z ? Vec3d{0, 1, 0} : Vec3d{0, 0, 1};
  }
  at.u = NormalizedOr(u - at.axis * Dot(at.axis, u), Vec3d{});
  at.v = Cross(at.axis, at.u);
  const Vec3d s{part.swing.x, part.swing.y, part.swing.z};
  const double angle = 2 * std::atan2(Length(s), part.swing.w);
  const Vec3d turn = Length(s) > 0 ? s * (angle / Length(s)) : Vec3d{};
  at.twist = part.twist;
  at.pu = Dot(turn, at.u), at.pv = Dot(turn, at.v);
  return at;
}

// The point of the ellipse nearest to (u, v) outside: by halving the multiplier s of
// (x^2 u / (x^2 + s), y^2 v / (y^2 + s)).
void OntoEllipse(double x, double y, double& u, double& v) {
  x = std::max(x, 1e-9), y = std::max(y, 1e-9);
  double low = 0, high = 1e3;
  const auto point = [&](double s) {
    return Vec3d{x * x * u / (x * x + s), y * y * v / (y * y + s), 0};
  };
  for (int i = 0; i < 200; ++i) {
    const double s = (low + high) / 2;
    const Vec3d p = point(s);
    (std::hypot(p.x / x, p.y / y) > 1 ? low : high) = s;
  }
  const Vec3d p = point(high);
  u = p.x, v = p.y;
}

// The least widening of the ellipse that takes the point in.
double Widening(const SwingTwistLimit& limit, const Swing& at) {
  double low = 0, high = 4;
  for (int i = 0; i < 60; ++i) {
    const double e = (low + high) / 2 + 1e-12;
    const double r = std::hypot(at.pu / (limit.swing_x + e), at.pv / (limit.swing_y + e));
    (r > 1 ? low : high) = (low + high) / 2;
  }
  return high;
}

// The distance to the nearest swing that is allowed.
double Distance(const SwingTwistLimit& limit, const Swing& at) {
  const double x = std::max(1e-9, double{limit.swing_x}),
               y = std::max(1e-9, double{limit.swing_y});
  double u = at.pu, v = at.pv;
  if (std::hypot(u / x, v / y) > 1) OntoEllipse(x, y, u, v);
  return std::hypot(at.pu - u, at.pv - v);
}

// Half a turn of swing leaves no twist: turned further about the axis, it is half a turn about
// another one. What is out of the limit beside it (`left`: the cosine of half the swing) is
// what the twist that suits it best leaves out, if its own says nothing but the last digits of
// floats.
double OutBesideHalfATurn(const SwingTwistLimit& limit, const Swing& at, Quatd d, double left) {
  constexpr int kTwists = 64;
  const double angle = std::hypot(at.pu, at.pv);
  double best = 2 * kPi;
  for (int k = 0; k <= kTwists; ++k) {
    const double twist =
        limit.twist_min + (double{limit.twist_max} - limit.twist_min) * k / kTwists;
    const Quatd swing = d * Conjugate(FromAxisAngle(at.axis, twist));
    const Vec3d s{swing.x, swing.y, swing.z};
    const Vec3d turn = NormalizedOr(s - at.axis * Dot(s, at.axis), at.u) * angle;
    Swing other = at;
    other.pu = Dot(turn, at.u), other.pv = Dot(turn, at.v);
    const double off = std::abs(std::remainder(at.twist - twist, 2 * kPi));
    best = std::min(best, std::max(Widening(limit, other), left * off));
  }
  return best;
}

double Out(const SwingTwistLimit& limit, Vec3d bone, Quatd d) {
  const Swing at = SwingOf(limit, bone, d);
  // At the tip of an ellipse without width, its widening is the cube root of what rounding
  // leaves, and no measure.
  const bool thin = std::min(limit.swing_x, limit.swing_y) < 1e-6f;
  const double out = std::max(thin ? Distance(limit, at) : Widening(limit, at),
                              OutsideRange(at.twist, limit.twist_min, limit.twist_max));
  const double left = std::abs(std::cos(std::hypot(at.pu, at.pv) / 2));
  return left < 1e-3 ? std::min(out, OutBesideHalfATurn(limit, at, d, left)) : out;
}

// Angles of d = Rz Ry Rx with y within +-pi / 2; in gimbal lock x is 0, and z has the turn.
Vec3d AnglesOf(Quatd d) {
  const double sx = 2 * (d.w * d.x + d.y * d.z), cx = 1 - 2 * (d.x * d.x + d.y * d.y);
  const double sz = 2 * (d.w * d.z + d.x * d.y), cz = 1 - 2 * (d.y * d.y + d.z * d.z);
  const double y = std::atan2(2 * (d.w * d.y - d.x * d.z), std::hypot(sx, cx));
  if (std::hypot(sx, cx) > 1e-7) return {std::atan2(sx, cx), y, std::atan2(sz, cz)};
  return {0, y, std::atan2(2 * (d.w * d.z - d.x * d.y), 1 - 2 * (d.x * d.x + d.z * d.z))};
}

Quatd FromAngles(Vec3d a) {
  return FromAxisAngle(Vec3d{0, 0, 1}, a.z) * FromAxisAngle(Vec3d{0, 1, 0}, a.y) *
         FromAxisAngle(Vec3d{1, 0, 0}, a.x);
}

Vec3d Inside(const EulerLimit& limit, Vec3d a) {
  return {Nearest(a.x, limit.min.x, limit.max.x), Nearest(a.y, limit.min.y, limit.max.y),
          Nearest(a.z, limit.min.z, limit.max.z)};
}

// By angles, or by the turn to a rotation inside, whichever is less: near gimbal lock the last
// digit of a float turns x and z by 1e-3, and what one of them gives up the other makes good.
double Out(const EulerLimit& limit, Vec3d, Quatd d) {
  const auto out = [&](Vec3d a) {
    const double worst = std::max({OutsideRange(a.x, limit.min.x, limit.max.x),
                                   OutsideRange(a.y, limit.min.y, limit.max.y),
                                   OutsideRange(a.z, limit.min.z, limit.max.z)});
    const Vec3d in = Inside(limit, a);
    const double side = std::copysign(1.0, std::sin(a.y));
    const auto turn = [&](Vec3d b) { return AngleBetween(FromAngles(Inside(limit, b)), d); };
    double least = std::min(worst, turn(in));
    for (const double x : {in.x, double{limit.min.x}, double{limit.max.x}})
      least = std::min(least, turn({x, a.y, a.z + side * (x - a.x)}));
    for (const double z : {in.z, double{limit.min.z}, double{limit.max.z}})
      least = std::min(least, turn({a.x + side * (z - a.z), a.y, z}));
    return least;
  };
  const Vec3d a = AnglesOf(d);
  return std::min(out(a), out({a.x + kPi, kPi - a.y, a.z + kPi}));
}

double Out(std::monostate, Vec3d, Quatd) { return 0; }

// An angle into a range over whole turns; how far it was moved is added to `moved`. `unsure`
// where both ends are equally far.
double IntoRange(double a, double min, double max, double& moved, bool& unsure) {
  const double by = OutsideRange(a, min, max);
  moved += by;
  unsure = unsure || (by > 0 && kPi - (max - min) / 2 - by < 1e-3);
  return Nearest(a, min, max);
}

std::optional<Quatd> In(const HingeLimit& limit, Vec3d, Quatd d) {
  const Vec3d axis = NormalizedOr(Cast<double>(limit.axis), Vec3d{});
  bool unsure = std::hypot(Dot(Vec3d{d.x, d.y, d.z}, axis), d.w) < 0.02;
  double moved = 0;
  const double turn = IntoRange(Split(d, axis).twist, limit.min, limit.max, moved, unsure);
  if (unsure) return std::nullopt;
  return FromAxisAngle(axis, turn);
}

std::optional<Quatd> In(const SwingTwistLimit& limit, Vec3d bone, Quatd d) {
  Swing at = SwingOf(limit, bone, d);
  bool unsure = kPi - std::hypot(at.pu, at.pv) < 0.05;
  double moved = 0;
  const double twist = IntoRange(at.twist, limit.twist_min, limit.twist_max, moved, unsure);
  const double x = std::max(1e-9, double{limit.swing_x}),
               y = std::max(1e-9, double{limit.swing_y});
  if (std::hypot(at.pu / x, at.pv / y) > 1) {
    // Near the ellipse's long axis the foot of the normal is ill-defined.
    unsure = unsure || std::max(x, y) > 50 * std::min(x, y);
    if (limit.swing_x == limit.swing_y) {
      const double part = x / std::hypot(at.pu, at.pv);
      at.pu *= part, at.pv *= part;
    } else {
      OntoEllipse(x, y, at.pu, at.pv);
    }
  }
  if (unsure) return std::nullopt;
  const Vec3d turn = at.u * at.pu + at.v * at.pv;
  return FromAxisAngle(NormalizedOr(turn, at.u), Length(turn)) * FromAxisAngle(at.axis, twist);
}

std::optional<Quatd> In(const EulerLimit& limit, Vec3d, Quatd d) {
  const Vec3d near = AnglesOf(d), other{near.x + kPi, kPi - near.y, near.z + kPi};
  bool unsure = std::abs(std::abs(near.y) - kPi / 2) < 0.02;
  const auto into = [&](Vec3d a, double& moved) {
    return Vec3d{IntoRange(a.x, limit.min.x, limit.max.x, moved, unsure),
                 IntoRange(a.y, limit.min.y, limit.max.y, moved, unsure),
                 IntoRange(a.z, limit.min.z, limit.max.z, moved, unsure)};
  };
  double by_near = 0, by_other = 0;
  const Vec3d from_near = into(near, by_near), from_other = into(other, by_other);
  unsure = unsure || (std::abs(by_near - by_other) < 1e-3 && by_near > 0);
  if (unsure) return std::nullopt;
  const Vec3d a = by_other < by_near ? from_other : from_near;
  return FromAngles(a);
}

std::optional<Quatd> In(std::monostate, Vec3d, Quatd d) { return d; }

}  // namespace

double Outside(const JointLimit& limit, Quatd rest, Vec3d bone, Quatd local) {
  const Quatd d = Normalized(Conjugate(rest) * local);
  return std::visit([&](const auto& kind) { return Out(kind, bone, d); }, limit);
}

std::optional<Quatd> NearestInside(const JointLimit& limit, Quatd rest, Vec3d bone,
                                   Quatd local) {
  const Quatd d = Normalized(Conjugate(rest) * local);
  if (Outside(limit, rest, bone, local) <= 0) return local;
  const auto in = std::visit([&](const auto& kind) { return In(kind, bone, d); }, limit);
  if (!in) return std::nullopt;
  return rest * *in;
}

}  // namespace ikstream
