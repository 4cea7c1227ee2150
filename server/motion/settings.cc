// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "motion/settings.h"

#include <cmath>
#include <numbers>

#include "absl/strings/str_cat.h"
#include "core/field_error.h"

namespace ikstream {
namespace {

constexpr float kDegree = std::numbers::pi_v<float> / 180;

template <class T>
void Fill(std::optional<T>& field, T value) {
  if (!field) field = value;
}

template <class Mode>
void FillMode(std::optional<Mode>& mode, Mode value) {
  if (!mode || *mode == Mode::kUnspecified) mode = value;
}

// Collects the first field out of range.
class RangeCheck {
 public:
  void Within(absl::string_view field, std::optional<float> value, float low, float high) {
    if (!status_.ok() || !value || (*value >= low && *value <= high)) return;
    status_ = FieldError(field, absl::StrCat(*value, " is not in [", low, ", ", high, "]"));
  }
  void NotBelow(absl::string_view field, float value, absl::string_view other, float least) {
    if (!status_.ok() || value >= least) return;
    status_ = FieldError(field, absl::StrCat(value, " is below ", other, " = ", least));
  }
  absl::Status status() const { return status_; }

 private:
  absl::Status status_;
};

void CheckDetection(const CleanupSettings& s, RangeCheck& check) {
  check.Within("floor.height", s.floor.height, -1e9f, 1e9f);
  check.Within("contact.enter_speed", s.contact.enter_speed, 1e-4f, 100);
  check.Within("contact.leave_speed", s.contact.leave_speed, 1e-4f, 100);
  check.Within("contact.enter_height_m", s.contact.enter_height_m, 0, 10);
  check.Within("contact.leave_height_margin_m", s.contact.leave_height_margin_m, 0, 10);
  check.Within("contact.min_contact_seconds", s.contact.min_contact_seconds, 0, 60);
  check.Within("contact.min_gap_seconds", s.contact.min_gap_seconds, 0, 60);
  check.Within("anchor.middle_share", s.anchor.middle_share, 0.01f, 1);
  check.Within("anchor.split_radius_m", s.anchor.split_radius_m, 1e-3f, 100);
}

void CheckApplication(const CleanupSettings& s, RangeCheck& check) {
  check.Within("blend.seconds", s.blend.seconds, 0, 2);
  check.Within("blend.max_seconds", s.blend.max_seconds, 0, 2);
  if (s.blend.min_frames)
    check.Within("blend.min_frames", static_cast<float>(*s.blend.min_frames), 0, 240);
  check.Within("pelvis.max_down_m", s.pelvis.max_down_m, 0, 2);
  check.Within("pelvis.max_up_m", s.pelvis.max_up_m, 0, 2);
  check.Within("pelvis.max_horizontal_m", s.pelvis.max_horizontal_m, 0, 2);
  check.Within("pelvis.smooth_seconds", s.pelvis.smooth_seconds, 0, 1);
  check.Within("leg.soft_start", s.leg.soft_start, 0.5f, 1);
  check.Within("leg.soft_end", s.leg.soft_end, 0.5f, 1);
  check.Within("leg.max_stretch", s.leg.max_stretch, 0, 0.5f);
  check.Within("sole.max_tilt_rad", s.sole.max_tilt_rad, 0, 180 * kDegree);
  check.Within("sole.max_rate_rad_per_second", s.sole.max_rate_rad_per_second, 0, 1000);
  check.Within("limits.knee_max_rad", s.limits.knee_max_rad, 0, 180 * kDegree);
  check.Within("limits.ankle_down_rad", s.limits.ankle_down_rad, 0, 180 * kDegree);
  check.Within("limits.ankle_up_rad", s.limits.ankle_up_rad, 0, 180 * kDegree);
  check.Within("jitter.cutoff_hz", s.jitter.cutoff_hz, 0.5f, 1000);
  check.Within("guard.peak_ratio", s.guard.peak_ratio, 1, 1000);
  check.Within("guard.peak_margin_rad_per_second", s.guard.peak_margin_rad_per_second, 0,
               10000);
}

}  // namespace

CleanupSettings WithDefaults(CleanupSettings s) {
  FillMode(s.floor.mode, FloorSettings::Mode::kAuto);
  FillMode(s.contact.mode, ContactSettings::Mode::kAuto);
  Fill(s.contact.enter_speed, 0.15f);
  Fill(s.contact.leave_speed, 0.35f);
  Fill(s.contact.leave_height_margin_m, 0.02f);
  Fill(s.contact.min_contact_seconds, 0.10f);
  Fill(s.contact.min_gap_seconds, 0.10f);
  Fill(s.anchor.middle_share, 0.6f);
  Fill(s.anchor.split_radius_m, 0.06f);
  Fill(s.anchor.allow_slide, false);
  Fill(s.blend.seconds, 0.25f);
  Fill(s.blend.min_frames, 3);
  Fill(s.blend.max_seconds, 0.40f);
  Fill(s.pelvis.max_down_m, 0.15f);
  Fill(s.pelvis.max_up_m, 0.05f);
  Fill(s.pelvis.max_horizontal_m, 0.05f);
  Fill(s.pelvis.smooth_seconds, 0.05f);
  Fill(s.leg.soft_start, 0.975f);
  Fill(s.leg.soft_end, 0.985f);
  Fill(s.leg.max_stretch, 0.0f);
  Fill(s.sole.max_tilt_rad, 30 * kDegree);
  Fill(s.sole.max_rate_rad_per_second, 360 * kDegree);
  Fill(s.limits.enabled, true);
  Fill(s.limits.knee_max_rad, 150 * kDegree);
  Fill(s.limits.ankle_down_rad, 50 * kDegree);
  Fill(s.limits.ankle_up_rad, 30 * kDegree);
  FillMode(s.jitter.mode, JitterSettings::Mode::kOff);
  Fill(s.jitter.cutoff_hz, 11.0f);
  Fill(s.guard.enabled, true);
  Fill(s.guard.peak_ratio, 1.5f);
  Fill(s.guard.peak_margin_rad_per_second, 100 * kDegree);
  return s;
}

absl::Status ValidateSettings(const CleanupSettings& settings) {
  RangeCheck check;
  CheckDetection(settings, check);
  CheckApplication(settings, check);
  const CleanupSettings s = WithDefaults(settings);
  check.NotBelow("contact.leave_speed", *s.contact.leave_speed, "contact.enter_speed",
                 *s.contact.enter_speed);
  check.NotBelow("blend.max_seconds", *s.blend.max_seconds, "blend.seconds", *s.blend.seconds);
  check.NotBelow("leg.soft_end", *s.leg.soft_end, "leg.soft_start", *s.leg.soft_start);
  if (check.status().ok() && s.floor.height && *s.floor.mode != FloorSettings::Mode::kFlat)
    return FieldError("floor.height", "is set, but floor.mode is not FLAT");
  return check.status();
}

bool SameDetection(const CleanupSettings& a, const CleanupSettings& b) {
  const CleanupSettings x = WithDefaults(a), y = WithDefaults(b);
  return x.floor.mode == y.floor.mode && x.floor.height == y.floor.height &&
         x.contact.mode == y.contact.mode && x.contact.enter_speed == y.contact.enter_speed &&
         x.contact.leave_speed == y.contact.leave_speed &&
         x.contact.enter_height_m == y.contact.enter_height_m &&
         x.contact.leave_height_margin_m == y.contact.leave_height_margin_m &&
         x.contact.min_contact_seconds == y.contact.min_contact_seconds &&
         x.contact.min_gap_seconds == y.contact.min_gap_seconds &&
         x.anchor.middle_share == y.anchor.middle_share &&
         x.anchor.split_radius_m == y.anchor.split_radius_m &&
         x.anchor.allow_slide == y.anchor.allow_slide;
}

}  // namespace ikstream
