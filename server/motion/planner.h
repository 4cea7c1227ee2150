// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The first of two passes: reads a clip in batches of any size and decides from all of it what
// the second pass (motion/cleaner.h) does to each frame.
//
//   auto planner = Planner::Create(clip, settings, inputs);
//   for each batch: planner->Push(batch);
//   auto plan = planner->Finish();
//
// Keeps at most 40 bytes per foot and frame. The same frames give the same plan whatever the
// batches. Not thread-safe.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/solve.h"
#include "motion/foot_detect.h"
#include "motion/foot_track.h"
#include "motion/histogram.h"
#include "motion/plan.h"

namespace ikstream {

struct PlannerInputs {
  // Terrain or samples; null: a floor is fitted to the clip. Must outlive the planner.
  const GroundQuery* ground = nullptr;
  Floor::Kind ground_kind = Floor::Kind::kTerrain;
  // Contacts that the caller knows.
  std::vector<FootContacts> contacts;
  // Of this plan, intervals that are locked or ignored are kept. May be null; not kept.
  const Plan* earlier = nullptr;
  std::string source_sha256;
};

class Planner {
 public:
  // Errors: settings, contacts or the earlier plan at fault (fields relative to the setup:
  // `cleanup.contact.enter_speed`, `contacts[0].foot`, `plan.feet[0]...`); no feet.
  static absl::StatusOr<std::unique_ptr<Planner>> Create(ClipSpec clip,
                                                         CleanupSettings settings,
                                                         const PlannerInputs& inputs);

  // REQUIRES: checked frames (finite, unit quaternions).
  void Push(const MotionView& motion);

  // Errors: no frames but lead-in and lead-out; a count other than ClipSpec::frame_count.
  absl::StatusOr<Plan> Finish();

  const ClipSpec& clip() const { return clip_; }

 private:
  struct KneeStats {
    LogHistogram speeds;
    double before = 0, first_speed = 0, reach_max = 0;
  };

  Planner(ClipSpec clip, CleanupSettings settings, const PlannerInputs& inputs);
  void ReadFrame(const PoseView& pose);
  void ReadSpeeds(Vec3d pelvis);
  bool HasReferencePose() const;
  std::vector<ContactInterval> FixedIntervals(int foot) const;
  std::vector<DetectInput> Inputs(const GroundQuery* ground, std::int64_t first) const;
  void AddKneeStats(int foot, FootPlan& plan) const;

  ClipSpec clip_;
  CleanupSettings settings_;
  const GroundQuery* ground_;
  Floor::Kind ground_kind_;
  std::vector<FootContacts> contacts_, kept_;
  std::string source_sha256_;
  LegTracker tracker_;
  std::vector<LegPose> legs_, legs_before_;
  std::vector<FootTrack> tracks_;
  std::vector<KneeStats> knees_;
  Vec3d pelvis_before_;
  LogHistogram joint_speeds_;
  double first_jump_ = 0;  // the fastest joint from frame 0 to frame 1
  std::int64_t frames_ = 0;
};

}  // namespace ikstream
