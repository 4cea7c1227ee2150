// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "motion/foot_track.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace ikstream {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Ground farther above or below a foot than this is not its ground (metres).
constexpr double kReachUp = 0.45, kReachDown = 0.60;
// Ground this far off the plane under the anchor's point is another step (metres).
constexpr double kStepMetres = 0.05;

constexpr double kSlantUnit = 1.0 / 200;
constexpr double kUpright = 0.5;  // the cosine up to which a platform is not tipped over

// How the height over a plane grows with a way that is level in the world, told by its part
// across `up` in a frame in which the world's up is `world_up` and the plane's normal `normal`;
// 0 where it is tipped over.
Vec3d SlantOf(Vec3d normal, Vec3d world_up, Vec3d up) {
  const double upright = Dot(world_up, up), rise = Dot(normal, up);
  if (upright < kUpright) return {};
  return normal - up * rise - (world_up - up * upright) * (rise / upright);
}

std::int8_t Rounded(double slant) {
  return static_cast<std::int8_t>(std::lround(std::clamp(slant / kSlantUnit, -127.0, 127.0)));
}

}  // namespace

std::int64_t SpeedWindow(double fps) {
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::lround(fps / 30)));
}

void FootTrack::Append(const Record& record) {
  if (size_ % kBlock == 0) blocks_.push_back(std::make_unique<Record[]>(kBlock));
  blocks_.back()[static_cast<size_t>(size_ % kBlock)] = record;
  ++size_;
}

void FootTrack::Add(const LegPose& leg) {
  Record record{};
  Store(Cast<float>(leg.points[0]), record.heel);
  Store(Cast<float>(leg.points[1]), record.toe);
  Store(Cast<float>(leg.points[2]), record.third);
  record.platform = kNotAsked;
  Append(record);
}

void FootTrack::Add(std::int64_t frame, int foot, const LegPose& leg, const GroundQuery& ground,
                    const ClipSpec& clip) {
  Record record{};
  record.platform = -1;
  const double units_per_metre = clip.units_per_metre;
  const FootPoint anchor = shape_.anchor_point();
  const auto over = [&](FootPoint p, const GroundHit& hit) {
    return Dot(leg.point(p) - hit.point, hit.normal);
  };
  const auto ground_of = [&](FootPoint p) {
    auto hit = ground.Hit(frame, foot, p, leg.point(p));
    const double high = hit ? over(p, *hit) : 0;
    if (high < -kReachUp * units_per_metre || high > kReachDown * units_per_metre) hit.reset();
    return hit;
  };
  const std::optional<GroundHit> plane = ground_of(anchor);
  if (plane) record.platform = static_cast<std::int16_t>(plane->platform);
  for (FootPoint p : kFootPointList) {
    auto hit = p == anchor ? plane : ground_of(p);
    if (hit && plane &&
        std::abs(Dot(hit->point - plane->point, plane->normal)) > kStepMetres * units_per_metre)
      hit = plane;
    record.third[static_cast<int>(p)] = static_cast<float>(hit ? over(p, *hit) : kInfinity);
  }
  Vec3d heel = leg.points[0], toe = leg.points[1];
  Quatd turn;
  if (record.platform >= 0) {
    const Placement platform = ground.PlatformPose(frame, record.platform);
    heel = platform.FromWorld(heel);
    toe = platform.FromWorld(toe);
    turn = Conjugate(platform.rotation);
  }
  if (plane) {
    const Vec3d up = clip.up_vector(),
                slant = SlantOf(Rotate(turn, plane->normal), Rotate(turn, up), up);
    record.slant[0] = Rounded(slant.x), record.slant[1] = Rounded(slant.y + slant.z);
  }
  Store(Cast<float>(heel), record.heel);
  Store(Cast<float>(toe), record.toe);
  Append(record);
}

double FootTrack::Slant(std::int64_t i, Vec3d way, Vec3d up) const {
  const Vec3d across = way - up * Dot(way, up);  // Of y and z one is up.
  const auto& slant = at(i).slant;
  return has_ground(i) ? kSlantUnit * (slant[0] * across.x + slant[1] * (across.y + across.z))
                       : 0;
}

Vec3d FootTrack::Point(std::int64_t i, FootPoint point) const {
  const Record& record = at(i);
  return Cast<double>(LoadVec3(point == FootPoint::kHeel  ? record.heel
                               : point == FootPoint::kToe ? record.toe
                                                          : record.third));
}

double FootTrack::Height(std::int64_t i, FootPoint point, const GroundQuery* fitted,
                         std::int64_t lead_in) const {
  if (has_ground(i)) return at(i).third[static_cast<int>(point)];
  const Vec3d position = Point(i, point);
  const auto hit = fitted->Hit(i - lead_in, 0, point, position);
  return hit ? Dot(position - hit->point, hit->normal) : kInfinity;
}

double FootTrack::Speed(std::int64_t i, FootPoint point, double fps,
                        double units_per_metre) const {
  const std::int64_t window = SpeedWindow(fps);
  double best = kInfinity;
  for (std::int64_t other : {i - window, i + window}) {
    const std::int64_t j = std::clamp<std::int64_t>(other, 0, size() - 1);
    if (j == i || platform(j) != platform(i)) continue;
    const double frames = static_cast<double>(std::abs(j - i));
    best = std::min(best, Length(Point(j, point) - Point(i, point)) * fps / frames);
  }
  return best / units_per_metre;
}

double FootTrack::VerticalSpeed(std::int64_t i, FootPoint point, double fps,
                                double units_per_metre, Vec3d up) const {
  const std::int64_t window = SpeedWindow(fps);
  double best = kInfinity;
  for (std::int64_t other : {i - window, i + window}) {
    const std::int64_t j = std::clamp<std::int64_t>(other, 0, size() - 1);
    if (j == i || platform(j) != platform(i)) continue;
    const double frames = static_cast<double>(std::abs(j - i));
    best = std::min(best, std::abs(Dot(Point(j, point) - Point(i, point), up)) * fps / frames);
  }
  return best / units_per_metre;
}

}  // namespace ikstream
