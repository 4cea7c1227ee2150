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

constexpr double kLowShare = 0.02;
// Of the heights at which feet of a sinking body stand, those above are noise: it is seldom up.
constexpr double kTopShare = 0.001;
// Over this time before the first frame in which a foot stands, and after the last, a body goes
// on to rise or sink, by at most so many m/s.
constexpr double kGoesOnSeconds = 0.25, kBodyRises = 0.03;
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

std::vector<bool> SlowFrames(const FootTrack& track, const DetectInput& in, FootPoint p) {
  std::vector<bool> slow(static_cast<size_t>(track.size()));
  for (std::int64_t i = in.first; i < track.size(); ++i)
    slow[static_cast<size_t>(i)] = SpeedOf(track, in, i, p) < *in.settings->contact.enter_speed;
  return slow;
}

// Heights of a point while it is slow; of all frames where it is hardly ever slow.
std::vector<float> SlowHeights(const FootTrack& track, const DetectInput& in, FootPoint p,
                               const std::vector<bool>& is_slow) {
  std::vector<float> slow, all;
  for (std::int64_t i = in.first; i < track.size(); ++i) {
    const auto height = static_cast<float>(HeightOf(track, in, i, p));
    if (!std::isfinite(height)) continue;
    all.push_back(height);
    if (is_slow[static_cast<size_t>(i)]) slow.push_back(height);
  }
  return slow.size() >= 5 ? slow : all;
}

