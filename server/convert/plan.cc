// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "convert/plan.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "convert/foot.h"
#include "convert/settings.h"
#include "convert/values.h"
#include "core/field_error.h"

namespace ikstream {
namespace {

absl::StatusOr<Floor> ToFloor(const v1::Floor& in) {
  Floor out;
  if (!v1::Floor::Kind_IsValid(in.kind()))
    return FieldError("kind", absl::StrCat(static_cast<int>(in.kind()), " is no kind"));
  out.kind = static_cast<Floor::Kind>(in.kind());
  const auto point = CheckVec3(in.point(), "point");
  if (!point.ok()) return point.status();
  const auto normal = CheckVec3(in.normal(), "normal");
  if (!normal.ok()) return normal.status();
  out.point = *point;
  out.normal = *normal;
  out.knots.assign(in.knots().begin(), in.knots().end());
  out.why = in.why();
  return out;
}

v1::Floor ToProto(const Floor& in) {
  v1::Floor out;
  out.set_kind(static_cast<v1::Floor::Kind>(in.kind));
  *out.mutable_point() = ToProto(in.point);
  *out.mutable_normal() = ToProto(in.normal);
  out.mutable_knots()->Add(in.knots.begin(), in.knots.end());
  out.set_why(in.why);
  return out;
}

absl::StatusOr<FootPlan> ToFootPlan(const v1::FootPlan& in, int joints) {
  FootPlan out;
  auto foot = ToFoot(in.foot(), joints);
  if (!foot.ok()) return Under("foot", foot.status());
  out.foot = *std::move(foot);
  out.heel_offset = in.heel_offset();
  out.toe_offset = in.toe_offset();
  out.tip_offset = in.tip_offset();
  out.mode = static_cast<ContactSettings::Mode>(in.mode());
  out.knee_speed_p99 = in.knee_speed_p99();
  out.knee_speed_max = in.knee_speed_max();
  out.reach_max = in.reach_max();
  out.leg_length = in.leg_length();
  out.enter_height_m = in.enter_height_m();
  out.why = in.why();
  for (int i = 0; i < in.intervals_size(); ++i) {
    auto interval = ToInterval(in.intervals(i));
    if (!interval.ok()) return Under(At("intervals", i), interval.status());
    out.intervals.push_back(*std::move(interval));
  }
  return out;
}

v1::FootPlan ToProto(const FootPlan& in) {
  v1::FootPlan out;
  *out.mutable_foot() = ToProto(in.foot);
  out.set_heel_offset(in.heel_offset);
  out.set_toe_offset(in.toe_offset);
  out.set_tip_offset(in.tip_offset);
  out.set_mode(static_cast<v1::ContactSettings::Mode>(in.mode));
  out.set_knee_speed_p99(in.knee_speed_p99);
  out.set_knee_speed_max(in.knee_speed_max);
  out.set_reach_max(in.reach_max);
  out.set_leg_length(in.leg_length);
  out.set_enter_height_m(in.enter_height_m);
  out.set_why(in.why);
  for (const ContactInterval& interval : in.intervals) *out.add_intervals() = ToProto(interval);
  return out;
}

// Gathers intervals and knots into parts and starts a new one where the next would not fit.
class Cutter {
 public:
  explicit Cutter(std::int64_t max_bytes) : max_bytes_(max_bytes) { parts_.emplace_back(); }

  void Head(v1::Plan head) {
    bytes_ = static_cast<std::int64_t>(head.ByteSizeLong());
    *parts_.back().mutable_head() = std::move(head);
  }
  void Interval(int foot, const v1::ContactInterval& interval) {
    Room(static_cast<std::int64_t>(interval.ByteSizeLong()) + 16);
    auto& feet = *parts_.back().mutable_intervals();
    if (feet.empty() || feet.rbegin()->foot() != foot) feet.Add()->set_foot(foot);
    *feet.rbegin()->add_intervals() = interval;
  }
  void Knot(float knot) {
    Room(sizeof(float) + 1);
    parts_.back().add_floor_knots(knot);
  }
  std::vector<v1::PlanPart> Done() {
    parts_.back().set_last(true);
    return std::move(parts_);
  }

