// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "motion/soles.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "motion/contacts.h"
#include "motion/drift.h"

namespace ikstream {
namespace {

constexpr FootPoint kAllPoints[] = {FootPoint::kHeel, FootPoint::kToe, FootPoint::kTip};
constexpr double kLowShare = 0.02;
// Of the heights at which feet of a sinking body stand, those above are noise: it is seldom up.
constexpr double kTopShare = 0.005;
constexpr double kThinnestMetres = 0.005;
constexpr double kStandingBand = 0.05;    // metres over the lowest: the foot stands
constexpr double kStandingSeconds = 0.1;  // for at least this long
constexpr double kStepMetres = 0.02;      // ground this far off the plane here is another step

double SpeedOf(const FootTrack& track, const DetectInput& in, std::int64_t i, FootPoint p) {
  // The tip stands while the toe does: in a roll it may turn, and sink where no toe bends.
  // (Over known ground only its height is kept.)
  if (p == FootPoint::kTip) p = FootPoint::kToe;
  return track.Speed(i, p, in.clip->frames_per_second, in.clip->units_per_metre);
}

double HeightOf(const FootTrack& track, const DetectInput& in, std::int64_t i, FootPoint p) {
  return track.Height(i, p, in.fitted, in.clip->lead_in);
}

// Heights of a point while it is slow; of all frames where it is hardly ever slow.
std::vector<float> SlowHeights(const FootTrack& track, const DetectInput& in, FootPoint p) {
  std::vector<float> slow, all;
  for (std::int64_t i = in.first; i < track.size(); ++i) {
    const auto height = static_cast<float>(HeightOf(track, in, i, p));
    if (!std::isfinite(height)) continue;
    all.push_back(height);
    if (SpeedOf(track, in, i, p) < *in.settings->contact.enter_speed) slow.push_back(height);
  }
  return slow.size() >= 5 ? slow : all;
}

Sole LowSole(const FootTrack& track, const DetectInput& in) {
  Sole sole;
  for (FootPoint p : kAllPoints) {
    if (!track.shape().has(p)) continue;
    std::vector<float> heights = SlowHeights(track, in, p);
    if (!heights.empty()) sole.offset[static_cast<int>(p)] = PercentileOf(heights, kLowShare);
  }
  return sole;
}

bool Stands(const FootTrack& track, const DetectInput& in, const Sole& low, std::int64_t i) {
  const FootPoint anchor = track.shape().anchor_point();
  const double most =
      low.offset[static_cast<int>(anchor)] + kStandingBand * in.clip->units_per_metre;
  return HeightOf(track, in, i, anchor) < most &&
         SpeedOf(track, in, i, anchor) < *in.settings->contact.enter_speed;
}

// Runs in which a foot stands, without the frames in which it comes and goes.
std::vector<Run> StandingRuns(const FootTrack& track, const DetectInput& in, const Sole& low) {
  std::vector<Run> runs;
  for (std::int64_t i = in.first; i < track.size(); ++i) {
    if (!Stands(track, in, low, i)) continue;
    if (runs.empty() || runs.back().end != i) runs.push_back({i, i});
    runs.back().end = i + 1;
  }
  const double fps = in.clip->frames_per_second;
  runs = TidyRuns(std::move(runs), kStandingSeconds * fps, 0);
  for (Run& run : runs) {
    run.begin += SpeedWindow(fps);
    run.end -= SpeedWindow(fps);
  }
  return runs;
}

// Where the ground rests, by frame; empty where it cannot be asked again.
std::vector<Vec3f> DriftOf(std::span<const FootTrack> tracks,
                           std::span<const DetectInput> inputs, std::span<const Sole> low) {
  const GroundQuery* ground = inputs.front().callers;
  if (ground == nullptr || !ground->AnyTime()) return {};
  std::vector<std::vector<Run>> standing;
  for (size_t f = 0; f < tracks.size(); ++f)
    standing.push_back(StandingRuns(tracks[f], inputs[f], low[f]));
  return BodyDrift(tracks, inputs, standing);
}

// The height of the anchor's point had the body not slid; the height as it is where that is
// over another step, or over nothing.
double HeightBefore(const FootTrack& track, const DetectInput& in, std::int64_t i,
                    Vec3f drift) {
  const FootPoint point = track.shape().anchor_point();
  const double height = HeightOf(track, in, i, point);
  const std::int64_t frame = i - in.clip->lead_in;
  const Vec3d here = track.Point(i, point), there = here - Cast<double>(drift);
  const auto at = in.callers->Hit(frame, in.foot, point, here);
  const auto before = in.callers->Hit(frame, in.foot, point, there);
  if (!at || !before) return height;
  const double step = std::abs(Dot(before->point - at->point, at->normal));
  if (step > kStepMetres * in.clip->units_per_metre) return height;
  return Dot(there - before->point, before->normal);
}

// Appends the heights of the anchor's point while the foot stands.
void CollectHeights(const FootTrack& track, const DetectInput& in, const Sole& low,
                    std::span<const Vec3f> drift, std::vector<float>& out) {
  for (std::int64_t i = in.first; i < track.size(); ++i) {
    if (!Stands(track, in, low, i)) continue;
    const double height = drift.empty()
                              ? HeightOf(track, in, i, track.shape().anchor_point())
                              : HeightBefore(track, in, i, drift[static_cast<size_t>(i)]);
    out.push_back(static_cast<float>(height));
  }
}

// Heights of another point over the anchor's while the foot stands.
std::vector<float> HeightsOver(const FootTrack& track, const DetectInput& in, const Sole& low,
                               FootPoint p) {
  std::vector<float> out;
  for (std::int64_t i = in.first; i < track.size(); ++i) {
    const double height = HeightOf(track, in, i, p);
    if (!std::isfinite(height) || !Stands(track, in, low, i)) continue;
    out.push_back(
        static_cast<float>(height - HeightOf(track, in, i, track.shape().anchor_point())));
  }
  return out;
}

double LowestOffset(const Sole& sole, const FootShape& shape) {
  double lowest = sole.offset[0];
  for (FootPoint p : kAllPoints)
    if (shape.has(p)) lowest = std::min(lowest, sole.offset[static_cast<int>(p)]);
  return lowest;
}

bool SameSize(const FootShape& a, const FootShape& b) {
  return a.has_toe == b.has_toe && a.has_tip == b.has_tip &&
         std::abs(a.leg_length - b.leg_length) < 0.05 * a.leg_length;
}

}  // namespace

std::vector<Sole> FindSoles(std::span<const FootTrack> tracks,
                            std::span<const DetectInput> inputs) {
  std::vector<Sole> low, out;
  for (size_t f = 0; f < tracks.size(); ++f) low.push_back(LowSole(tracks[f], inputs[f]));
  out = low;
  std::vector<Vec3f> drift;
  for (size_t f = 0; f < tracks.size(); ++f) {
    const double least = kThinnestMetres * inputs[f].clip->units_per_metre;
    if (!inputs[f].trusted_ground || LowestOffset(low[f], tracks[f].shape()) >= least) continue;
    if (drift.empty()) drift = DriftOf(tracks, inputs, low);
    std::vector<float> standing;
    for (size_t g = 0; g < tracks.size(); ++g)
      if (SameSize(tracks[f].shape(), tracks[g].shape()))
        CollectHeights(tracks[g], inputs[g], low[g], drift, standing);
    if (standing.size() < 5) continue;
    const double top = PercentileOf(standing, 1 - kTopShare);
    // The heel and the tip at their lowest against the point that stands: a flat foot.
    for (FootPoint p : kAllPoints) {
      if (!tracks[f].shape().has(p)) continue;
      std::vector<float> over = HeightsOver(tracks[f], inputs[f], low[f], p);
      if (!over.empty()) out[f].offset[static_cast<int>(p)] = top + PercentileOf(over, 0.15);
    }
    out[f].raised = true;
  }
  return out;
}

}  // namespace ikstream
