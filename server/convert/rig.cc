// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "convert/rig.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "convert/chain.h"
#include "convert/joint_limit.h"
#include "convert/values.h"
#include "core/field_error.h"

namespace ikstream {
namespace {

constexpr double kFastest = 1e6;  // frames per second

absl::StatusOr<Joint> ToJoint(const v1::Joint& in, const std::string& path,
                              Warnings& warnings) {
  Joint out;
  out.name = in.name();
  if (in.has_parent()) {
    // -1 means "no parent" inside the core only; on the wire the field is left out.
    if (in.parent() < 0)
      return FieldError(path + ".parent",
                        absl::StrCat(in.parent(), " is negative: leave it unset for the root"));
    out.parent = in.parent();
  }
  out.offset = ToVec3(in.offset());
  if (in.has_tip()) out.tip = ToVec3(in.tip());
  if (in.has_rest_rotation()) {
    const auto rest = CheckQuat(in.rest_rotation(), path + ".rest_rotation", warnings);
    if (!rest.ok()) return rest.status();
    out.rest = *rest;
  }
  return out;
}

absl::Status AddJoints(const v1::Skeleton& skeleton, const Limits& limits, RigSpec& spec,
                       Warnings& warnings) {
  if (absl::Status s = CheckCount(skeleton.joints_size(), limits.max_joints, "skeleton.joints");
      !s.ok())
    return s;
  spec.joints.reserve(skeleton.joints_size());
  for (int i = 0; i < skeleton.joints_size(); ++i) {
    auto joint = ToJoint(skeleton.joints(i), At("skeleton.joints", i), warnings);
    if (!joint.ok()) return joint.status();
    spec.joints.push_back(*std::move(joint));
  }
  return absl::OkStatus();
}

absl::Status AddChains(const v1::Rig& rig, const Limits& limits, RigSpec& spec) {
  if (absl::Status s = CheckCount(rig.chains_size(), limits.max_chains, "chains"); !s.ok())
    return s;
  for (int i = 0; i < rig.chains_size(); ++i) {
    auto chain = ToChain(rig.chains(i), static_cast<int>(spec.joints.size()), limits);
    if (!chain.ok()) return Under(At("chains", i), chain.status());
    if (chain->name.empty()) chain->name = At("chains", i);
    spec.chains.push_back(*std::move(chain));
  }
  return absl::OkStatus();
}

absl::Status AddLimits(const v1::Rig& rig, RigSpec& spec) {
  const auto joints = static_cast<int>(spec.joints.size());
  spec.limits.resize(joints);
  for (int i = 0; i < rig.limits_size(); ++i) {
    const v1::JointLimit& in = rig.limits(i);
    absl::Status status = CheckIndex(in.joint(), joints, "joint");
    if (status.ok() && spec.limits[in.joint()].index() != 0)
      status = FieldError("joint", absl::StrCat("joint ", in.joint(), " has a limit already"));
    if (status.ok()) {
      auto limit = ToJointLimit(in);
      status = limit.status();
      if (status.ok()) spec.limits[in.joint()] = *limit;
    }
    if (!status.ok()) return Under(At("limits", i), status);
  }
  return absl::OkStatus();
}

absl::Status AddStiffness(const v1::Rig& rig, RigSpec& spec) {
  spec.stiffness.assign(spec.joints.size(), 1.0f);
  for (int i = 0; i < rig.stiffness_size(); ++i) {
    const v1::JointStiffness& in = rig.stiffness(i);
    absl::Status s = CheckIndex(in.joint(), static_cast<int>(spec.joints.size()), "joint");
    if (s.ok()) s = CheckRange(in.stiffness(), 1e-3, 1e3, "stiffness");
    if (!s.ok()) return Under(At("stiffness", i), s);
    spec.stiffness[in.joint()] = in.stiffness();
  }
  return absl::OkStatus();
}

absl::Status AddTranslated(const v1::Setup& setup, RigSpec& spec) {
  std::vector<bool> seen(spec.joints.size());
  for (int i = 0; i < setup.translated_joints_size(); ++i) {
    const int joint = setup.translated_joints(i);
    const std::string path = At("translated_joints", i);
    if (absl::Status s = CheckIndex(joint, static_cast<int>(seen.size()), path); !s.ok())
      return s;
    if (spec.joints[joint].parent < 0)
      return FieldError(path, "is the root, which root_positions moves");
    if (seen[joint]) return FieldError(path, absl::StrCat("joint ", joint, " is listed twice"));
    seen[joint] = true;
    spec.translated_joints.push_back(joint);
  }
  return absl::OkStatus();
}

// The core names limits by joint; the caller knows them by their place in the list. Not all
// that makes the core's rig stands in the caller's.
absl::Status InCallersTerms(const v1::Rig& rig, const absl::Status& status) {
  const std::string field = FieldOf(status);
  int joint = -1;
  const size_t close = field.find(']');
  if (field.rfind("limits[", 0) == 0 && close != std::string::npos &&
      absl::SimpleAtoi(field.substr(7, close - 7), &joint))
    for (int i = 0; i < rig.limits_size(); ++i)
      if (rig.limits(i).joint() == joint)
        return Under("setup.rig", WithField(At("limits", i) + field.substr(close + 1), status));
  if (field.rfind("joints", 0) == 0) return Under("setup.rig.skeleton", status);
  return Under(field == "frames_per_second" ? "setup" : "setup.rig", status);
}

absl::Status FillSpec(const v1::Rig& rig, const Limits& limits, RigSpec& spec,
                      Warnings& warnings) {
  absl::Status s = AddJoints(rig.skeleton(), limits, spec, warnings);
  if (s.ok()) s = AddLimits(rig, spec);
  if (s.ok()) s = AddStiffness(rig, spec);
  if (s.ok()) s = AddChains(rig, limits, spec);
  if (s.ok() && !v1::UpAxis_IsValid(rig.up()))
    s = FieldError("up", absl::StrCat(static_cast<int>(rig.up()), " is no axis"));
  spec.up = rig.up() == v1::UP_AXIS_Z ? UpAxis::kZ : UpAxis::kY;
  return s;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Rig>> ToRig(const v1::Setup& setup, const Limits& limits,
                                                 Warnings& warnings) {
  RigSpec spec;
  if (absl::Status s = FillSpec(setup.rig(), limits, spec, warnings); !s.ok())
    return Under("setup.rig", s);
  if (absl::Status s = AddTranslated(setup, spec); !s.ok()) return Under("setup", s);
  if (absl::Status s =
          CheckRange(setup.frames_per_second(), 0, kFastest, "setup.frames_per_second");
      !s.ok())
    return s;
  spec.frames_per_second = setup.frames_per_second();
  auto rig = Rig::Create(std::move(spec));
  if (!rig.ok()) return InCallersTerms(setup.rig(), rig.status());
  return std::make_shared<const Rig>(*std::move(rig));
}

}  // namespace ikstream
