// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/stretch.h"

#include <algorithm>

#include "core/grow.h"

namespace ikstream {

Stretch::Stretch(const Rig& rig, const Chain& chain) : rig_(rig), chain_(chain) {
  for (int slot : chain.bone_slots)
    if (active() && slot >= 0) slots_.push_back(slot);
}

double Stretch::Factor(const ChainPlacer& placer, const ChainTargets& targets,
                       int frame) const {
  const size_t bones = chain_.bones.size();
  const bool has_tip = !chain_.turns_end;
  const bool turns = static_cast<bool>(targets.rotations) || chain_.spec.keep_end_rotation;
  // A rotation target fixes where the tip points to: the other bones reach for its start.
  const bool fixes_tip = has_tip && turns && bones > 1;
  const ChainPlace at = placer.At(frame, fixes_tip);
  Vec3d target = Cast<double>(LoadVec3(targets.positions.at(frame)));
  if (fixes_tip) {
    Quatd goal = at.end_rotation;
    if (targets.rotations)
      goal = Slerp(goal, Normalized(Cast<double>(LoadQuat(targets.rotations.at(frame)))),
                   static_cast<double>(chain_.spec.rotation_weight));
    target -= Rotate(goal, placer.Bone(frame, bones - 1));
  }
  double fixed = 0, elastic = 0;
  for (size_t k = 0; k < (fixes_tip ? bones - 1 : bones); ++k)
    (chain_.bone_slots[k] < 0 ? fixed : elastic) += Length(placer.Bone(frame, k));
  const double needed = Length(target - at.root) - fixed;
  if (!(elastic > 0) || needed <= elastic) return 1;
  return std::min(needed / elastic, 1 + static_cast<double>(chain_.spec.max_stretch));
}

MotionView Stretch::Apply(const MotionView& motion, const ChainTargets& targets,
                          const float* weights, const float* pose) {
  const size_t width = 3 * rig_.translated_joints().size();
  const size_t count = width * static_cast<size_t>(motion.frames);
  Grow(lengthened_, count);
  std::copy_n(motion.local_translations, count, lengthened_.begin());
  MotionView out = motion;
  out.local_translations = lengthened_.data();
  factors_.assign(static_cast<size_t>(motion.frames), 1);
  if (!targets.positions) return out;
  const ChainPlacer placer(rig_, chain_, motion, pose);
  for (int f = 0; f < motion.frames; ++f) {
    const double factor = weights[f] > 0 ? Factor(placer, targets, f) : 1;
    factors_[static_cast<size_t>(f)] = factor;
    if (factor == 1) continue;
    for (int slot : slots_) {
      float* offset = lengthened_.data() + width * static_cast<size_t>(f) + 3 * slot;
      Store(Cast<float>(Cast<double>(LoadVec3(offset)) * factor), offset);
    }
  }
  return out;
}

void Stretch::KeepLengths(int frame, const float* translations) {
  const size_t width = 3 * rig_.translated_joints().size(),
               first = width * static_cast<size_t>(frame);
  std::copy_n(translations + first, width, lengthened_.data() + first);
  factors_[static_cast<size_t>(frame)] = 1;
}

void Stretch::Commit(const float* weights, int frames, float* translations) const {
  const size_t width = 3 * rig_.translated_joints().size();
  for (int f = 0; f < frames; ++f)
    for (int slot : slots_) {
      const size_t at = width * static_cast<size_t>(f) + 3 * static_cast<size_t>(slot);
      const Vec3f was = LoadVec3(translations + at), full = LoadVec3(lengthened_.data() + at);
      if (full == was) continue;
      Store(weights[f] == 1 ? full : was + (full - was) * weights[f], translations + at);
    }
}

}  // namespace ikstream
