// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "motion/quality.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "motion/contacts.h"

namespace ikstream {
namespace {

constexpr double kLowMetres = 0.05, kSkateSpeed = 0.5;
// The skating measure of Zhang et al. 2018: speed times 2 - 2^(height / 25 mm).
constexpr double kSkateHeight = 0.025;
constexpr double kMiddleShare = 0.6;
constexpr double kDegrees = 180 / std::numbers::pi;

double Clearance(const FootFrame& frame, const FootPlan& plan, const LegPose& leg,
                 FootPoint point) {
  const GroundHit& hit = frame.ground[static_cast<size_t>(point)];
  return Dot(leg.point(point) - hit.point, hit.normal) - plan.offset(point);
}

}  // namespace

void JerkMeter::Add(Vec3d p) {
  if (known_ == 3)
    values_.Add(Length(p - past_[2] * 3.0 + past_[1] * 3.0 - past_[0]) * scale_);
  else
    ++known_;
  past_[0] = past_[1];
  past_[1] = past_[2];
  past_[2] = p;
}

FootMeter::FootMeter(const ClipSpec& clip, const FootPlan& plan, const FootShape& shape)
    : clip_(clip),
      plan_(plan),
      shape_(shape),
      ankle_jerk_(std::pow(clip.frames_per_second, 3) / clip.units_per_metre),
      knee_jerk_(std::pow(clip.frames_per_second, 3) / clip.units_per_metre) {
  result_.name = plan.foot.name;
}

void FootMeter::Add(std::int64_t clip_frame, const FootFrame& frame, const LegPose& leg,
                    double pop_speed) {
  AddPlanted(clip_frame, frame, leg);
  AddHeights(frame, leg);
  AddKnee(clip_frame, leg, pop_speed);
  ankle_jerk_.Add(leg.ankle());
  knee_jerk_.Add(leg.knee);
  ++frames_;
}

// Slide and drift are against the anchor, so that a platform's own motion is none.
void FootMeter::AddPlanted(std::int64_t clip_frame, const FootFrame& frame,
                           const LegPose& leg) {
  if (!frame.planted) {
    in_span_ = false;
    return;
  }
  ++contact_frames_;
  const Vec3d up = clip_.up_vector();
  Vec3d off = leg.point(frame.anchored) - frame.anchor;
  off = off - up * Dot(off, up);
  const bool same = in_span_ && frame.anchor_id == anchor_id_;
  if (!in_span_) ++result_.contacts;
  if (same) {
    slide_sum_ += Length(off - before_off_);
    ++slide_frames_;
  }
  const double mm = 1000 / clip_.units_per_metre;
  if (Length(off) * mm > static_cast<double>(result_.worst_drift_mm)) {
    result_.worst_drift_mm = static_cast<float>(Length(off) * mm);
    result_.worst_drift_frame = clip_frame;
  }
  in_span_ = true;
  anchor_id_ = frame.anchor_id;
  before_off_ = off;
  while (span_ < plan_.intervals.size() && plan_.intervals[span_].end <= clip_frame) ++span_;
  if (span_ == plan_.intervals.size()) return;
  const Run middle =
      MiddleOf({plan_.intervals[span_].begin, plan_.intervals[span_].end}, kMiddleShare);
  if (clip_frame < middle.begin || clip_frame >= middle.end) return;
  double lowest = 1e30;
  for (FootPoint p : kFootPointList)
    if (frame.grounded[static_cast<size_t>(p)])
      lowest = std::min(lowest, Clearance(frame, plan_, leg, p));
  if (lowest < 1e30) mid_heights_.Add(lowest * mm);
}

void FootMeter::AddHeights(const FootFrame& frame, const LegPose& leg) {
  const double mm = 1000 / clip_.units_per_metre;
  double depth = 0;
  for (FootPoint p : kFootPointList)
    if (frame.grounded[static_cast<size_t>(p)])
      depth = std::max(depth, -Clearance(frame, plan_, leg, p) * mm);
  result_.penetration_max_mm = std::max(result_.penetration_max_mm, static_cast<float>(depth));
  result_.penetration_frames += depth > 5 ? 1 : 0;
  const FootPoint point = shape_.anchor_point();
  const bool grounded = frame.grounded[static_cast<size_t>(point)];
  const double height = grounded ? Clearance(frame, plan_, leg, point) * mm / 1000 : 1e30;
  const Vec3d up = clip_.up_vector();
  const Vec3d at = leg.point(point);
  if (frames_ > 0) {
    Vec3d step = at - before_point_;
    step = step - up * Dot(step, up);
    const double speed = Length(step) * clip_.frames_per_second / clip_.units_per_metre;
    if (height < kLowMetres && before_height_ < kLowMetres && speed > kSkateSpeed)
      ++skate_frames_;
    if (grounded)
      skate_weighted_ += speed * (2 - std::exp2(std::clamp(height / kSkateHeight, 0.0, 1.0)));
  }
  before_point_ = at;
  before_height_ = height;
}

void FootMeter::AddKnee(std::int64_t clip_frame, const LegPose& leg, double pop_speed) {
  const double bend = leg.KneeBend();
  if (frames_ > 0) {
    const double speed = std::abs(bend - before_bend_) * clip_.frames_per_second;
    knee_speeds_.Add(speed * kDegrees);
    if (speed * kDegrees > static_cast<double>(result_.knee_speed_max_deg)) {
      result_.knee_speed_max_deg = static_cast<float>(speed * kDegrees);
      result_.knee_speed_max_frame = clip_frame;
    }
    if (speed > pop_speed) ++result_.knee_pops;
  }
  before_bend_ = bend;
  result_.extension_max =
      std::max(result_.extension_max, static_cast<float>(leg.reach() / shape_.leg_length));
}

FootQuality FootMeter::Result() const {
  FootQuality out = result_;
  const auto frames = static_cast<double>(std::max<std::int64_t>(frames_, 1));
  out.contact_share = static_cast<float>(static_cast<double>(contact_frames_) / frames);
  if (slide_frames_ > 0) {
    const double slide =
        slide_sum_ / static_cast<double>(slide_frames_) * 1000 / clip_.units_per_metre;
    out.slide_mm_per_frame = static_cast<float>(slide);
    out.slide_mm_per_second = static_cast<float>(slide * clip_.frames_per_second);
  }
  out.skating_ratio = static_cast<float>(static_cast<double>(skate_frames_) / frames);
  out.skating_weighted = static_cast<float>(skate_weighted_ / frames);
  out.floating_p95_mm = static_cast<float>(
      std::max(0.0, mid_heights_.Percentile(0.95) - mid_heights_.Percentile(0.5)));
  out.knee_speed_p99_deg = static_cast<float>(knee_speeds_.Percentile(0.99));
  out.ankle_jerk_p99 = static_cast<float>(ankle_jerk_.values().Percentile(0.99));
  out.ankle_jerk_mean = static_cast<float>(ankle_jerk_.values().mean());
  out.knee_jerk_p99 = static_cast<float>(knee_jerk_.values().Percentile(0.99));
  out.knee_jerk_mean = static_cast<float>(knee_jerk_.values().mean());
  return out;
}

}  // namespace ikstream
