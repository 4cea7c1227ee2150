// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "session/clip_setup.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "convert/foot.h"
#include "convert/rig.h"
#include "convert/settings.h"
#include "convert/terrain.h"
#include "convert/values.h"
#include "core/field_error.h"
#include "motion/legs.h"
#include "session/frame_window.h"

namespace ikstream {
namespace {

// What the wire carries already and this version does not serve in these modes.
absl::Status CheckServed(const v1::Setup& setup) {
  const v1::Rig& rig = setup.rig();
  if (rig.chains_size() > 0)
    return FieldError("setup.rig.chains",
                      "has no meaning in this mode: name limbs to plant in rig.feet");
  if (rig.colliders_size() == 0) return absl::OkStatus();
  return FieldError(absl::StatusCode::kUnimplemented, "setup.rig.colliders",
                    "is not served in this mode by this version");
}

absl::Status CheckRate(double frames_per_second) {
  return CheckRange(frames_per_second, 1e-3, 1e6, "setup.frames_per_second");
}

absl::Status CheckProfile(const std::string& profile) {
  if (profile.empty() || profile == kDefaultProfile) return absl::OkStatus();
  return FieldError("setup.profile", absl::StrCat("no profile is called \"", profile,
                                                  "\"; there is: ", kDefaultProfile));
}

}  // namespace

absl::StatusOr<std::vector<Foot>> ReadFeet(const v1::Rig& rig, const Skeleton& skeleton,
                                           UpAxis up, const Limits& limits,
                                           Warnings& warnings) {
  if (absl::Status s = CheckCount(rig.feet_size(), limits.max_feet, "feet"); !s.ok()) return s;
  std::vector<Foot> given;
  for (int i = 0; i < rig.feet_size(); ++i) {
    auto foot = ToFoot(rig.feet(i), skeleton.size());
    if (!foot.ok()) return Under(At("feet", i), foot.status());
    given.push_back(*std::move(foot));
  }
  auto complete = CompleteFeet(skeleton, up, std::move(given));
  if (!complete.ok() || !rig.find_feet()) return complete;
  const FoundFeet found = FindFeet(skeleton, up);
  for (const std::string& text : found.text) warnings.Add("setup.rig.find_feet", text);
  return JoinFeet(*std::move(complete), found.feet);
}

absl::StatusOr<ClipSetup> ClipSetup::Read(const v1::Setup& setup, const Limits& limits,
                                          CallShape shape, Warnings& warnings) {
  absl::Status s = CheckServed(setup);
  if (s.ok()) s = FrameWindow::Check(setup, shape != CallShape::kStream);
  if (s.ok()) s = CheckRate(setup.frames_per_second());
  if (s.ok()) s = CheckProfile(setup.profile());
  if (!s.ok()) return s;
  ClipSetup out;
  auto rig = ToRig(setup, limits, warnings);
  if (!rig.ok()) return rig.status();
  out.rig = *std::move(rig);
  const Skeleton& skeleton = out.rig->skeleton();

  auto feet = ReadFeet(setup.rig(), skeleton, out.rig->up(), limits, warnings);
  if (!feet.ok()) return Under("setup.rig", feet.status());
  std::optional<double> given;
  if (setup.rig().has_units_per_metre()) given = setup.rig().units_per_metre();
  const auto units = UnitsPerMetre(skeleton, *feet, given);
  if (!units.ok()) return Under("setup.rig", units.status());

  auto settings = ToSettings(setup.cleanup());
  if (!settings.ok()) return Under("setup.cleanup", settings.status());
  auto contacts = ToContacts(setup.contacts());
  if (!contacts.ok()) return Under("setup", contacts.status());

  out.clip.skeleton = std::shared_ptr<const Skeleton>(out.rig, &skeleton);
  out.clip.up = out.rig->up();
  out.clip.frames_per_second = setup.frames_per_second();
  out.clip.translated_joints.assign(out.rig->translated_joints().begin(),
                                    out.rig->translated_joints().end());
  for (int joint = 0; joint < skeleton.size(); ++joint)
    out.clip.limits.push_back(out.rig->limit(joint));
  out.clip.feet = *std::move(feet);
  out.clip.units_per_metre = *units;
  out.clip.lead_in = setup.lead_in();
  out.clip.lead_out = setup.lead_out();
  out.clip.frame_count = setup.frame_count();
  std::shared_ptr<const Terrain> terrain;
  if (setup.rig().has_terrain()) {
    auto read = ToTerrain(setup.rig().terrain(), out.rig->up(), limits, warnings);
    if (!read.ok()) return Under("setup.rig.terrain", read.status());
    terrain = *std::move(read);
  }
  out.ground = std::make_unique<MixedGround>(terrain, out.clip);
  out.ground_input = std::make_unique<GroundInput>(
      terrain, static_cast<int>(out.clip.feet.size()), /*live=*/false);
  out.settings = *settings;
  out.contacts = *std::move(contacts);
  out.profile = kDefaultProfile;
  out.source_sha256 = setup.source_sha256();
  return out;
}

absl::Status ClipSetup::ReadGround(const v1::Motion& motion, std::int64_t first_frame,
                                   CheckedMotion& checked, Warnings& warnings) const {
  GroundInput& input = *ground_input;
  if (absl::Status s = input.Read(motion, first_frame, checked, warnings); !s.ok()) return s;
  if (input.sampled()) ground->ExpectSamples();
  ground->SetFrames(first_frame, {input.samples().begin(), input.samples().end()},
                    input.platforms(), input.platform_names());
  return absl::OkStatus();
}

const GroundQuery* ClipSetup::plan_ground() const {
  return ground_kind() == Floor::Kind::kUnspecified ? nullptr : ground.get();
}

Floor::Kind ClipSetup::ground_kind() const {
  if (ground_input->terrain() != nullptr) return Floor::Kind::kTerrain;
  return ground_input->sampled() ? Floor::Kind::kSamples : Floor::Kind::kUnspecified;
}

void ClipSetup::AddFeet(google::protobuf::RepeatedPtrField<v1::Foot>& feet) const {
  for (const Foot& foot : clip.feet) *feet.Add() = ToProto(foot);
}

}  // namespace ikstream
