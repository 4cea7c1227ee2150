// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/chain_place.h"

namespace ikstream {

ChainPlacer::ChainPlacer(const Rig& rig, const Chain& chain, const MotionView& motion,
                         const float* pose)
    : chain_(chain),
      motion_(motion),
      pose_(pose),
      joints_(rig.skeleton().size()),
      translations_(static_cast<std::int64_t>(rig.translated_joints().size())) {}

Quatd ChainPlacer::Rotation(int frame, int joint) const {
  return Normalized(Cast<double>(LoadQuat(pose_ + 4 * (joints_ * frame + joint))));
}

Vec3d ChainPlacer::Offset(int frame, Vec3f rest, int slot) const {
  if (slot < 0) return Cast<double>(rest);
  return Cast<double>(
      LoadVec3(motion_.local_translations + 3 * (translations_ * frame + slot)));
}

ChainPlace ChainPlacer::At(int frame, bool with_end) const {
  ChainPlace at{Cast<double>(LoadVec3(motion_.root_positions + 3LL * frame)), {}, {}, {}};
  for (size_t k = 0; k < chain_.prefix.size(); ++k) {
    at.parent = Normalized(at.parent * Rotation(frame, chain_.prefix[k]));
    at.root +=
        Rotate(at.parent, Offset(frame, chain_.prefix_offsets[k], chain_.prefix_slots[k]));
  }
  if (!with_end) return at;
  at.end_rotation = at.parent;
  at.end = at.root;
  for (size_t k = 0; k < chain_.turned.size(); ++k) {
    at.end_rotation = Normalized(at.end_rotation * Rotation(frame, chain_.turned[k]));
    if (k < chain_.bones.size()) at.end += Rotate(at.end_rotation, Bone(frame, k));
  }
  return at;
}

}  // namespace ikstream
