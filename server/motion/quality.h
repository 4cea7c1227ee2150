// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The figures by which a clean-up is judged, gathered while frames pass: the shapes and names
// of ikstream.v1.Quality, FootQuality and QualityReport.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "motion/foot_cleaner.h"
#include "motion/histogram.h"
#include "motion/plan.h"

namespace ikstream {

struct FootQuality {
  std::string name;
  float contact_share = 0;
  std::int64_t contacts = 0;
  float slide_mm_per_frame = 0;
  float slide_mm_per_second = 0;
  float worst_drift_mm = 0;
  std::int64_t worst_drift_frame = 0;
  float skating_ratio = 0;
  float skating_weighted = 0;  // m/s
  float penetration_max_mm = 0;
  std::int64_t penetration_frames = 0;
  float floating_p95_mm = 0;
  float knee_speed_p99_deg = 0;
  float knee_speed_max_deg = 0;
  std::int64_t knee_speed_max_frame = 0;
  float extension_max = 0;
  std::int64_t knee_pops = 0;
  float ankle_jerk_p99 = 0, ankle_jerk_mean = 0;  // m/s^3
  float knee_jerk_p99 = 0, knee_jerk_mean = 0;
};

struct Quality {
  std::vector<FootQuality> feet;
  float pelvis_jerk_p99 = 0, pelvis_jerk_mean = 0;
};

struct QualityReport {
  Quality before, after;
  float bone_length_error = 0;
  float change_mean_mm = 0;
  float change_outside_contacts_mm = 0;
  float pelvis_shift_max_mm = 0;
  float unreachable_max_mm = 0;
  std::int64_t unreachable_max_frame = 0;  // of the clip
  int unreachable_max_foot = 0;
  std::int64_t limit_hits = 0;
  std::int64_t sign_flips = 0;
  std::int64_t non_finite = 0;
  std::int64_t euler_steps = 0;  // counted by the client's writer
  std::int64_t changed_joint_frames = 0;
  std::int64_t joint_frames = 0;
};

// Jerk by third differences of positions, m/s^3.
class JerkMeter {
 public:
  // `scale`: metres per rig unit, times frames per second cubed.
  explicit JerkMeter(double scale) : scale_(scale) {}
  void Add(Vec3d position);
  const LogHistogram& values() const { return values_; }

 private:
  double scale_;
  Vec3d past_[3];
  int known_ = 0;
  LogHistogram values_;
};

// The figures of one foot over one version of a clip. Frames in order.
class FootMeter {
 public:
  FootMeter(const ClipSpec& clip, const FootPlan& plan, const FootShape& shape);

  // `frame` holds the source's ground and plant; `leg` is the version that is measured.
  void Add(std::int64_t clip_frame, const FootFrame& frame, const LegPose& leg,
           double pop_speed);
  FootQuality Result() const;

 private:
  void AddPlanted(std::int64_t clip_frame, const FootFrame& frame, const LegPose& leg);
  void AddHeights(const FootFrame& frame, const LegPose& leg);
  void AddKnee(std::int64_t clip_frame, const LegPose& leg, double pop_speed);

  const ClipSpec& clip_;
  const FootPlan& plan_;
  const FootShape shape_;
  size_t span_ = 0;
  std::int64_t frames_ = 0, contact_frames_ = 0, slide_frames_ = 0, skate_frames_ = 0;
  std::int64_t anchor_id_ = 0;
  double slide_sum_ = 0, skate_weighted_ = 0, before_bend_ = 0, before_height_ = 1e30;
  Vec3d before_point_, before_off_;
  bool in_span_ = false;
  LogHistogram mid_heights_, knee_speeds_;
  JerkMeter ankle_jerk_, knee_jerk_;
  FootQuality result_;
};

}  // namespace ikstream
