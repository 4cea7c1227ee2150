// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// What modes PLAN and CLEAN read of a setup: the clip, its feet, settings and known contacts.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "convert/limits.h"
#include "convert/motion.h"
#include "convert/warnings.h"
#include "core/rig.h"
#include "ikstream/v1/service.pb.h"
#include "motion/foot.h"
#include "motion/plan.h"
#include "motion/settings.h"
#include "motion/terrain_ground.h"
#include "session/ground_input.h"
#include "session/session.h"

namespace ikstream {

struct ClipSetup {
  std::shared_ptr<const Rig> rig;
  ClipSpec clip;
  CleanupSettings settings;  // as given; defaults are not filled in
  std::vector<FootContacts> contacts;
  std::unique_ptr<MixedGround> ground;
  std::unique_ptr<GroundInput> ground_input;
  std::string profile;
  std::string source_sha256;

  // Errors name fields that start at `setup`. `warnings` is told which feet were found.
  static absl::StatusOr<ClipSetup> Read(const v1::Setup& setup, const Limits& limits,
                                        CallShape shape, Warnings& warnings);

  // Reads what a batch says of the ground, and tells `ground`: its frames are pushed next.
  absl::Status ReadGround(const v1::Motion& motion, std::int64_t first_frame,
                          CheckedMotion& checked, Warnings& warnings) const;
  // What is planned on: terrain, samples where the first batch had some, or null: a floor is
  // fitted.
  const GroundQuery* plan_ground() const;
  Floor::Kind ground_kind() const;

  // Feet and units, for ready and summary.
  template <class Message>
  void Describe(Message& message) const {
    AddFeet(*message.mutable_feet());
    message.set_units_per_metre(clip.units_per_metre);
  }

 private:
  void AddFeet(google::protobuf::RepeatedPtrField<v1::Foot>& feet) const;
};

// The feet of a rig, given and found; `warnings` is told of those found. Field paths are
// relative to the rig.
absl::StatusOr<std::vector<Foot>> ReadFeet(const v1::Rig& rig, const Skeleton& skeleton,
                                           UpAxis up, const Limits& limits, Warnings& warnings);

}  // namespace ikstream
