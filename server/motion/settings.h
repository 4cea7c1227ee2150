// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Settings of the clean-up, as plain data: the shapes and names of
// ikstream.v1.CleanupSettings. Metres, m/s, seconds and radians whatever the rig's units.
#pragma once

#include <optional>

#include "absl/status/status.h"

namespace ikstream {

struct FloorSettings {
  enum class Mode { kUnspecified, kAuto, kPlane, kFlat, kRolling };
  std::optional<Mode> mode;
  std::optional<float> height;  // rig units along `up`; only with kFlat
};

struct ContactSettings {
  enum class Mode { kUnspecified, kAuto, kSpeed, kHeight, kGiven };
  std::optional<Mode> mode;
  std::optional<float> enter_speed;     // m/s
  std::optional<float> leave_speed;     // m/s
  std::optional<float> enter_height_m;  // unset: worked out from the clip
  std::optional<float> leave_height_margin_m;
  std::optional<float> min_contact_seconds;
  std::optional<float> min_gap_seconds;
};

struct AnchorSettings {
  std::optional<float> middle_share;
  std::optional<float> split_radius_m;
  std::optional<bool> allow_slide;
};

struct BlendSettings {
  std::optional<float> seconds;
  std::optional<int> min_frames;
  std::optional<float> max_seconds;
};

struct PelvisSettings {
  std::optional<float> max_down_m;
  std::optional<float> max_up_m;
  std::optional<float> max_horizontal_m;
  std::optional<float> smooth_seconds;
};

struct LegSettings {
  std::optional<float> soft_start;   // share of the leg's length
  std::optional<float> soft_end;     // share of the leg's length
  std::optional<float> max_stretch;  // share of the bones' length
};

struct SoleSettings {
  std::optional<float> max_tilt_rad;
  std::optional<float> max_rate_rad_per_second;
  std::optional<bool> align;  // unset: true where terrain is given
};

struct LegLimitSettings {
  std::optional<bool> enabled;
  std::optional<float> knee_max_rad;
  std::optional<float> ankle_down_rad;
  std::optional<float> ankle_up_rad;
};

struct JitterSettings {
  enum class Mode { kUnspecified, kOff, kLowPass, kOneEuro };
  std::optional<Mode> mode;
  std::optional<float> cutoff_hz;
};

struct GuardSettings {
  std::optional<bool> enabled;
  std::optional<float> peak_ratio;
  std::optional<float> peak_margin_rad_per_second;
};

struct CleanupSettings {
  FloorSettings floor;
  ContactSettings contact;
  AnchorSettings anchor;
  BlendSettings blend;
  PelvisSettings pelvis;
  LegSettings leg;
  SoleSettings sole;
  LegLimitSettings limits;
  JitterSettings jitter;
  GuardSettings guard;
};

// The profile that WithDefaults() fills in.
inline constexpr char kDefaultProfile[] = "v1";

// `settings` with the profile's default in every field that was unset. Still unset afterwards,
// since the clip decides: floor.height, contact.enter_height_m, sole.align.
CleanupSettings WithDefaults(CleanupSettings settings);

// Ranges, finiteness, and fields that contradict each other. Errors name `contact.enter_speed`
// and so on.
absl::Status ValidateSettings(const CleanupSettings& settings);

// True where floor, contact and anchor settings (those that a plan records) are the same.
bool SameDetection(const CleanupSettings& a, const CleanupSettings& b);

}  // namespace ikstream
