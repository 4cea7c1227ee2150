// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Gathers the report of a clean-up from its frames. Not thread-safe.
#pragma once

#include <span>
#include <vector>

#include "motion/quality.h"

namespace ikstream {

// One frame, before and after.
struct CleanedFrame {
  std::int64_t clip_frame = 0;
  std::span<const FootFrame> feet;      // the source and what was asked
  std::span<const LegPose> legs_after;  // forward kinematics of the answer
  Vec3d pelvis_before, pelvis_after;
  const float* rotations_before = nullptr;  // 4 J
  const float* rotations_after = nullptr;   // 4 J
};

class CleanReport {
 public:
  CleanReport(const ClipSpec& clip, const Plan& plan, std::span<const FootShape> shapes,
              const CleanupSettings& settings, std::span<const int> driven_joints);

  void Add(const CleanedFrame& frame);
  void NoteLimit() { ++report_.limit_hits; }
  QualityReport Result() const;

 private:
  void CompareRotations(const CleanedFrame& frame);
  void CompareLegs(const CleanedFrame& frame);

  const ClipSpec& clip_;
  const std::vector<int> driven_;
  std::vector<double> pop_speeds_;
  std::vector<FootMeter> before_, after_;
  JerkMeter pelvis_before_, pelvis_after_;
  double change_sum_ = 0, change_outside_sum_ = 0;
  std::int64_t frames_ = 0, frames_outside_ = 0;
  std::vector<float> last_rotations_;  // 4 per driven joint, of the answer before
  std::vector<bool> last_changed_;
  QualityReport report_;
};

}  // namespace ikstream
