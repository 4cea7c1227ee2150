// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "convert/foot.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "convert/values.h"
#include "core/field_error.h"
#include "core/solve.h"
#include "core/solver_list.h"

namespace ikstream {
namespace {

absl::StatusOr<Anchor> ToAnchor(const v1::Anchor& in) {
  Anchor out;
  out.begin = in.begin();
  if (!v1::Anchor::Point_IsValid(in.point()))
    return FieldError("point", absl::StrCat(static_cast<int>(in.point()), " is no point"));
  out.point = static_cast<Anchor::Point>(in.point());
  if (in.has_position()) {
    const auto position = CheckVec3(in.position(), "position");
    if (!position.ok()) return position.status();
    out.position = *position;
  }
  return out;
}

absl::Status CheckSolver(const std::string& name) {
  const int solver = FindSolver(name);
  if (solver < 0)
    return FieldError("solver", absl::StrCat("no solver is called \"", name, "\""));
  if (SolverEntries()[static_cast<size_t>(solver)].kind != SolverKind::kReach)
    return FieldError("solver", absl::StrCat("\"", name, "\" does not solve a limb by itself"));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Foot> ToFoot(const v1::Foot& in, int joints) {
  Foot out;
  out.name = in.name();
  out.hip_joint = in.hip_joint();
  out.ankle_joint = in.ankle_joint();
  out.solver = in.solver();
  out.sole_radius_m = in.sole_radius_m();
  absl::Status s = CheckIndex(in.hip_joint(), joints, "hip_joint");
  if (s.ok()) s = CheckIndex(in.ankle_joint(), joints, "ankle_joint");
  if (s.ok() && in.has_knee_joint()) {
    out.knee_joint = in.knee_joint();
    s = CheckIndex(in.knee_joint(), joints, "knee_joint");
  }
  if (s.ok() && in.has_toe_joint()) {
    out.toe_joint = in.toe_joint();
    s = CheckIndex(in.toe_joint(), joints, "toe_joint");
  }
  if (s.ok() && !in.solver().empty()) s = CheckSolver(in.solver());
  if (s.ok()) s = CheckRange(in.sole_radius_m(), 0, 1, "sole_radius_m");
  if (!s.ok()) return s;
  if (in.has_sole_normal()) {
    const auto normal = CheckVec3(in.sole_normal(), "sole_normal");
    if (!normal.ok()) return normal.status();
    if (Length(*normal) < 1e-6f) return FieldError("sole_normal", "has zero length");
    out.sole_normal = *normal;
  }
  return out;
}

v1::Foot ToProto(const Foot& in) {
  v1::Foot out;
  out.set_name(in.name);
  out.set_hip_joint(in.hip_joint);
  if (in.knee_joint) out.set_knee_joint(*in.knee_joint);
  out.set_ankle_joint(in.ankle_joint);
  if (in.toe_joint) out.set_toe_joint(*in.toe_joint);
  if (in.sole_normal) *out.mutable_sole_normal() = ToProto(*in.sole_normal);
  out.set_solver(in.solver);
  out.set_sole_radius_m(in.sole_radius_m);
  return out;
}

absl::StatusOr<ContactInterval> ToInterval(const v1::ContactInterval& in) {
  ContactInterval out;
  out.begin = in.begin();
  out.end = in.end();
  out.why = in.why();
  out.locked = in.locked();
  out.ignored = in.ignored();
  out.allow_slide = in.allow_slide();
  out.platform = in.platform();
  if (!v1::ContactInterval::Origin_IsValid(in.origin()))
    return FieldError("origin", absl::StrCat(static_cast<int>(in.origin()), " is no origin"));
  out.origin = static_cast<ContactInterval::Origin>(in.origin());
  for (int i = 0; i < in.anchors_size(); ++i) {
    auto anchor = ToAnchor(in.anchors(i));
    if (!anchor.ok()) return Under(At("anchors", i), anchor.status());
    out.anchors.push_back(*anchor);
  }
  return out;
}

v1::ContactInterval ToProto(const ContactInterval& in) {
  v1::ContactInterval out;
  out.set_begin(in.begin);
  out.set_end(in.end);
  out.set_origin(static_cast<v1::ContactInterval::Origin>(in.origin));
  out.set_why(in.why);
  out.set_locked(in.locked);
  out.set_ignored(in.ignored);
  out.set_allow_slide(in.allow_slide);
  out.set_platform(in.platform);
  for (const Anchor& anchor : in.anchors) {
    v1::Anchor& to = *out.add_anchors();
    to.set_begin(anchor.begin);
    to.set_point(static_cast<v1::Anchor::Point>(anchor.point));
    if (anchor.position) *to.mutable_position() = ToProto(*anchor.position);
  }
  return out;
}

absl::StatusOr<std::vector<FootContacts>> ToContacts(
    const google::protobuf::RepeatedPtrField<v1::FootContacts>& in) {
  std::vector<FootContacts> out;
  for (int i = 0; i < in.size(); ++i) {
    FootContacts foot{in[i].foot(), {}};
    for (int k = 0; k < in[i].intervals_size(); ++k) {
      auto interval = ToInterval(in[i].intervals(k));
      if (!interval.ok())
        return Under(absl::StrCat("contacts[", i, "].intervals[", k, "]"), interval.status());
      foot.intervals.push_back(*std::move(interval));
    }
    out.push_back(std::move(foot));
  }
  return out;
}

}  // namespace ikstream
