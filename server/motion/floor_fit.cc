// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "motion/floor_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "motion/contacts.h"

namespace ikstream {
namespace {

// A place where a foot stood: u, v across the floor and the height along `up`, metres.
struct Plant {
  double u, v, height;
};

// height = c + a u + b v about the plants' middle.
struct FittedPlane {
  double a = 0, b = 0, c = 0, u = 0, v = 0;
  double At(const Plant& p) const { return c + a * (p.u - u) + b * (p.v - v); }
};

constexpr double kInlierMetres = 0.04;     // a plant's height varies by about a centimetre
constexpr double kTiltPriorMetres = 0.25;  // sum of squares at which a tilt is half believed
const double kMostTilt = std::tan(10 * std::numbers::pi / 180);

Plant Coordinates(const ClipSpec& clip, Vec3d p) {
  const double s = 1 / clip.units_per_metre;
  return clip.up == UpAxis::kY ? Plant{p.x * s, p.z * s, p.y * s}
                               : Plant{p.x * s, p.y * s, p.z * s};
}

Vec3d Position(const ClipSpec& clip, double u, double v, double height) {
  const double s = clip.units_per_metre;
  return clip.up == UpAxis::kY ? Vec3d{u * s, height * s, v * s}
                               : Vec3d{u * s, v * s, height * s};
}

// The lowest of a foot's points.
double LowestPoint(const FootTrack& track, std::int64_t i, const ClipSpec& clip) {
  double lowest = Coordinates(clip, track.Point(i, FootPoint::kHeel)).height;
  for (FootPoint p : {FootPoint::kToe, FootPoint::kTip})
    if (track.shape().has(p))
      lowest = std::min(lowest, Coordinates(clip, track.Point(i, p)).height);
  return lowest;
}

std::vector<Run> SlowRuns(const FootTrack& track, const ClipSpec& clip, std::int64_t first,
                          const ContactSettings& contact) {
  const FootPoint point = track.shape().anchor_point();
  std::vector<Run> runs;
  for (std::int64_t i = first; i < track.size(); ++i) {
    const double speed = track.Speed(i, point, clip.frames_per_second, clip.units_per_metre);
    if (!(speed < *contact.enter_speed)) continue;
    if (!runs.empty() && runs.back().end == i)
      runs.back().end = i + 1;
    else
      runs.push_back({i, i + 1});
  }
  const double shortest = *contact.min_contact_seconds * clip.frames_per_second;
  return TidyRuns(std::move(runs), shortest, 0);
}

Plant PlantOf(const FootTrack& track, const Run& run, const ClipSpec& clip) {
  std::vector<float> u, v, h;
  for (std::int64_t i = run.begin; i < run.end; ++i) {
    const Plant p = Coordinates(clip, track.Point(i, track.shape().anchor_point()));
    u.push_back(static_cast<float>(p.u));
    v.push_back(static_cast<float>(p.v));
    h.push_back(static_cast<float>(p.height));
  }
  return {MedianOf(u), MedianOf(v), MedianOf(h)};
}

// Plants of all feet. Each foot's are shifted to a common median, since soles differ.
std::vector<Plant> FindPlants(std::span<const FootTrack> tracks, const ClipSpec& clip,
                              std::int64_t first, const ContactSettings& contact) {
  std::vector<Plant> out;
  for (const FootTrack& track : tracks)
    for (const Run& run : SlowRuns(track, clip, first, contact))
      out.push_back(PlantOf(track, run, clip));
  return out;
}

double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

// Feet that stand on a box or are held up are no floor.
std::vector<Plant> LowOnes(std::vector<Plant> plants) {
  std::vector<double> heights;
  for (const Plant& p : plants) heights.push_back(p.height);
  if (heights.empty()) return plants;
  const double middle = Median(heights);
  std::erase_if(plants, [&](const Plant& p) { return p.height > middle + 0.3; });
  return plants;
}

// Weighted least squares with a prior against tilt: a walk along a line says little about the
// floor across it.
FittedPlane FitOnce(const std::vector<Plant>& plants, const std::vector<double>& weights) {
  FittedPlane f;
  double sum = 0;
  for (size_t i = 0; i < plants.size(); ++i) {
    sum += weights[i];
    f.u += weights[i] * plants[i].u;
    f.v += weights[i] * plants[i].v;
    f.c += weights[i] * plants[i].height;
  }
  f.u /= sum, f.v /= sum, f.c /= sum;
  double uu = kTiltPriorMetres, vv = kTiltPriorMetres, uv = 0, uh = 0, vh = 0;
  for (size_t i = 0; i < plants.size(); ++i) {
    const double du = plants[i].u - f.u, dv = plants[i].v - f.v, dh = plants[i].height - f.c;
    uu += weights[i] * du * du;
    vv += weights[i] * dv * dv;
    uv += weights[i] * du * dv;
    uh += weights[i] * du * dh;
    vh += weights[i] * dv * dh;
  }
  const double det = uu * vv - uv * uv;
  f.a = (uh * vv - vh * uv) / det;
  f.b = (vh * uu - uh * uv) / det;
  return f;
}

struct RobustFit {
  FittedPlane plane;
  double inliers = 0;  // share
};

// Iterated with Tukey's weights, starting from the median height.
RobustFit FitRobustly(const std::vector<Plant>& plants) {
  RobustFit out;
  std::vector<double> heights;
  for (const Plant& p : plants) heights.push_back(p.height);
  out.plane.c = Median(heights);
  std::vector<double> weights(plants.size());
  double cut = 8 * kInlierMetres;
  for (int round = 0; round < 20; ++round, cut = std::max(cut * 0.8, kInlierMetres)) {
    double sum = 0;
    for (size_t i = 0; i < plants.size(); ++i) {
      const double r = (plants[i].height - out.plane.At(plants[i])) / cut;
      weights[i] = std::abs(r) < 1 ? (1 - r * r) * (1 - r * r) : 0;
      sum += weights[i];
    }
    if (sum < 1e-6) break;
    out.plane = FitOnce(plants, weights);
  }
  for (const Plant& p : plants)
    if (std::abs(p.height - out.plane.At(p)) < kInlierMetres)
      out.inliers += 1.0 / static_cast<double>(plants.size());
  return out;
}

Floor LevelFloor(const ClipSpec& clip, double height_metres, std::string why) {
  Floor floor;
  floor.kind = Floor::Kind::kPlane;
  floor.point = Cast<float>(Position(clip, 0, 0, height_metres));
  floor.normal = Cast<float>(clip.up_vector());
  floor.why = std::move(why);
  return floor;
}

std::vector<float> LowestOfFrames(std::span<const FootTrack> tracks, const ClipSpec& clip,
                                  std::int64_t first) {
  std::vector<float> out;
  for (std::int64_t i = first; i < tracks.front().size(); ++i) {
    double lowest = 1e30;
    for (const FootTrack& track : tracks)
      lowest = std::min(lowest, LowestPoint(track, i, clip));
    out.push_back(static_cast<float>(lowest));
  }
  return out;
}

Floor PercentileFloor(std::span<const FootTrack> tracks, const ClipSpec& clip,
                      std::int64_t first, size_t plants) {
  std::vector<float> lowest = LowestOfFrames(tracks, clip, first);
  return LevelFloor(clip, PercentileOf(lowest, 0.02),
                    absl::StrFormat("level, the 2nd percentile of the lowest foot points: only "
                                    "%d plants were found",
                                    plants));
}

// The 5th percentile in a window of 2 s about each knot, low-passed at 0.5 Hz by a Gaussian
// (half power at 0.5 Hz: sigma = sqrt(ln 2) / (2 pi 0.5 Hz) = 0.27 s).
Floor RollingFloor(std::span<const FootTrack> tracks, const ClipSpec& clip, std::int64_t first,
                   std::string why) {
  const std::vector<float> lowest = LowestOfFrames(tracks, clip, first);
  const double per_knot = clip.frames_per_second * RollingGround::kKnotSeconds;
  const auto window = static_cast<std::int64_t>(clip.frames_per_second);
  const auto count = static_cast<std::int64_t>(lowest.size());
  const double clip_frames =
      static_cast<double>(tracks.front().size() - clip.lead_in - clip.lead_out);
  std::vector<double> raw;
  for (double at = 0; at < clip_frames + per_knot; at += per_knot) {
    const auto middle = static_cast<std::int64_t>(at) + clip.lead_in - first;
    const auto a = std::clamp<std::int64_t>(middle - window, 0, count - 1);
    const auto b = std::clamp<std::int64_t>(middle + window, a + 1, count);
    std::vector<float> part(lowest.begin() + a, lowest.begin() + b);
    raw.push_back(PercentileOf(part, 0.05));
  }
  const double sigma =
      std::sqrt(std::numbers::ln2) / std::numbers::pi / RollingGround::kKnotSeconds;
  Floor floor = LevelFloor(clip, 0, std::move(why));
  floor.kind = Floor::Kind::kRolling;
  const auto knots = static_cast<int>(raw.size());
  for (int i = 0; i < knots; ++i) {
    double sum = 0, weights = 0;
    for (int j = std::max(0, i - 3); j <= std::min(knots - 1, i + 3); ++j) {
      const double w = std::exp(-0.5 * (j - i) * (j - i) / (sigma * sigma));
      sum += w * raw[j];
      weights += w;
    }
    floor.knots.push_back(static_cast<float>(sum / weights * clip.units_per_metre));
  }
  return floor;
}

Floor TiltedFloor(const ClipSpec& clip, const FittedPlane& plane, size_t plants) {
  Floor floor;
  floor.kind = Floor::Kind::kPlane;
  floor.point = Cast<float>(Position(clip, plane.u, plane.v, plane.c));
  const Vec3d scaled = Position(clip, -plane.a, -plane.b, 1);
  floor.normal = Cast<float>(NormalizedOr(scaled, clip.up_vector()));
  const double slope = std::atan(std::hypot(plane.a, plane.b)) * 180 / std::numbers::pi;
  floor.why =
      absl::StrFormat("a plane fitted to %d plants, tilted by %.2f degrees", plants, slope);
  return floor;
}

}  // namespace

Floor FitFloor(std::span<const FootTrack> tracks, const ClipSpec& clip, std::int64_t first,
               const CleanupSettings& settings) {
  using Mode = FloorSettings::Mode;
  const Mode mode = *settings.floor.mode;
  if (mode == Mode::kFlat && settings.floor.height)
    return LevelFloor(clip, *settings.floor.height / clip.units_per_metre,
                      "level, at the height that the caller gave");
  if (mode == Mode::kRolling)
    return RollingFloor(tracks, clip, first, "moves with the clip, as the caller asked");
  const std::vector<Plant> plants = LowOnes(FindPlants(tracks, clip, first, settings.contact));
  if (plants.size() < 3) return PercentileFloor(tracks, clip, first, plants.size());
  RobustFit fit = FitRobustly(plants);
  if (mode == Mode::kFlat) {
    std::vector<double> heights;
    for (const Plant& p : plants) heights.push_back(p.height);
    return LevelFloor(clip, Median(heights), "level, at the median height of the plants");
  }
  if (mode == Mode::kAuto && fit.inliers < 0.6)
    return RollingFloor(tracks, clip, first,
                        "moves with the clip: the plants lie on no common plane");
  const double slope = std::hypot(fit.plane.a, fit.plane.b);
  if (mode == Mode::kAuto && slope > kMostTilt)
    return RollingFloor(tracks, clip, first, "moves with the clip: it rises too steeply");
  return TiltedFloor(clip, fit.plane, plants.size());
}

std::unique_ptr<GroundQuery> MakeGround(const Floor& floor, const ClipSpec& clip) {
  if (floor.kind == Floor::Kind::kPlane)
    return std::make_unique<PlaneGround>(Cast<double>(floor.point), Cast<double>(floor.normal),
                                         clip.up_vector());
  if (floor.kind == Floor::Kind::kRolling)
    return std::make_unique<RollingGround>(floor.knots, clip.frames_per_second,
                                           clip.up_vector());
  return nullptr;
}

}  // namespace ikstream
