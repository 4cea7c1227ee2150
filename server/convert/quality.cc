// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "convert/quality.h"

namespace ikstream {
namespace {

v1::FootQuality ToProto(const FootQuality& in) {
  v1::FootQuality out;
#define COPY(name) out.set_##name(in.name)
  COPY(name);
  COPY(contact_share);
  COPY(contacts);
  COPY(slide_mm_per_frame);
  COPY(slide_mm_per_second);
  COPY(worst_drift_mm);
  COPY(worst_drift_frame);
  COPY(skating_ratio);
  COPY(skating_weighted);
  COPY(penetration_max_mm);
  COPY(penetration_frames);
  COPY(floating_p95_mm);
  COPY(knee_speed_p99_deg);
  COPY(knee_speed_max_deg);
  COPY(knee_speed_max_frame);
  COPY(extension_max);
  COPY(knee_pops);
  COPY(ankle_jerk_p99);
  COPY(ankle_jerk_mean);
  COPY(knee_jerk_p99);
  COPY(knee_jerk_mean);
  return out;
}

void Copy(const Quality& in, v1::Quality& out) {
  for (const FootQuality& foot : in.feet) *out.add_feet() = ToProto(foot);
  COPY(pelvis_jerk_p99);
  COPY(pelvis_jerk_mean);
}

}  // namespace

v1::QualityReport ToProto(const QualityReport& in) {
  v1::QualityReport out;
  Copy(in.before, *out.mutable_before());
  Copy(in.after, *out.mutable_after());
  COPY(bone_length_error);
  COPY(change_mean_mm);
  COPY(change_outside_contacts_mm);
  COPY(pelvis_shift_max_mm);
  COPY(unreachable_max_mm);
  COPY(limit_hits);
  COPY(sign_flips);
  COPY(non_finite);
  COPY(euler_steps);
  COPY(changed_joint_frames);
  COPY(joint_frames);
#undef COPY
  return out;
}

}  // namespace ikstream
