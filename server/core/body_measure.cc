// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/body_measure.h"

#include "core/grow.h"

namespace ikstream {

void BodyMeasure::Grow(int frames) {
  const size_t size = group_.effectors.size() * static_cast<size_t>(frames);
  ikstream::Grow(kept_, size);
}

void BodyMeasure::Place(const MotionView& motion, int frame, const float* pose) {
  const auto moved = static_cast<std::int64_t>(rig_.translated_joints().size());
  const float* translations = motion.local_translations;
  if (translations != nullptr) translations += 3 * moved * frame;
  ForwardKinematics(rig_.skeleton(),
                    {motion.root_positions + 3LL * frame,
                     pose + 4LL * rig_.skeleton().size() * frame, translations},
                    rig_.translated_joints(), model_);
}

BodyMeasure::End BodyMeasure::EndOf(const BodyEffector& effector) const {
  const int joint = group_.nodes[effector.node].joint;
  const Quatd rotation = model_.rotations[joint];
  return {model_.positions[joint] + Rotate(rotation, Cast<double>(effector.tip)), rotation};
}

void BodyMeasure::Keep(const MotionView& motion, int frame, const float* pose) {
  Place(motion, frame, pose);
  End* kept = kept_.data() + group_.effectors.size() * frame;
  for (const BodyEffector& effector : group_.effectors) *kept++ = EndOf(effector);
}

void BodyMeasure::Residuals(const MotionView& motion, int frame, const float* pose,
                            std::span<const ChainTargets> asked,
                            std::span<const ChainResults> results) {
  Place(motion, frame, pose);
  const End* kept = kept_.data() + group_.effectors.size() * frame;
  for (const BodyEffector& effector : group_.effectors) {
    const ChainTargets& targets = asked[effector.chain];
    const ChainResults& to = results[effector.chain];
    const End now = EndOf(effector);
    End goal = *kept++;
    if (targets.positions) goal.at = Cast<double>(LoadVec3(targets.positions.at(frame)));
    if (to.residuals != nullptr)
      to.residuals[frame] = static_cast<float>(Length(goal.at - now.at));
    if (targets.rotations)
      goal.rotation = Normalized(Cast<double>(LoadQuat(targets.rotations.at(frame))));
    else if (!rig_.chains()[effector.chain].spec.keep_end_rotation)
      continue;
    if (to.residual_angles != nullptr)
      to.residual_angles[frame] = static_cast<float>(AngleBetween(goal.rotation, now.rotation));
  }
}

}  // namespace ikstream
