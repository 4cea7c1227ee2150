// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// What a Cleaner holds: the frames in its windows and the stages over them. Internal.
#pragma once

#include <memory>
#include <vector>

#include "motion/clean_report.h"
#include "motion/cleaner.h"
#include "motion/leg_solver.h"
#include "motion/pelvis.h"

namespace ikstream {

// Frames are counted from the first lead-in frame on.
struct Cleaner::State {
  static absl::StatusOr<std::unique_ptr<State>> Create(ClipSpec clip, Plan plan,
                                                       CleanupSettings settings,
                                                       const GroundQuery* ground);

  void Read(const PoseView& pose);
  // Runs every stage as far as the frames read so far allow.
  void Advance();
  void Emit(std::int64_t i);
  // Solves the frames emitted since the last flush and appends them.
  void Flush(CleanBatch& out);
  std::int64_t lag() const;

  ClipSpec clip;
  Plan plan;
  CleanupSettings settings;
  std::unique_ptr<GroundQuery> floor;
  std::int64_t total = 0;    // frames of the stream, lead-in and lead-out included
  int pelvis_carrier = -1;   // the translated joint that takes the pelvis' offset; -1: the root
  size_t carrier_track = 0;  // its place in local_translations

  std::unique_ptr<LegTracker> tracker;
  std::vector<FootCleaner> feet;
  std::unique_ptr<Pelvis> pelvis;
  std::unique_ptr<LegSolver> solver;
  std::unique_ptr<CleanReport> report;

  // The first frame that each stage has not done.
  std::int64_t read = 0, blended = 0, lifted = 0, emitted = 0;
  struct Raw {
    std::vector<float> root, rotations, translations;
    Quatd carrier_parent;
    Vec3d pelvis;
  };
  std::unique_ptr<FrameRing<Raw>> raw;

  // The run of frames to be solved next.
  struct Run {
    std::int64_t frames = 0, first = 0;
    std::vector<float> roots, rotations, translations, solved, offsets;
    std::vector<Vec3d> pelvis_before;
    std::vector<FootFrame> feet;  // frame-major
  };
  Run run;
  std::vector<LegPose> legs;

 private:
  void AppendRun(CleanBatch& out) const;
  void MeasureRun(CleanBatch& out);
};

}  // namespace ikstream
