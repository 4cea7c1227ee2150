// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "session/ground_input.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "convert/values.h"
#include "core/field_error.h"

namespace ikstream {

GroundInput::GroundInput(std::shared_ptr<const Terrain> terrain, int feet, bool live)
    : terrain_(std::move(terrain)), feet_(feet), live_(live) {
  if (terrain_ == nullptr) return;
  names_.assign(terrain_->platforms().begin(), terrain_->platforms().end());
}

absl::Status GroundInput::CheckSent(const v1::Motion& motion) const {
  const bool samples = motion.samples_size() > 0;
  if (samples && !first_ && !sampled_)
    return FieldError("motion.samples",
                      "came after a batch without them: what the ground is made of is told by "
                      "the first batch");
  if (motion.platforms_size() > 0 && !samples && !sampled_ && names_.empty())
    return FieldError("motion.platforms",
                      "neither terrain nor samples name a platform: nothing can ride on it");
  for (int i = 0; i < motion.samples_size(); ++i)
    if (!live_ && motion.samples(i).velocities_size() > 0)
      return FieldError(At("motion.samples", i, "velocities"),
                        "has a meaning in mode PLACE only: name a platform, which turns what "
                        "stands on it, too");
  return absl::OkStatus();
}

absl::Status GroundInput::Read(const v1::Motion& motion, std::int64_t first_frame,
                               CheckedMotion& checked, Warnings& warnings) {
  if (absl::Status s = CheckSent(motion); !s.ok()) return s;
  sampled_ = sampled_ || motion.samples_size() > 0;
  first_ = false;
  if (absl::Status s =
          checked.ReadPlatforms(motion, /*adds=*/sampled_, names_, platforms_, numbers_);
      !s.ok())
    return s;
  const CheckedSamples::Batch batch{feet_, checked.sent_frames(), first_frame, numbers_,
                                    static_cast<int>(names_.size())};
  return checked.TakeFrameError(samples_.Read(motion, batch, warnings));
}

std::vector<PlatformTrack> SliceOf(const std::vector<PlatformTrack>& tracks, int begin) {
  std::vector<PlatformTrack> out = tracks;
  for (PlatformTrack& track : out) {
    track.positions.data = track.positions.at(begin);
    if (track.rotations) track.rotations.data = track.rotations.at(begin);
  }
  return out;
}

}  // namespace ikstream
