// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "motion/anchors.h"

#include <algorithm>
#include <cmath>

#include "motion/steps.h"

namespace ikstream {
namespace {

// What stands higher over the ground stands on something else.
constexpr double kNearMetres = 0.6;
// A foot that creeps all the time, as the body drifts, may leave its place this many times as
// far as one that steps.
constexpr double kCreepingRadius = 1.5;

Vec3d Across(Vec3d v, Vec3d up) { return v - up * Dot(v, up); }

Vec3d MedianPoint(const FootTrack& track, const Run& run, FootPoint point) {
  std::vector<float> x, y, z;
  for (std::int64_t i = run.begin; i < run.end; ++i) {
    const Vec3f p = Cast<float>(track.Point(i, point));
    x.push_back(p.x), y.push_back(p.y), z.push_back(p.z);
  }
  return {MedianOf(x), MedianOf(y), MedianOf(z)};
}

double WorstDrift(const FootTrack& track, const Run& run, const DetectInput& input) {
  const FootPoint point = track.shape().anchor_point();
  const Vec3d up = input.clip->up_vector();
  const Vec3d anchor =
      MedianPoint(track, MiddleOf(run, *input.settings->anchor.middle_share), point);
  double worst = 0;
  for (std::int64_t i = run.begin; i < run.end; ++i)
    worst = std::max(worst, Length(Across(track.Point(i, point) - anchor, up)));
  return worst;
}

// Whether the foot is never faster than one that comes to stand, its first and last frames
// apart.
bool Creeps(const FootTrack& track, const Run& run, const DetectInput& input) {
  const ClipSpec& clip = *input.clip;
  const double edge = *input.settings->contact.min_gap_seconds * clip.frames_per_second;
  const auto frames = static_cast<std::int64_t>(std::ceil(edge));
  for (std::int64_t i = run.begin + frames; i < run.end - frames; ++i)
    if (track.Speed(i, track.shape().anchor_point(), clip.frames_per_second,
                    clip.units_per_metre) >= *input.settings->contact.enter_speed)
      return false;
  return true;
}

// The index that leaves the least squared distance to the two means on its sides.
std::int64_t BestCut(const FootTrack& track, const Run& run, Vec3d up) {
  const FootPoint point = track.shape().anchor_point();
  const Vec3d origin = track.Point(run.begin, point);
  const auto at = [&](std::int64_t i) { return Across(track.Point(i, point) - origin, up); };
  Vec3d total, left;
  for (std::int64_t i = run.begin; i < run.end; ++i) total += at(i);
  std::int64_t best = run.begin + run.length() / 2;
  double most = -1;
  for (std::int64_t i = run.begin; i + 1 < run.end; ++i) {
    left += at(i);
    const Vec3d right = total - left;
    const auto n = static_cast<double>(i + 1 - run.begin);
    const double m = static_cast<double>(run.length()) - n;
    const double explained = Dot(left, left) / n + Dot(right, right) / m;
    if (explained > most) most = explained, best = i + 1;
  }
  return best;
}

// Height of a flat foot: the point's own height over the ground replaced by its sole offset.
// The caller's ground cannot be asked any more; its slope is left out of account.
Vec3d OnGround(const FootTrack& track, const DetectInput& input, const FootPlan& plan,
               const Run& middle, FootPoint point, Vec3d position) {
  const Vec3d up = input.clip->up_vector();
  const std::int64_t lead_in = input.clip->lead_in;
  const std::int64_t at = middle.begin + middle.length() / 2;
  double over = track.Height(at, point, input.fitted, lead_in), slope = 1;
  if (input.fitted != nullptr) {
    const auto hit = input.fitted->Hit(at - lead_in, input.foot, point, position);
    if (!hit) return position;
    over = Dot(position - hit->point, hit->normal);
    slope = Dot(hit->normal, up);
  }
  return std::isfinite(over) ? position + up * ((plan.offset(point) - over) / slope) : position;
}

bool NearGround(const FootTrack& track, const DetectInput& input, const Run& middle) {
  const std::int64_t at = middle.begin + middle.length() / 2;
  const double height =
      track.Height(at, track.shape().anchor_point(), input.fitted, input.clip->lead_in);
  return height < kNearMetres * input.clip->units_per_metre;
}

}  // namespace

bool TooShort(const Run& run, const FootTrack& track, const DetectInput& input) {
  const double shortest =
      *input.settings->contact.min_contact_seconds * input.clip->frames_per_second;
  const bool cut = run.begin <= input.first || run.end >= track.size();
  return static_cast<double>(run.length()) < (cut ? 0.5 : 1.0) * shortest - 1e-6;
}

bool LeavesItsPlace(const FootTrack& track, const Run& run, const DetectInput& input) {
  const double radius = *input.settings->anchor.split_radius_m * input.clip->units_per_metre;
  const double drift = WorstDrift(track, run, input);
  return drift > radius && (drift > kCreepingRadius * radius || !Creeps(track, run, input));
}

std::vector<Run> SplitWhereItLeaves(const FootTrack& track, const Run& run,
                                    const DetectInput& input) {
  if (run.length() < 1 || TooShort(run, track, input)) return {};
  if (*input.settings->anchor.allow_slide || !LeavesItsPlace(track, run, input)) return {run};
  const std::int64_t cut = BestCut(track, run, input.clip->up_vector());
  const auto half_gap =
      std::max<std::int64_t>(2, std::lround(0.05 * input.clip->frames_per_second));
  std::vector<Run> out = SplitWhereItLeaves(track, {run.begin, cut - half_gap}, input);
  for (const Run& part : SplitWhereItLeaves(track, {cut + half_gap, run.end}, input))
    out.push_back(part);
  return out;
}

void FillAnchors(const FootTrack& track, const DetectInput& input, const FootPlan& plan,
                 ContactInterval& interval) {
  if (interval.anchors.empty()) interval.anchors.push_back({interval.begin, {}, {}});
  std::vector<size_t> found;
  Vec3d way;
  for (size_t k = 0; k < interval.anchors.size(); ++k) {
    Anchor& anchor = interval.anchors[k];
    const std::int64_t end =
        k + 1 < interval.anchors.size() ? interval.anchors[k + 1].begin : interval.end;
    const std::int64_t lead_in = input.clip->lead_in;
    const Run run{std::clamp<std::int64_t>(anchor.begin + lead_in, 0, track.size() - 1),
                  std::clamp<std::int64_t>(end + lead_in, 1, track.size())};
    const Run middle = MiddleOf(run, *input.settings->anchor.middle_share);
    if (anchor.point == Anchor::Point::kUnspecified) {
      // A hand on a wall has no ground below: the joint itself is pinned.
      const bool toe = track.shape().has_toe && NearGround(track, input, middle);
      anchor.point = toe ? Anchor::Point::kToe : Anchor::Point::kHeel;
    }
    if (anchor.position) continue;
    const FootPoint point =
        anchor.point == Anchor::Point::kToe ? FootPoint::kToe : FootPoint::kHeel;
    const Vec3d position = MedianPoint(track, middle, point);
    anchor.position = Cast<float>(OnGround(track, input, plan, middle, point, position));
    found.push_back(k);
    if (NearGround(track, input, middle))
      way = WayOutOfStep(track, input, plan, run, point, Cast<double>(*anchor.position));
  }
  // A foot that pivots from its heel to its toe is moved as one.
  for (size_t k : found) {
    Vec3f& position = *interval.anchors[k].position;
    position = Cast<float>(Cast<double>(position) + way);
  }
}

}  // namespace ikstream
