// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/bend.h"

#include <cmath>
#include <numbers>

#include "core/chain_place.h"

namespace ikstream {
namespace {

constexpr double kFade = 5 * std::numbers::pi / 180;

Vec3d Across(Vec3d v, Vec3d line) { return v - line * Dot(v, line); }

Vec3d LeastAxis(Vec3d v) {
  const double x = std::abs(v.x), y = std::abs(v.y), z = std::abs(v.z);
  if (x <= y && x <= z) return {1, 0, 0};
  return y <= z ? Vec3d{0, 1, 0} : Vec3d{0, 0, 1};
}

}  // namespace

Vec3d BendTrack::Fallback(Vec3d line, Vec3d rest_bend) const {
  const Vec3d last = has_last_ ? Across(last_, line) : Vec3d{};
  if (Length(last) > 1e-3) return last / Length(last);
  const Vec3d rest = Across(rest_bend, line);
  if (Length(rest) > 1e-3) return rest / Length(rest);
  const Vec3d axis = Across(LeastAxis(line), line);
  return axis / Length(axis);
}

Vec3d BendTrack::Next(Vec3d pole, Vec3d line, Vec3d rest_bend) {
  const Vec3d across = Across(pole, line);
  const double off = Length(across);
  const double angle = std::atan2(off, std::abs(Dot(pole, line)));
  if (angle >= kFade) {
    last_ = across / off;
    has_last_ = true;
    has_turn_ = false;
    return pole;  // the lanes take its part across the line that the chain's end really makes
  }
  const Vec3d from = Fallback(line, rest_bend);
  double turn = off > 0 ? std::atan2(Dot(Cross(from, across), line), Dot(from, across)) : 0;
  if (has_turn_)
    turn += 2 * std::numbers::pi * std::round((turn_ - turn) / (2 * std::numbers::pi));
  turn_ = turn;
  has_turn_ = true;
  return Rotate(FromAxisAngle(line, turn * angle / kFade), from);
}

void BendTrack::Resolve(const Rig& rig, const Chain& chain, const MotionView& motion,
                        const float* pose, const ChainTargets& targets, float* bends) {
  const bool is_point = chain.spec.pole.kind == PoleKind::kPoint;
  const ChainPlacer placer(rig, chain, motion, pose);
  for (int f = 0; f < motion.frames; ++f) {
    const ChainPlace at = placer.At(f, !targets.positions);
    const Vec3d target =
        targets.positions ? Cast<double>(LoadVec3(targets.positions.at(f))) : at.end;
    Vec3d pole =
        Cast<double>(targets.poles ? LoadVec3(targets.poles.at(f)) : chain.spec.pole.value);
    if (is_point) pole -= at.root;
    pole = NormalizedOr(pole, Vec3d{});
    const Vec3d way = target - at.root;
    // No line, no fade: the pole itself; no pole: the fallback alone.
    const bool no_line = Length(way) < 1e-6 * chain.length;
    const Vec3d bend = no_line ? pole
                               : Next(pole, way / Length(way),
                                      Rotate(at.parent, Cast<double>(chain.rest_bend)));
    Store(Cast<float>(bend), bends + 3LL * f);
  }
}

}  // namespace ikstream
