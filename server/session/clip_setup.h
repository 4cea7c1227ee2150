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
#include "session/session.h"

namespace ikstream {

struct ClipSetup {
  std::shared_ptr<const Rig> rig;
  ClipSpec clip;
  CleanupSettings settings;  // as given; defaults are not filled in
  std::vector<FootContacts> contacts;
  // Null where the rig has no terrain.
  std::unique_ptr<TerrainGround> ground;
  std::shared_ptr<const Terrain> terrain;
  std::string profile;
  std::string source_sha256;

  // Errors name fields that start at `setup`. `warnings` is told which feet were found.
  static absl::StatusOr<ClipSetup> Read(const v1::Setup& setup, const Limits& limits,
                                        CallShape shape, Warnings& warnings);

  // Reads the platforms of a batch into `out`; empty where the rig has no terrain.
  absl::Status ReadPlatforms(const v1::Motion& motion, CheckedMotion& checked,
                             std::vector<PlatformTrack>& out) const;
  // Tells the ground which frames are pushed next: `count` frames of the batch, from `begin`
  // on.
  void SetFrames(const std::vector<PlatformTrack>& platforms, std::int64_t first_frame,
                 int begin) const;

  // Feet and units, for ready and summary.
  template <class Message>
  void Describe(Message& message) const {
    AddFeet(*message.mutable_feet());
    message.set_units_per_metre(clip.units_per_metre);
  }

 private:
  void AddFeet(google::protobuf::RepeatedPtrField<v1::Foot>& feet) const;
};

}  // namespace ikstream
