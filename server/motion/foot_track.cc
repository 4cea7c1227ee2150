// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "motion/foot_track.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ikstream {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr FootPoint kAllPoints[] = {FootPoint::kHeel, FootPoint::kToe, FootPoint::kTip};

}  // namespace

std::int64_t SpeedWindow(double fps) {
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::lround(fps / 30)));
}

void FootTrack::Add(const LegPose& leg) {
  Record record{};
  Store(Cast<float>(leg.points[0]), record.heel);
  Store(Cast<float>(leg.points[1]), record.toe);
  Store(Cast<float>(leg.points[2]), record.third);
  record.platform = -1;
  records_.push_back(record);
}

void FootTrack::Add(std::int64_t frame, int foot, const LegPose& leg, const GroundQuery& ground,
                    double reach_up, double reach_down) {
  Record record{};
  record.platform = -1;
  record.ground = 1;
  for (FootPoint p : kAllPoints) {
    double height = kInfinity;
    if (const auto hit = ground.Hit(frame, foot, p, leg.point(p))) {
      const double over = Dot(leg.point(p) - hit->point, hit->normal);
      if (over >= -reach_up && over <= reach_down) {
        height = over;
        if (p == shape_.anchor_point())
          record.platform = static_cast<std::int16_t>(hit->platform);
      }
    }
    record.third[static_cast<int>(p)] = static_cast<float>(height);
  }
  Vec3d heel = leg.points[0], toe = leg.points[1];
  if (record.platform >= 0) {
    const Placement platform = ground.PlatformPose(frame, record.platform);
    heel = platform.FromWorld(heel);
    toe = platform.FromWorld(toe);
  }
  Store(Cast<float>(heel), record.heel);
  Store(Cast<float>(toe), record.toe);
  records_.push_back(record);
}

Vec3d FootTrack::Point(std::int64_t i, FootPoint point) const {
  const Record& record = records_[i];
  return Cast<double>(LoadVec3(point == FootPoint::kHeel  ? record.heel
                               : point == FootPoint::kToe ? record.toe
                                                          : record.third));
}

double FootTrack::Height(std::int64_t i, FootPoint point, const GroundQuery* fitted,
                         std::int64_t lead_in) const {
  if (records_[i].ground) return records_[i].third[static_cast<int>(point)];
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
