// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// What a leg reaches: the soft zone before full extension, and the pelvis offsets for which it
// reaches a target. Rig units. Pure and thread-safe.
#pragma once

#include <span>

#include "core/math.h"

namespace ikstream {

// Up to `start` a distance is met; beyond, the leg approaches `end` exponentially:
// start + w (1 - exp(-(d - start) / w)), w = end - start; a hard stop at `start` where w = 0.
// Neither is below what the source reaches in the frame.
struct LegReach {
  double start = 0, end = 0;
  double nearest = 0;  // how far the leg folds

  double Soften(double distance) const;
};

// Offsets along up for which a leg reaches: low <= offset <= high.
struct ReachInterval {
  double low = 0, high = 0;
};

// The offsets of the hip for which start >= distance >= nearest. Where the target is farther
// off sideways than the leg is long: the one offset that comes nearest.
ReachInterval OffsetsThatReach(const LegReach& reach, Vec3d hip, Vec3d target, Vec3d up);

// The smallest offset, by size, that lies in all intervals and in [lowest, highest]. Where they
// exclude each other reaching wins over folding, and the bounds win over both.
double PelvisOffset(std::span<const ReachInterval> legs, double lowest, double highest);

}  // namespace ikstream