Sole LowSole(const FootTrack& track, const DetectInput& in) {
  Sole sole;
  std::vector<bool> slow;
  for (FootPoint p : kFootPointList) {
    if (!track.shape().has(p)) continue;
    if (p != FootPoint::kTip) slow = SlowFrames(track, in, p);  // The tip's are the toe's.
    std::vector<float> heights = SlowHeights(track, in, p, slow);
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
  // Speeds look to the slower side: a foot that has just left is slow for a window, and was on
  // its way before. At the clip's ends no foot comes or goes.
  const std::int64_t beside = 2 * SpeedWindow(fps);
  for (Run& run : runs) {
    if (run.begin > in.first) run.begin += beside;
    if (run.end < track.size()) run.end -= beside;
  }
  std::erase_if(runs, [](const Run& run) { return run.length() < 1; });
  return runs;
}

// How far the body slid, by frame; empty where the ground is fitted.
std::vector<Vec3f> DriftOf(std::span<const FootTrack> tracks,
                           std::span<const DetectInput> inputs, std::span<const Sole> low) {
  const GroundQuery* ground = inputs.front().callers;
  if (ground == nullptr) return {};
  std::vector<std::vector<Run>> standing;
  for (size_t f = 0; f < tracks.size(); ++f)
    standing.push_back(StandingRuns(tracks[f], inputs[f], low[f]));
  return BodyDrift(tracks, inputs, standing);
}

// The height of the anchor's point had the body not slid; the height as it is where that is
// over another step, or over nothing. Ground that moves cannot be asked again: its slant tells.
double HeightBefore(const FootTrack& track, const DetectInput& in, std::int64_t i,
                    Vec3f drift) {
  const FootPoint point = track.shape().anchor_point();
  const double height = HeightOf(track, in, i, point);
  if (!in.callers->AnyTime())
    return height - track.Slant(i, Cast<double>(drift), in.clip->up_vector());
  const std::int64_t frame = i - in.clip->lead_in;
  const Vec3d here = track.Point(i, point), there = here - Cast<double>(drift);
  const auto at = in.callers->Hit(frame, in.foot, point, here);
  const auto before = in.callers->Hit(frame, in.foot, point, there);
  if (!at || !before) return height;
  const double step = std::abs(Dot(before->point - at->point, at->normal));
  if (step > kStepMetres * in.clip->units_per_metre) return height;
  return Dot(there - before->point, before->normal);
}

// The heights at which a foot stands in a run.
struct Standing {
  Run run;
  std::vector<float> heights;
};

// The height that follows `frames` after the last of a run's, as the body rose or sank before.
float GoneOn(std::span<const float> heights, std::int64_t frames, const DetectInput& in) {
  const double fps = in.clip->frames_per_second;
  const auto most = static_cast<size_t>(std::max(1.0, std::round(kGoesOnSeconds * fps / 2)));
  const size_t count = std::min(most, heights.size() - 1);
  if (count == 0) return heights.back();
  const float rise =
      (heights.back() - heights[heights.size() - 1 - count]) / static_cast<float>(count);
  const auto fastest = static_cast<float>(kBodyRises * in.clip->units_per_metre / fps);
  return heights.back() + std::clamp(rise, -fastest, fastest) * static_cast<float>(frames);
}

// Where the clip begins or ends shortly before or after any foot stands, the body went on.
void AddEnds(std::vector<Standing>& standing, std::int64_t end, const DetectInput& in,
             std::vector<float>& out) {
  const double near = kGoesOnSeconds * in.clip->frames_per_second;
  const auto ends = [](const Standing& a, const Standing& b) { return a.run.end < b.run.end; };
  const auto begins = [](const Standing& a, const Standing& b) {
    return a.run.begin < b.run.begin;
  };
  const Standing& last = *std::max_element(standing.begin(), standing.end(), ends);
  const std::int64_t after = end - last.run.end;
  if (static_cast<double>(after) < near) out.push_back(GoneOn(last.heights, after, in));
  Standing& first = *std::min_element(standing.begin(), standing.end(), begins);
  const std::int64_t before = first.run.begin - in.first;
  std::reverse(first.heights.begin(), first.heights.end());
  if (static_cast<double>(before) < near) out.push_back(GoneOn(first.heights, before, in));
}

// Appends the heights of the anchor's point while the foot stands: not where it comes and goes,
// for the highest of them count.
void CollectHeights(const FootTrack& track, const DetectInput& in, const Sole& low,
                    std::span<const Vec3f> drift, std::vector<Standing>& out) {
  for (const Run& run : StandingRuns(track, in, low)) {
    std::vector<float>& heights = out.emplace_back(Standing{run, {}}).heights;
    for (std::int64_t i = run.begin; i < run.end; ++i)
      heights.push_back(static_cast<float>(
          drift.empty() ? HeightOf(track, in, i, track.shape().anchor_point())
                        : HeightBefore(track, in, i, drift[static_cast<size_t>(i)])));
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
  for (FootPoint p : kFootPointList)
    if (shape.has(p)) lowest = std::min(lowest, sole.offset[static_cast<int>(p)]);
  return lowest;
}

bool SameSize(const FootShape& a, const FootShape& b) {
  return a.has_toe == b.has_toe && a.has_tip == b.has_tip &&
         std::abs(a.leg_length - b.leg_length) < 0.05 * a.leg_length;
}

// Whether a foot of this size has a sole thinner than there are. Feet of one size have the same
// soles, also where one of them stood while the body was up.
bool AnySank(std::span<const FootTrack> tracks, std::span<const DetectInput> inputs,
             std::span<const Sole> low, const FootShape& shape) {
  for (size_t f = 0; f < tracks.size(); ++f) {
    const double least = kThinnestMetres * inputs[f].clip->units_per_metre;
    if (SameSize(tracks[f].shape(), shape) && LowestOffset(low[f], shape) < least) return true;
  }
  return false;
}

}  // namespace

std::vector<Sole> FindSoles(std::span<const FootTrack> tracks,
                            std::span<const DetectInput> inputs) {
  std::vector<Sole> low, out;
  for (size_t f = 0; f < tracks.size(); ++f) low.push_back(LowSole(tracks[f], inputs[f]));
  out = low;
  std::vector<Vec3f> drift;
  for (size_t f = 0; f < tracks.size(); ++f) {
    if (!inputs[f].trusted_ground || !AnySank(tracks, inputs, low, tracks[f].shape())) continue;
    if (drift.empty()) drift = DriftOf(tracks, inputs, low);
    std::vector<Standing> standing;
    for (size_t g = 0; g < tracks.size(); ++g)
      if (SameSize(tracks[f].shape(), tracks[g].shape()))
        CollectHeights(tracks[g], inputs[g], low[g], drift, standing);
    std::vector<float> heights;
    for (const Standing& s : standing)
      heights.insert(heights.end(), s.heights.begin(), s.heights.end());
    if (heights.size() < 5) continue;
    AddEnds(standing, tracks[f].size(), inputs[f], heights);
    const double top = PercentileOf(heights, 1 - kTopShare);
    // The heel and the tip at their lowest against the point that stands: a flat foot.
    for (FootPoint p : kFootPointList) {
      if (!tracks[f].shape().has(p)) continue;
      std::vector<float> over = HeightsOver(tracks[f], inputs[f], low[f], p);
      if (!over.empty()) out[f].offset[static_cast<int>(p)] = top + PercentileOf(over, 0.15);
    }
    out[f].raised = true;
  }
  return out;
}

}  // namespace ikstream
