// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "motion/soles.h"

#include <algorithm>
#include <cmath>

#include "motion/contacts.h"

namespace ikstream {
namespace {

constexpr FootPoint kAllPoints[] = {FootPoint::kHeel, FootPoint::kToe, FootPoint::kTip};
constexpr double kLowShare = 0.02;
constexpr double kThinnestMetres = 0.005;
constexpr double kStandingBand = 0.05;  // metres over the lowest: the foot stands

double SpeedOf(const FootTrack& track, const DetectInput& in, std::int64_t i, FootPoint p) {
  // Over known ground only the tip's height is kept: it is slow while the toe is.
  if (p == FootPoint::kTip && track.has_ground(i)) p = FootPoint::kToe;
  return track.Speed(i, p, in.clip->frames_per_second, in.clip->units_per_metre);
}

double HeightOf(const FootTrack& track, const DetectInput& in, std::int64_t i, FootPoint p) {
  return track.Height(i, p, in.ground, in.clip->lead_in);
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

// Heights of the anchor's point while the foot stands, and of the other points over it.
struct Standing {
  std::vector<float> anchor, over[kFootPoints];
};

void Collect(const FootTrack& track, const DetectInput& in, const Sole& low, Standing& out) {
  const FootPoint anchor = track.shape().anchor_point();
  const double most =
      low.offset[static_cast<int>(anchor)] + kStandingBand * in.clip->units_per_metre;
  for (std::int64_t i = in.first; i < track.size(); ++i) {
    const double height = HeightOf(track, in, i, anchor);
    if (!(height < most && SpeedOf(track, in, i, anchor) < *in.settings->contact.enter_speed))
      continue;
    out.anchor.push_back(static_cast<float>(height));
    for (FootPoint p : kAllPoints)
      if (track.shape().has(p) && std::isfinite(HeightOf(track, in, i, p)))
        out.over[static_cast<int>(p)].push_back(
            static_cast<float>(HeightOf(track, in, i, p) - height));
  }
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
  for (size_t f = 0; f < tracks.size(); ++f) {
    const double least = kThinnestMetres * inputs[f].clip->units_per_metre;
    if (!inputs[f].trusted_ground || LowestOffset(low[f], tracks[f].shape()) >= least) continue;
    Standing own, all;
    Collect(tracks[f], inputs[f], low[f], own);
    for (size_t g = 0; g < tracks.size(); ++g)
      if (SameSize(tracks[f].shape(), tracks[g].shape()))
        Collect(tracks[g], inputs[g], low[g], all);
    if (own.anchor.size() < 5) continue;
    const double top = PercentileOf(all.anchor, 1 - kLowShare);
    // The heel and the tip at their lowest against the point that stands: a flat foot.
    for (FootPoint p : kAllPoints) {
      auto& over = own.over[static_cast<int>(p)];
      if (!over.empty()) out[f].offset[static_cast<int>(p)] = top + PercentileOf(over, 0.1);
    }
    out[f].raised = true;
  }
  return out;
}

}  // namespace ikstream
