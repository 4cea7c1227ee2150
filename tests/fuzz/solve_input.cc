// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include <cmath>
#include <string>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "fuzz/core_scene.h"
#include "fuzz/session_input.h"

namespace ikstream::fuzz {
namespace {

using google::protobuf::RepeatedField;

void Set(v1::Vec3& out, Vec3f v) { out.set_x(v.x), out.set_y(v.y), out.set_z(v.z); }

void SetLimit(const HingeLimit& in, v1::JointLimit& out) {
  Set(*out.mutable_hinge()->mutable_axis(), in.axis);
  out.mutable_hinge()->set_min_rad(in.min);
  out.mutable_hinge()->set_max_rad(in.max);
}

void SetLimit(const SwingTwistLimit& in, v1::JointLimit& out) {
  v1::SwingTwistLimit& to = *out.mutable_swing_twist();
  if (in.twist_axis) Set(*to.mutable_twist_axis(), *in.twist_axis);
  if (in.swing_axis) Set(*to.mutable_swing_axis(), *in.swing_axis);
  to.set_swing_x_rad(in.swing_x), to.set_swing_y_rad(in.swing_y);
  to.set_twist_min_rad(in.twist_min), to.set_twist_max_rad(in.twist_max);
}

void SetLimit(const EulerLimit& in, v1::JointLimit& out) {
  Set(*out.mutable_euler()->mutable_min_rad(), in.min);
  Set(*out.mutable_euler()->mutable_max_rad(), in.max);
}

void AddLimit(const JointLimit& limit, int joint, v1::Rig& rig) {
  std::visit(
      [&](const auto& in) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(in)>, std::monostate>) {
          v1::JointLimit& out = *rig.add_limits();
          out.set_joint(joint);
          SetLimit(in, out);
        }
      },
      limit);
}

// What shapes the answer beside the target.
void SetShape(const ChainSpec& in, v1::Chain& out) {
  if (in.pole.kind != PoleKind::kNone) {
    out.mutable_pole()->set_kind(static_cast<v1::Pole::Kind>(in.pole.kind));
    Set(*out.mutable_pole()->mutable_value(), in.pole.value);
    out.mutable_pole()->set_weight(in.pole.weight);
  }
  if (in.plane_normal) Set(*out.mutable_plane_normal(), *in.plane_normal);
  if (in.soft_reach) {
    out.mutable_soft_reach()->set_cap(in.soft_reach->cap);
    out.mutable_soft_reach()->set_zone(in.soft_reach->zone);
  }
  if (in.aim_axis) Set(*out.mutable_aim_axis(), *in.aim_axis);
  if (in.closeness) out.set_closeness(*in.closeness);
  if (in.group.empty()) return;
  out.set_group(in.group);
  out.set_effector_weight(in.effector_weight);
}

void SetTime(const ChainSpec& in, v1::Chain& out) {
  out.set_angular_velocities(in.angular_velocities);
  out.set_max_stretch(in.max_stretch);
  out.set_solve_every(in.solve_every);
  out.set_between(in.between == FramesBetween::kHoldEased ? v1::Chain::BETWEEN_HOLD_EASED
                                                          : v1::Chain::BETWEEN_INTERPOLATE);
  if (!in.temporal.active()) return;
  v1::Temporal& to = *out.mutable_temporal();
  to.set_target_half_life_seconds(static_cast<float>(in.temporal.target_half_life));
  to.set_one_euro_min_cutoff_hz(static_cast<float>(in.temporal.one_euro_min_cutoff));
  to.set_one_euro_beta_hz(static_cast<float>(in.temporal.one_euro_beta));
  to.set_weight_rise_per_second(static_cast<float>(in.temporal.weight_rise));
  to.set_weight_fall_per_second(static_cast<float>(in.temporal.weight_fall));
}

void SetChain(const ChainSpec& in, v1::Chain& out) {
  out.set_root_joint(in.root_joint), out.set_end_joint(in.end_joint);
  out.set_solver(in.solver);
  if (in.tip_offset) Set(*out.mutable_tip_offset(), *in.tip_offset);
  if (in.max_iterations > 0) out.set_max_iterations(in.max_iterations);
  if (in.tolerance && *in.tolerance > 0) out.set_tolerance(*in.tolerance);
  out.set_keep_end_rotation(in.keep_end_rotation);
  out.set_rotation_weight(in.rotation_weight);
  out.set_priority(in.priority);
  SetTime(in, out);
  SetShape(in, out);
}

