// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include <cmath>

#include "absl/strings/str_cat.h"
#include "core/field_error.h"
#include "motion/legs.h"
#include "motion/plan.h"

namespace ikstream {
namespace {

bool Finite(Vec3f v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

std::string At(absl::string_view list, size_t i, absl::string_view field) {
  return absl::StrCat(list, "[", i, "].", field);
}

absl::Status CheckAnchors(const ContactInterval& interval) {
  for (size_t k = 0; k < interval.anchors.size(); ++k) {
    const Anchor& anchor = interval.anchors[k];
    if (anchor.position && !Finite(*anchor.position))
      return FieldError(At("anchors", k, "position"), "is not finite");
    if (anchor.begin < interval.begin || anchor.begin >= interval.end)
      return FieldError(At("anchors", k, "begin"),
                        absl::StrCat(anchor.begin, " is outside its interval [", interval.begin,
                                     ", ", interval.end, ")"));
    if (k > 0 && anchor.begin <= interval.anchors[k - 1].begin)
      return FieldError(At("anchors", k, "begin"), "does not follow the anchor before");
  }
  return absl::OkStatus();
}

// `last`: the frame after the last that is sent; 0: unknown.
absl::Status CheckIntervals(const std::vector<ContactInterval>& intervals, std::int64_t first,
                            std::int64_t last) {
  for (size_t i = 0; i < intervals.size(); ++i) {
    const ContactInterval& interval = intervals[i];
    if (interval.end <= interval.begin)
      return FieldError(At("intervals", i, "end"),
                        absl::StrCat(interval.end, " is not after begin = ", interval.begin));
    if (interval.begin < first)
      return FieldError(At("intervals", i, "begin"),
                        absl::StrCat(interval.begin, " is before the first frame"));
    if (last > 0 && interval.end > last)
      return FieldError(At("intervals", i, "end"),
                        absl::StrCat(interval.end, " is beyond the ", last, " frames"));
    if (i > 0 && interval.begin < intervals[i - 1].end)
      return FieldError(At("intervals", i, "begin"),
                        absl::StrCat(interval.begin,
                                     " overlaps the interval before, which "
                                     "ends at ",
                                     intervals[i - 1].end, ": shorten or remove one of them"));
    if (absl::Status status = CheckAnchors(interval); !status.ok())
      return Under(absl::StrCat("intervals[", i, "]"), status);
  }
  return absl::OkStatus();
}

std::int64_t FrameAfterLast(const ClipSpec& clip) {
  return clip.frame_count > 0 ? clip.frame_count + clip.lead_out : 0;
}

// A foot with its joints: two of the same name may differ in these.
std::string Called(const Foot& foot, const ClipSpec& clip) {
  const auto& joints = clip.skeleton->joints();
  const auto joint = [&](int j) {
    return j >= 0 && static_cast<size_t>(j) < joints.size()
               ? joints[static_cast<size_t>(j)].name
               : absl::StrCat("joint ", j);
  };
  return absl::StrCat(foot.name, " (", joint(foot.hip_joint), " to ", joint(foot.ankle_joint),
                      ")");
}

absl::Status CheckFoot(const FootPlan& plan, const Foot& foot, const ClipSpec& clip) {
  if (plan.foot.ankle_joint != foot.ankle_joint || plan.foot.hip_joint != foot.hip_joint)
    return FieldError("foot", absl::StrCat("is ", Called(plan.foot, clip), ", the clip's is ",
                                           Called(foot, clip)));
  for (float value : {plan.heel_offset, plan.toe_offset, plan.tip_offset})
    if (!std::isfinite(value)) return FieldError("heel_offset", "an offset is not finite");
  return CheckIntervals(plan.intervals, -clip.lead_in, FrameAfterLast(clip));
}

absl::Status CheckFloor(const Floor& floor, const ClipSpec& clip) {
  if (floor.kind == Floor::Kind::kUnspecified) return FieldError("floor.kind", "is unset");
  if (floor.kind == Floor::Kind::kRolling) {
    if (floor.knots.empty()) return FieldError("floor.knots", "is empty");
    for (size_t i = 0; i < floor.knots.size(); ++i)
      if (!std::isfinite(floor.knots[i]))
        return FieldError(absl::StrCat("floor.knots[", i, "]"), "is not finite");
  }
  if (floor.kind == Floor::Kind::kPlane) {
    if (!Finite(floor.point)) return FieldError("floor.point", "is not finite");
    const float length = Length(floor.normal);
    if (!(std::abs(length - 1) < 1e-3f))
      return FieldError("floor.normal", "does not have unit length");
    if (!(Dot(Cast<double>(floor.normal), clip.up_vector()) > 0.05))
      return FieldError("floor.normal", "does not point up");
  }
  return absl::OkStatus();
}

absl::Status CheckClip(const Plan& plan, const ClipSpec& clip) {
  const auto& joints = clip.skeleton->joints();
  if (plan.joint_names.size() != joints.size())
    return FieldError("joint_names", absl::StrCat("has ", plan.joint_names.size(),
                                                  " joints, the clip has ", joints.size()));
  for (size_t i = 0; i < joints.size(); ++i)
    if (plan.joint_names[i] != joints[i].name)
      return FieldError(
          absl::StrCat("joint_names[", i, "]"),
          absl::StrCat("is ", plan.joint_names[i], ", the clip's is ", joints[i].name));
  if (plan.frame_count < 1) return FieldError("frame_count", "is not positive");
  if (clip.frame_count > 0 && plan.frame_count != clip.frame_count)
    return FieldError("frame_count", absl::StrCat("is ", plan.frame_count, ", the clip has ",
                                                  clip.frame_count));
  if (!(std::abs(plan.frames_per_second - clip.frames_per_second) <=
        1e-4 * clip.frames_per_second))
    return FieldError(
        "frames_per_second",
        absl::StrCat("is ", plan.frames_per_second, ", the clip has ", clip.frames_per_second));
  if (plan.up != clip.up) return FieldError("up", "is not the clip's");
  return CheckUnits(plan.units_per_metre);
}

}  // namespace

absl::Status ValidatePlan(const Plan& plan, const ClipSpec& clip) {
  if (absl::Status status = CheckClip(plan, clip); !status.ok()) return status;
  if (absl::Status status = CheckFloor(plan.floor, clip); !status.ok()) return status;
  if (absl::Status status = ValidateSettings(plan.settings); !status.ok())
    return Under("settings", status);
  if (plan.feet.size() != clip.feet.size())
    return FieldError("feet", absl::StrCat("has ", plan.feet.size(), " feet, the clip has ",
                                           clip.feet.size()));
  ClipSpec counted = clip;
  counted.frame_count = plan.frame_count;
  for (size_t f = 0; f < plan.feet.size(); ++f)
    if (absl::Status status = CheckFoot(plan.feet[f], clip.feet[f], counted); !status.ok())
      return Under(absl::StrCat("feet[", f, "]"), status);
  return absl::OkStatus();
}

absl::Status ValidateContacts(const std::vector<FootContacts>& contacts, const ClipSpec& clip) {
  for (size_t i = 0; i < contacts.size(); ++i) {
    const int foot = contacts[i].foot;
    if (foot < 0 || foot >= static_cast<int>(clip.feet.size()))
      return FieldError(At("contacts", i, "foot"),
                        absl::StrCat(foot, " is out of range [0, ", clip.feet.size(), ")"));
    for (size_t j = 0; j < i; ++j)
      if (contacts[j].foot == foot)
        return FieldError(At("contacts", i, "foot"),
                          absl::StrCat(foot, " has contacts in contacts[", j, "] already"));
    const absl::Status status =
        CheckIntervals(contacts[i].intervals, -clip.lead_in, FrameAfterLast(clip));
    if (!status.ok()) return Under(absl::StrCat("contacts[", i, "]"), status);
  }
  return absl::OkStatus();
}

}  // namespace ikstream
