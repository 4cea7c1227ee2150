// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "terrain/ground.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ikstream {
namespace {

// The disc: its centre and two rings of six.
constexpr int kRing = 6;
constexpr int kRays = 1 + 2 * kRing;
constexpr double kInnerRing = 0.5, kOuterRing = 0.9;  // of the radius
// Ground under less of the disc does not carry a foot.
constexpr int kFewest = 5;
// A hit this far off the plane of the others, as a share of the radius, is another step.
constexpr double kStep = 0.5;
// The least that a normal counts as pointing up where heights are worked out from it.
constexpr double kSteepest = 0.05;
constexpr double kPi = 3.14159265358979323846;

// A hit, seen from the disc's centre: height over the plane of u and v.
struct Spot {
  double u, v, h;
  Vec3d normal;
  int platform;
};

// h = c + su * u + sv * v.
struct Slope {
  double c = 0, su = 0, sv = 0;
  double Off(const Spot& spot) const { return spot.h - (c + su * spot.u + sv * spot.v); }
};

struct Spots {
  std::array<Spot, kRays> at;
  int count = 0;
};

// Only the spots on the platform that most of them are on.
Spots OnMainPlatform(const Spots& all) {
  int best = -1, most = 0;
  for (int k = 0; k < all.count; ++k) {
    int same = 0;
    for (int m = 0; m < all.count; ++m) same += all.at[m].platform == all.at[k].platform;
    if (same > most) most = same, best = all.at[k].platform;
  }
  Spots out;
  for (int k = 0; k < all.count; ++k)
    if (all.at[k].platform == best) out.at[out.count++] = all.at[k];
  return out;
}

// The mean normal, and the median of what each spot's own plane says of the centre's height.
Slope FirstGuess(const Spots& spots, Vec3d e1, Vec3d e2, Vec3d up) {
  Vec3d sum;
  std::array<double, kRays> centres;
  const auto slope_of = [&](Vec3d n) {
    const double rise = std::max(Dot(n, up), kSteepest * Length(n));
    return Slope{0, -Dot(n, e1) / rise, -Dot(n, e2) / rise};
  };
  for (int k = 0; k < spots.count; ++k) {
    sum += spots.at[k].normal;
    centres[k] = slope_of(spots.at[k].normal).Off(spots.at[k]);
  }
  Slope out = slope_of(NormalizedOr(sum, up));
  const auto middle = centres.begin() + spots.count / 2;
  std::nth_element(centres.begin(), middle, centres.begin() + spots.count);
  out.c = *middle;
  return out;
}

// Least squares over the spots near to `guess`; `guess` where they leave a plane open.
Slope Fit(const Spots& spots, const Slope& guess, double radius) {
  double n = 0, u = 0, v = 0, uu = 0, uv = 0, vv = 0, r = 0, ru = 0, rv = 0;
  for (int k = 0; k < spots.count; ++k) {
    const Spot& spot = spots.at[k];
    const double off = guess.Off(spot);
    if (std::abs(off) > kStep * radius) continue;
    n += 1, u += spot.u, v += spot.v;
    uu += spot.u * spot.u, uv += spot.u * spot.v, vv += spot.v * spot.v;
    r += off, ru += off * spot.u, rv += off * spot.v;
  }
  // Columns of the normal equations; Cramer's rule.
  const Vec3d a{n, u, v}, b{u, uu, uv}, c{v, uv, vv}, d{r, ru, rv};
  const double scale = radius * radius;
  const double det = Dot(a, Cross(b, c));
  if (!(det > 1e-3 * scale * scale)) return guess;
  return {guess.c + Dot(d, Cross(b, c)) / det, guess.su + Dot(a, Cross(d, c)) / det,
          guess.sv + Dot(a, Cross(b, d)) / det};
}

}  // namespace

bool InRange(const GroundRange& range, Vec3d up, Vec3d sole, Vec3d hit) {
  const double height = Dot(hit - sole, up);
  return height <= range.max_up && height >= -range.max_down;
}

GroundRange Scaled(const GroundRange& range, double units_per_metre) {
  return {range.ray_above * units_per_metre, range.ray_below * units_per_metre,
          range.max_up * units_per_metre, range.max_down * units_per_metre};
}

Ground::Ground(std::shared_ptr<const Terrain> terrain, double units_per_metre,
               const GroundRange& range)
    : terrain_(std::move(terrain)),
      up_(UpVector(terrain_->up())),
      range_(Scaled(range, units_per_metre)) {}

std::optional<GroundHit> Ground::HitAt(const PlatformPoses& platforms, Vec3d sole) const {
  return terrain_->FirstHit(
      {sole + up_ * range_.ray_above, -up_, range_.ray_above + range_.ray_below}, platforms);
}

std::optional<GroundHit> Ground::HitDisc(const PlatformPoses& platforms, Vec3d sole,
                                         double radius) const {
  const Vec3d e1{1, 0, 0}, e2 = Cross(up_, e1);
  Spots all;
  for (int k = 0; k < kRays; ++k) {
    const double share = k == 0 ? 0 : k <= kRing ? kInnerRing : kOuterRing;
    const double angle = kPi / kRing * (2 * k + (k > kRing ? 1 : 0));
    const double u = share * radius * std::cos(angle), v = share * radius * std::sin(angle);
    const auto hit = HitAt(platforms, sole + e1 * u + e2 * v);
    if (hit)
      all.at[all.count++] = {u, v, Dot(hit->point - sole, up_), hit->normal, hit->platform};
  }
  const Spots spots = OnMainPlatform(all);
  if (spots.count < kFewest) return std::nullopt;
  const Slope slope = Fit(spots, FirstGuess(spots, e1, e2, up_), radius);
  GroundHit out{sole + up_ * slope.c, {}, spots.at[0].platform, {}};
  out.normal = NormalizedOr(up_ - e1 * slope.su - e2 * slope.sv, up_);
  out.velocity = platforms.Velocity(out.platform, out.point);
  return out;
}

std::optional<GroundHit> Ground::Query(const PlatformPoses& platforms, Vec3d sole,
                                       double radius) const {
  const auto hit = radius > 0 ? HitDisc(platforms, sole, radius) : HitAt(platforms, sole);
  if (!hit || !InRange(range_, up_, sole, hit->point)) return std::nullopt;
  return hit;
}

}  // namespace ikstream