void SetCollider(const Collider& in, v1::Collider& out) {
  out.set_joint(in.joint);
  Set(*out.mutable_a(), in.a);
  if (in.b) Set(*out.mutable_b(), *in.b);
  out.set_radius(in.radius);
  out.set_skin(in.skin);
  out.mutable_ignored_by()->Add(in.ignored_by.begin(), in.ignored_by.end());
}

void AddJoint(const Joint& in, v1::Skeleton& skeleton) {
  v1::Joint& out = *skeleton.add_joints();
  out.set_name(absl::StrCat("j", skeleton.joints_size() - 1));
  if (in.parent != -1) out.set_parent(in.parent);
  Set(*out.mutable_offset(), in.offset);
  v1::Quat& rest = *out.mutable_rest_rotation();
  rest.set_x(in.rest.x), rest.set_y(in.rest.y);
  rest.set_z(in.rest.z), rest.set_w(in.rest.w);
  if (in.tip) Set(*out.mutable_tip(), *in.tip);
}

void SetRig(const RigSpec& spec, v1::Rig& out) {
  for (const Joint& joint : spec.joints) AddJoint(joint, *out.mutable_skeleton());
  for (size_t j = 0; j < spec.limits.size(); ++j)
    AddLimit(spec.limits[j], static_cast<int>(j), out);
  for (size_t j = 0; j < spec.stiffness.size(); ++j) {
    out.add_stiffness()->set_joint(static_cast<int>(j));
    out.mutable_stiffness()->rbegin()->set_stiffness(spec.stiffness[j]);
  }
  for (const ChainSpec& chain : spec.chains) SetChain(chain, *out.add_chains());
  for (const Collider& collider : spec.colliders) SetCollider(collider, *out.add_colliders());
  out.set_up(spec.up == UpAxis::kZ ? v1::UP_AXIS_Z : v1::UP_AXIS_Y);
}

void Append(const std::vector<float>& in, RepeatedField<float>& out) {
  out.Add(in.begin(), in.end());
}

// A shape that the core accepts, whatever the bytes said.
RigSpec AcceptedRig(Bytes& bytes) {
  RigSpec spec = DecodeRig(bytes);
  if (Rig::Create(spec).ok()) return spec;
  RigSpec leg;
  for (int i = 0; i < 3; ++i)
    leg.joints.push_back({"", i - 1, {0, i == 0 ? 0.0f : -0.5f, 0}, {}, {}});
  leg.chains.resize(1);
  leg.chains[0].end_joint = 2;
  leg.frames_per_second = 30;
  return leg;
}

}  // namespace

CallInput DecodeSolve(Bytes& bytes) {
  CallInput call;
  RigSpec spec = AcceptedRig(bytes);
  if (bytes.Rarely(4)) spec.chains[0].angular_velocities = true;
  const auto rig = Rig::Create(spec);
  const CoreScene scene = DecodeMotion(bytes, *rig);
  call.frames = scene.frames;
  SetRig(spec, *call.setup.mutable_rig());
  for (const int joint : spec.translated_joints) call.setup.add_translated_joints(joint);
  call.setup.set_frames_per_second(30);
  Append(scene.roots, *call.motion.mutable_root_positions());
  Append(scene.rotations, *call.motion.mutable_local_rotations());
  Append(scene.translations, *call.motion.mutable_local_translations());
  for (size_t c = 0; c < scene.chains.size(); ++c) {
    v1::TargetTrack& track = *call.motion.add_targets();
    track.set_chain(static_cast<int>(c));
    Append(scene.chains[c].positions, *track.mutable_positions());
    Append(scene.chains[c].rotations, *track.mutable_rotations());
    Append(scene.chains[c].weights, *track.mutable_weights());
    Append(scene.chains[c].poles, *track.mutable_poles());
  }
  return call;
}

}  // namespace ikstream::fuzz
