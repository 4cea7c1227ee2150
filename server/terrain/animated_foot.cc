// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "terrain/animated_foot.h"

#include <algorithm>

namespace ikstream {
namespace {

LegReach ReachOf(const FootGeometry& foot, const PlaceSettings& settings,
                 const AnimatedFoot& at) {
  LegReach reach;
  const double source = Length(at.ankle - at.hip);
  reach.start = std::max(settings.soft_start * at.leg_length, source);
  reach.end = std::max(settings.soft_end * at.leg_length, source);
  const double thigh = Length(at.knee - at.hip), shin = Length(at.ankle - at.knee);
  const double folded =
      thigh * thigh + shin * shin + 2 * thigh * shin * std::cos(settings.max_knee_bend);
  reach.nearest = foot.leg.size() == 3 ? std::min(std::sqrt(std::max(0.0, folded)), source) : 0;
  return reach;
}

}  // namespace

AnimatedFoot ReadFoot(const FootGeometry& foot, const PlaceSettings& settings, Vec3d up,
                      const ModelPose& pose) {
  AnimatedFoot out;
  const int hip = foot.hip(), ankle = foot.ankle();
  out.hip = pose.positions[hip];
  out.ankle = pose.positions[ankle];
  out.knee = foot.knee >= 0 ? pose.positions[foot.knee] : out.hip;
  out.hip_rotation = pose.rotations[hip];
  out.ankle_rotation = pose.rotations[ankle];
  out.toe_rotation = foot.toe >= 0 ? pose.rotations[foot.toe] : out.ankle_rotation;
  out.toe = foot.toe >= 0 ? pose.positions[foot.toe]
                          : out.ankle + Rotate(out.ankle_rotation, foot.tip);
  out.sole_normal = Rotate(out.ankle_rotation, foot.sole_normal);
  out.toe_normal = foot.toe >= 0 ? Rotate(out.toe_rotation, foot.toe_normal) : out.sole_normal;
  out.leg_length = 0;
  for (size_t k = 1; k < foot.leg.size(); ++k)
    out.leg_length += Length(pose.positions[foot.leg[k]] - pose.positions[foot.leg[k - 1]]);
  out.lowest = Dot(out.ankle, up) - foot.heel_offset;
  if (foot.has_toe_point) out.lowest = std::min(out.lowest, Dot(out.toe, up) - foot.toe_offset);
  out.reach = ReachOf(foot, settings, out);
  return out;
}

}  // namespace ikstream