 private:
  void Room(std::int64_t bytes) {
    if (bytes_ + bytes > max_bytes_) {
      parts_.emplace_back();
      bytes_ = 0;
    }
    bytes_ += bytes;
  }

  const std::int64_t max_bytes_;
  std::int64_t bytes_ = 0;
  std::vector<v1::PlanPart> parts_;
};

}  // namespace

absl::StatusOr<Plan> ToPlan(const v1::Plan& in, int joints) {
  Plan out;
  out.profile = in.profile();
  out.source_sha256 = in.source_sha256();
  out.joint_names.assign(in.joint_names().begin(), in.joint_names().end());
  out.frame_count = in.frame_count();
  out.frames_per_second = in.frames_per_second();
  out.units_per_metre = in.units_per_metre();
  out.up = in.up() == v1::UP_AXIS_Z ? UpAxis::kZ : UpAxis::kY;
  out.reference_pose = in.reference_pose();
  auto floor = ToFloor(in.floor());
  if (!floor.ok()) return Under("floor", floor.status());
  out.floor = *std::move(floor);
  auto settings = ToSettings(in.settings());
  if (!settings.ok()) return Under("settings", settings.status());
  out.settings = *settings;
  for (int i = 0; i < in.feet_size(); ++i) {
    auto foot = ToFootPlan(in.feet(i), joints);
    if (!foot.ok()) return Under(At("feet", i), foot.status());
    out.feet.push_back(*std::move(foot));
  }
  out.notes.assign(in.notes().begin(), in.notes().end());
  return out;
}

v1::Plan ToProto(const Plan& in) {
  v1::Plan out;
  out.set_profile(in.profile);
  out.set_source_sha256(in.source_sha256);
  for (const std::string& name : in.joint_names) out.add_joint_names(name);
  out.set_frame_count(in.frame_count);
  out.set_frames_per_second(in.frames_per_second);
  out.set_units_per_metre(in.units_per_metre);
  out.set_up(in.up == UpAxis::kZ ? v1::UP_AXIS_Z : v1::UP_AXIS_Y);
  out.set_reference_pose(in.reference_pose);
  *out.mutable_floor() = ToProto(in.floor);
  *out.mutable_settings() = ToProto(in.settings);
  for (const FootPlan& foot : in.feet) *out.add_feet() = ToProto(foot);
  for (const std::string& note : in.notes) out.add_notes(note);
  return out;
}

std::vector<v1::PlanPart> CutPlan(const v1::Plan& plan, std::int64_t max_bytes) {
  v1::Plan head = plan;
  for (v1::FootPlan& foot : *head.mutable_feet()) foot.clear_intervals();
  head.mutable_floor()->clear_knots();
  Cutter cutter(max_bytes);
  cutter.Head(std::move(head));
  for (int f = 0; f < plan.feet_size(); ++f)
    for (const v1::ContactInterval& interval : plan.feet(f).intervals())
      cutter.Interval(f, interval);
  for (float knot : plan.floor().knots()) cutter.Knot(knot);
  return cutter.Done();
}

absl::Status JoinPlanPart(const v1::PlanPart& part, bool first, v1::Plan& plan) {
  if (part.has_head() != first)
    return FieldError("plan_part.head", first ? "is missing: the first part carries it"
                                              : "came again: only the first part carries it");
  if (first) plan = part.head();
  for (int i = 0; i < part.intervals_size(); ++i) {
    const v1::FootContacts& from = part.intervals(i);
    if (absl::Status s =
            CheckIndex(from.foot(), plan.feet_size(), At("plan_part.intervals", i, "foot"));
        !s.ok())
      return s;
    plan.mutable_feet(from.foot())->mutable_intervals()->MergeFrom(from.intervals());
  }
  plan.mutable_floor()->mutable_knots()->MergeFrom(part.floor_knots());
  return absl::OkStatus();
}

}  // namespace ikstream
