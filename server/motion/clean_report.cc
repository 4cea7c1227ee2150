// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "motion/clean_report.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace ikstream {
namespace {

double JerkScale(const ClipSpec& clip) {
  return std::pow(clip.frames_per_second, 3) / clip.units_per_metre;
}

double RelativeChange(Vec3d a0, Vec3d b0, Vec3d a1, Vec3d b1) {
  const double before = Length(b0 - a0);
  return before > 0 ? std::abs(Length(b1 - a1) - before) / before : 0;
}

bool AllFinite(const float* values, int count) {
  for (int i = 0; i < count; ++i)
    if (!std::isfinite(values[i])) return false;
  return true;
}

}  // namespace

CleanReport::CleanReport(const ClipSpec& clip, const Plan& plan,
                         std::span<const FootShape> shapes, const CleanupSettings& settings,
                         std::span<const int> driven_joints)
    : clip_(clip),
      driven_(driven_joints.begin(), driven_joints.end()),
      pelvis_before_(JerkScale(clip)),
      pelvis_after_(JerkScale(clip)),
      last_rotations_(4 * driven_.size()),
      last_changed_(driven_.size(), false) {
  for (size_t f = 0; f < shapes.size(); ++f) {
    const double peak = plan.feet[f].knee_speed_max;
    pop_speeds_.push_back(std::max(peak * *settings.guard.peak_ratio,
                                   peak + *settings.guard.peak_margin_rad_per_second));
    before_.emplace_back(clip, plan.feet[f], shapes[f]);
    after_.emplace_back(clip, plan.feet[f], shapes[f]);
  }
}

void CleanReport::Add(const CleanedFrame& frame) {
  for (size_t f = 0; f < before_.size(); ++f) {
    before_[f].Add(frame.clip_frame, frame.feet[f], frame.feet[f].leg, pop_speeds_[f]);
    after_[f].Add(frame.clip_frame, frame.feet[f], frame.legs_after[f], pop_speeds_[f]);
  }
  pelvis_before_.Add(frame.pelvis_before);
  pelvis_after_.Add(frame.pelvis_after);
  CompareRotations(frame);
  CompareLegs(frame);
  ++frames_;
}

void CleanReport::CompareRotations(const CleanedFrame& frame) {
  for (size_t k = 0; k < driven_.size(); ++k) {
    const float* before = frame.rotations_before + 4 * driven_[k];
    const float* after = frame.rotations_after + 4 * driven_[k];
    const bool changed = std::memcmp(before, after, 4 * sizeof(float)) != 0;
    float* last = &last_rotations_[4 * k];
    if (changed) {
      ++report_.changed_joint_frames;
      if (!AllFinite(after, 4)) ++report_.non_finite;
      if (last_changed_[k] && Dot(LoadQuat(last), LoadQuat(after)) < 0) ++report_.sign_flips;
    }
    std::memcpy(last, after, 4 * sizeof(float));
    last_changed_[k] = changed;
  }
  report_.joint_frames += clip_.skeleton->size();
}

// Joints above the legs move with the pelvis; knees, ankles and toes by themselves.
void CleanReport::CompareLegs(const CleanedFrame& frame) {
  const double mm = 1000 / clip_.units_per_metre;
  const double shift = Length(frame.pelvis_after - frame.pelvis_before) * mm;
  report_.pelvis_shift_max_mm =
      std::max(report_.pelvis_shift_max_mm, static_cast<float>(shift));
  double sum = 0, error = 0;
  int moved_apart = 0;
  bool planted = false;
  for (size_t f = 0; f < frame.feet.size(); ++f) {
    const LegPose &a = frame.feet[f].leg, &b = frame.legs_after[f];
    sum += (Length(b.knee - a.knee) + Length(b.points[0] - a.points[0])) * mm;
    moved_apart += 2;
    if (clip_.feet[f].toe_joint) {
      sum += Length(b.points[1] - a.points[1]) * mm;
      ++moved_apart;
    }
    error = std::max({error, RelativeChange(a.hip, a.knee, b.hip, b.knee),
                      RelativeChange(a.knee, a.points[0], b.knee, b.points[0])});
    planted |= frame.feet[f].planted;
    const auto missed =
        static_cast<float>(Length(frame.feet[f].Target(clip_.up_vector()) - b.ankle()) * mm);
    if (missed > report_.unreachable_max_mm) {
      report_.unreachable_max_mm = missed;
      report_.unreachable_max_frame = frame.clip_frame;
      report_.unreachable_max_foot = static_cast<int>(f);
    }
  }
  const int joints = clip_.skeleton->size();
  const double mean = (sum + shift * std::max(0, joints - moved_apart)) / joints;
  change_sum_ += mean;
  if (!planted) {
    change_outside_sum_ += mean;
    ++frames_outside_;
  }
  report_.bone_length_error = std::max(report_.bone_length_error, static_cast<float>(error));
}

QualityReport CleanReport::Result() const {
  QualityReport out = report_;
  for (const FootMeter& meter : before_) out.before.feet.push_back(meter.Result());
  for (const FootMeter& meter : after_) out.after.feet.push_back(meter.Result());
  out.before.pelvis_jerk_p99 = static_cast<float>(pelvis_before_.values().Percentile(0.99));
  out.before.pelvis_jerk_mean = static_cast<float>(pelvis_before_.values().mean());
  out.after.pelvis_jerk_p99 = static_cast<float>(pelvis_after_.values().Percentile(0.99));
  out.after.pelvis_jerk_mean = static_cast<float>(pelvis_after_.values().mean());
  if (frames_ > 0)
    out.change_mean_mm = static_cast<float>(change_sum_ / static_cast<double>(frames_));
  if (frames_outside_ > 0)
    out.change_outside_contacts_mm =
        static_cast<float>(change_outside_sum_ / static_cast<double>(frames_outside_));
  return out;
}

}  // namespace ikstream
