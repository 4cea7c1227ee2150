// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/input_targets.h"

#include "core/chain_place.h"

namespace ikstream {

void InputTargets::Record(const MotionView& motion, const ChainTargets& asked,
                          const float* pose) {
  if (asked.positions && !KeepsRotation(asked)) return;
  const auto count = static_cast<size_t>(motion.frames);
  if (positions_.size() < 3 * count) {
    positions_.resize(3 * count);
    rotations_.resize(4 * count);
  }
  const ChainPlacer placer(rig_, chain_, motion, pose);
  for (int f = 0; f < motion.frames; ++f) {
    const ChainPlace at = placer.At(f, true);
    // A chain that aims looks along its axis.
    const Vec3d axis = Rotate(at.end_rotation, Cast<double>(chain_.aim_axis));
    const Vec3d end = at.end + axis * static_cast<double>(AimDistance(chain_));
    Store(Cast<float>(end), positions_.data() + 3LL * f);
    Store(Cast<float>(at.end_rotation), rotations_.data() + 4LL * f);
  }
}

ChainTargets InputTargets::Complete(const ChainTargets& asked) const {
  ChainTargets all = asked;
  if (!asked.positions) all.positions = {positions_.data(), 3};
  if (KeepsRotation(asked)) all.rotations = {rotations_.data(), 4};
  return all;
}

}  // namespace ikstream
