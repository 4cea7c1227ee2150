// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cli/foot_tracks.h"

#include <algorithm>
#include <utility>

namespace ikstream::cli {
namespace {

Vec3f ToFloat(const std::array<double, 3>& v) { return Cast<float>(Vec3d{v[0], v[1], v[2]}); }

void Overwrite(std::span<const float> from, std::vector<float>& to) {
  if (from.size() == to.size()) std::copy(from.begin(), from.end(), to.begin());
}

void ApplyEdits(const bvh::Edits& edits, std::size_t joints, bvh::Clip& frames) {
  Overwrite(edits.root_positions, frames.root_positions);
  Overwrite(edits.local_translations, frames.local_translations);
  const std::size_t driven = edits.joints.size();
  if (driven == 0) return Overwrite(edits.local_rotations, frames.local_rotations);
  for (std::size_t i = 0; i + 4 <= edits.local_rotations.size(); i += 4) {
    const std::size_t frame = i / 4 / driven;
    const std::size_t joint = static_cast<std::size_t>(edits.joints[i / 4 % driven]);
    std::copy_n(edits.local_rotations.begin() + static_cast<std::ptrdiff_t>(i), 4,
                frames.local_rotations.begin() +
                    static_cast<std::ptrdiff_t>(4 * (frame * joints + joint)));
  }
}

}  // namespace

absl::StatusOr<FootTracks> FootTracks::Create(const ClipFile& clip) {
  std::vector<Joint> joints;
  for (const bvh::Joint& joint : clip.header.joints) {
    joints.push_back({joint.name, joint.parent, ToFloat(joint.offset), Quatf{}, {}});
  }
  auto skeleton = Skeleton::Create(std::move(joints));
  if (!skeleton.ok()) return skeleton.status();
  return FootTracks(clip, *std::move(skeleton));
}

FootTracks::FootTracks(const ClipFile& clip, Skeleton skeleton)
    : clip_(&clip), skeleton_(std::move(skeleton)) {}

void FootTracks::Begin(const google::protobuf::RepeatedPtrField<v1::Foot>& feet) {
  feet_.clear();
  for (const v1::Foot& foot : feet) {
    const int joint = foot.has_toe_joint() ? foot.toe_joint() : foot.ankle_joint();
    feet_.push_back({foot.name(), std::clamp(joint, 0, skeleton_.size() - 1), {}, {}});
  }
}

void FootTracks::Add(bvh::Clip source, const bvh::Edits& edits) {
  Append(source, &FootTrack::before);
  ApplyEdits(edits, clip_->header.joints.size(), source);
  Append(source, &FootTrack::after);
}

void FootTracks::Append(const bvh::Clip& frames, std::vector<Vec3f> FootTrack::*series) {
  const std::size_t joints = clip_->header.joints.size();
  const std::size_t translated = clip_->layout.translated_joints.size();
  ModelPose pose;
  for (std::size_t f = 0; f < static_cast<std::size_t>(frames.frame_count); ++f) {
    const PoseView view{
        frames.root_positions.data() + 3 * f, frames.local_rotations.data() + 4 * joints * f,
        translated > 0 ? frames.local_translations.data() + 3 * translated * f : nullptr};
    ForwardKinematics(skeleton_, view, clip_->layout.translated_joints, pose);
    for (FootTrack& foot : feet_) {
      (foot.*series).push_back(Cast<float>(pose.positions[foot.joint]));
    }
  }
}

}  // namespace ikstream::cli
