// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "session/place_setup.h"

#include <set>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "convert/rig.h"
#include "convert/settings.h"
#include "convert/terrain.h"
#include "convert/values.h"
#include "core/field_error.h"
#include "motion/settings.h"
#include "session/clip_setup.h"
#include "session/frame_window.h"

namespace ikstream {
namespace {

// Settings of the clean-up that a live foot has, too.
const std::set<std::string>& LiveSettings() {
  static const auto& names =
      *new std::set<std::string>{"contact.enter_speed", "contact.leave_speed",
                                 "pelvis.max_down_m",   "pelvis.max_up_m",
                                 "leg.soft_start",      "leg.soft_end",
                                 "sole.max_tilt_rad",   "sole.max_rate_rad_per_second",
                                 "limits.knee_max_rad"};
  return names;
}

absl::Status CheckSettings(const v1::CleanupSettings& settings) {
  using google::protobuf::FieldDescriptor;
  using google::protobuf::Message;
  std::vector<const FieldDescriptor*> groups, fields;
  settings.GetReflection()->ListFields(settings, &groups);
  for (const FieldDescriptor* group : groups) {
    const Message& message = settings.GetReflection()->GetMessage(settings, group);
    fields.clear();
    message.GetReflection()->ListFields(message, &fields);
    for (const FieldDescriptor* field : fields) {
      const std::string name = absl::StrCat(group->name(), ".", field->name());
      if (LiveSettings().count(name) == 0)
        return FieldError(absl::StrCat("setup.cleanup.", name),
                          "has no meaning in mode PLACE, which looks at no frame ahead");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckMeaning(const v1::Setup& setup) {
  const char* field = nullptr;
  if (setup.rig().chains_size() > 0)
    return FieldError("setup.rig.chains",
                      "has no meaning in this mode: name limbs to place in rig.feet");
  if (setup.rig().colliders_size() > 0)
    return FieldError(absl::StatusCode::kUnimplemented, "setup.rig.colliders",
                      "is not served in this mode by this version");
  if (setup.has_plan() || setup.plan_follows()) field = "setup.plan";
  if (setup.contacts_size() > 0) field = "setup.contacts";
  if (field != nullptr)
    return FieldError(field, "has no meaning in mode PLACE: feet are planted as they come");
  if (!setup.profile().empty() && setup.profile() != kDefaultProfile)
    return FieldError("setup.profile", absl::StrCat("no profile is called \"", setup.profile(),
                                                    "\"; there is: ", kDefaultProfile));
  return CheckSettings(setup.cleanup());
}

PlaceSettings ToPlaceSettings(const CleanupSettings& in) {
  PlaceSettings out;
  const auto take = [](const std::optional<float>& from, double& to) {
    if (from) to = static_cast<double>(*from);
  };
  take(in.contact.enter_speed, out.enter_speed);
  take(in.contact.leave_speed, out.leave_speed);
  take(in.pelvis.max_down_m, out.pelvis_down);
  take(in.pelvis.max_up_m, out.pelvis_up);
  take(in.leg.soft_start, out.soft_start);
  take(in.leg.soft_end, out.soft_end);
  take(in.sole.max_tilt_rad, out.max_tilt);
  take(in.sole.max_rate_rad_per_second, out.tilt_speed);
  take(in.limits.knee_max_rad, out.max_knee_bend);
  return out;
}

RigSpec SpecOf(const Rig& rig) {
  RigSpec spec;
  const auto joints = rig.skeleton().joints();
  spec.joints.assign(joints.begin(), joints.end());
  for (int j = 0; j < rig.skeleton().size(); ++j) {
    spec.limits.push_back(rig.limit(j));
    spec.stiffness.push_back(rig.stiffness(j));
  }
  spec.translated_joints.assign(rig.translated_joints().begin(), rig.translated_joints().end());
  spec.up = rig.up();
  return spec;
}

PlaceFoot ToPlaceFoot(const Foot& in) {
  PlaceFoot out;
  out.name = in.name;
  out.hip_joint = in.hip_joint;
  out.knee_joint = in.knee_joint;
  out.ankle_joint = in.ankle_joint;
  out.toe_joint = in.toe_joint;
  out.sole_normal = in.sole_normal;
  out.solver = in.solver;
  out.sole_radius_m = in.sole_radius_m;
  return out;
}

// The placer names what is the rig's or the call's.
absl::Status UnderSetup(const absl::Status& status) {
  return FieldOf(status) == "frames_per_second" ? Under("setup", status)
                                                : Under("setup.rig", status);
}

}  // namespace

absl::StatusOr<PlaceSetup> PlaceSetup::Read(const v1::Setup& setup, const Limits& limits,
                                            CallShape shape, Warnings& warnings) {
  absl::Status s = CheckMeaning(setup);
  if (s.ok()) s = FrameWindow::Check(setup, shape != CallShape::kStream);
  if (!s.ok()) return s;
  PlaceSetup out;
  auto rig = ToRig(setup, limits, warnings);
  if (!rig.ok()) return rig.status();
  out.rig = *std::move(rig);
  auto feet = ReadFeet(setup.rig(), out.rig->skeleton(), out.rig->up(), limits, warnings);
  if (!feet.ok()) return Under("setup.rig", feet.status());
  out.feet = *std::move(feet);
  auto settings = ToSettings(setup.cleanup());
  if (!settings.ok()) return Under("setup.cleanup", settings.status());
  if (s = ValidateSettings(*settings); !s.ok()) return Under("setup.cleanup", s);
  if (setup.rig().has_terrain()) {
    auto terrain = ToTerrain(setup.rig().terrain(), out.rig->up(), limits, warnings);
    if (!terrain.ok()) return Under("setup.rig.terrain", terrain.status());
    out.terrain = *std::move(terrain);
  }
  PlacerSpec spec;
  spec.rig = SpecOf(*out.rig);
  for (const Foot& foot : out.feet) spec.feet.push_back(ToPlaceFoot(foot));
  spec.frames_per_second = setup.frames_per_second();
  if (setup.rig().has_units_per_metre())
    spec.units_per_metre = static_cast<double>(setup.rig().units_per_metre());
  spec.terrain = out.terrain;
  spec.settings = ToPlaceSettings(*settings);
  auto placer = Placer::Create(std::move(spec));
  if (!placer.ok()) return UnderSetup(placer.status());
  out.placer = *std::move(placer);
  return out;
}

}  // namespace ikstream
