// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include <algorithm>

#include "fuzz/core_scene.h"

namespace ikstream::fuzz {
namespace {

constexpr float kScales[] = {1, 1, 1, 100, 0.01f, 1000, 1e-4f, 1e5f};
constexpr int kMostJoints = 24;

Joint DecodeJoint(Bytes& bytes, int index, float scale) {
  Joint joint;
  const int kind = bytes.U8();
  // A chain downwards mostly; else a tree; rarely a parent that cannot be.
  joint.parent = index - 1;
  if (kind >= 160) joint.parent = bytes.Range(0, std::max(0, index - 1));
  if (index == 0) joint.parent = -1;
  if (kind == 255) joint.parent = bytes.Range(-2, kMostJoints);
  if (kind % 4 == 0)
    joint.offset = Vec3f{0, kind % 8 == 0 ? -1.0f : 0.5f, 0} * scale;
  else if (kind % 16 != 1)
    joint.offset = bytes.Vector() * scale;
  if (kind % 4 == 3) joint.rest = bytes.Turn();
  if (kind % 8 == 5) joint.tip = bytes.Vector() * scale;
  if (kind == 254) joint.offset.x = bytes.Any();
  return joint;
}

JointLimit DecodeLimit(Bytes& bytes) {
  const int kind = bytes.Range(0, 11);
  if (kind < 4) return {};
  const auto angle = [&](float most) { return most * bytes.Share(); };
  if (kind < 7) {
    HingeLimit limit{bytes.Vector(), angle(3.2f), 0};
    limit.max = limit.min + std::abs(angle(3.2f));
    if (kind == 4) limit.axis = {1, 0, 0};
    return limit;
  }
  if (kind < 10) {
    SwingTwistLimit limit;
    if (kind == 7) limit.twist_axis = bytes.Vector();
    if (kind == 8) limit.swing_axis = bytes.Vector();
    limit.swing_x = std::abs(angle(3.1415926f));
    limit.swing_y = bytes.Coin() ? limit.swing_x : std::abs(angle(3.1415926f));
    limit.twist_min = angle(3.1415926f);
    limit.twist_max = std::min(3.1415926f, limit.twist_min + std::abs(angle(6)));
    return limit;
  }
  const Vec3f min = bytes.Vector() * 3.0f, width = bytes.Vector() * 3.0f;
  return EulerLimit{min, min + Vec3f{std::abs(width.x), std::abs(width.y), std::abs(width.z)}};
}

Collider DecodeCollider(Bytes& bytes, int joints, int chains, float scale) {
  Collider out;
  out.joint = bytes.Range(0, joints - 1);
  out.a = bytes.Vector() * scale;
  if (bytes.Coin()) out.b = bytes.Vector() * scale;
  out.radius = 0.5f * scale * std::abs(bytes.Share());
  const int kind = bytes.U8();
  if (kind % 4 == 3) out.skin = 0.1f * scale * std::abs(bytes.Share());
  if (kind % 8 == 7) out.ignored_by.push_back(bytes.Range(0, chains - 1));
  if (kind == 254) out.a.y = bytes.Any();
  if (kind == 252) out.radius = bytes.Any();
  return out;
}

// What goes from frame to frame; groups refuse it.
void DecodeTime(Bytes& bytes, ChainSpec& chain) {
  const int kind = bytes.U8();
  const auto number = [&](double most) { return most * std::abs(bytes.Share()); };
  if (kind & 1) chain.temporal.target_half_life = number(0.3);
  if (kind & 2) chain.temporal.one_euro_min_cutoff = number(10);
  if (kind & 4) chain.temporal.one_euro_beta = number(1);
  if (kind & 8) chain.temporal.weight_rise = number(20);
  if (kind & 16) chain.temporal.weight_fall = number(20);
  if (kind & 32) chain.solve_every = bytes.Range(0, 6);
  if (kind & 64) chain.between = FramesBetween::kHoldEased;
  if (kind & 128) chain.max_stretch = std::abs(bytes.Share());
}

// What only one solver knows; what it refuses mostly goes.
void DecodeOwnFields(Bytes& bytes, ChainSpec& chain) {
  const bool aim = chain.solver == "aim", body = chain.solver == "body";
  if (!aim && !body) return;
  if (bytes.Rarely(16)) return;
  chain.soft_reach.reset();
  chain.plane_normal.reset();
  if (aim) {
    chain.pole.kind = PoleKind::kNone;
    chain.keep_end_rotation = false;
    if (bytes.Coin()) chain.aim_axis = bytes.Vector();
    return;
  }
  chain.temporal = {};
  chain.solve_every = 1, chain.max_stretch = 0;
  chain.group.assign(1, bytes.Coin() ? 'a' : 'b');
  chain.effector_weight = std::max(0.01f, std::abs(bytes.Share()));
  chain.closeness = std::abs(bytes.Share());
}

ChainSpec DecodeChain(Bytes& bytes, int joints, float scale) {
  ChainSpec chain;
  const auto solvers = Solvers();
  chain.solver = solvers[static_cast<size_t>(bytes.U8()) % solvers.size()].name;
  chain.root_joint = bytes.Rarely(4) ? bytes.Range(0, joints - 1) : 0;
  chain.end_joint = joints - 1 - (bytes.Rarely(4) ? bytes.Range(0, joints - 1) : 0);
  const int options = bytes.U8();
  if (options & 1) chain.tip_offset = bytes.Vector() * scale;
  if (options & 2) {
    chain.pole.kind = bytes.Coin() ? PoleKind::kPoint : PoleKind::kDirection;
    chain.pole.value = bytes.Vector() * (2 * scale);
    chain.pole.weight = std::abs(bytes.Share());
  }
  if (options & 4) chain.keep_end_rotation = true;
  if (options & 8) chain.rotation_weight = std::abs(bytes.Share());
  if ((options & 48) == 48) {
    SoftReach soft;
    soft.cap = std::max(0.01f, std::abs(bytes.Share()));
    soft.zone = std::max(1e-6f, soft.cap * std::abs(bytes.Share()));
    chain.soft_reach = soft;
  }
  if (options & 64) chain.tolerance = scale * std::abs(bytes.Share()) * 0.1f;
  if (options & 128) chain.max_iterations = bytes.Range(0, 48);
  const int more = bytes.U8();
  chain.priority = more % 3;
  if ((more & 96) == 96) chain.plane_normal = more & 128 ? Vec3f{0, 0, 1} : bytes.Vector();
  if ((more & 24) == 24) DecodeTime(bytes, chain);
  DecodeOwnFields(bytes, chain);
  return chain;
}

// The joints of a chain from its root down; empty where there is no way.
std::vector<size_t> JointsOf(const ChainSpec& chain, const RigSpec& spec) {
  std::vector<size_t> joints;
  const int count = static_cast<int>(spec.joints.size());
  for (int j = chain.end_joint; j >= 0 && j < count && joints.size() < spec.joints.size();) {
    joints.push_back(static_cast<size_t>(j));
    if (j == chain.root_joint) {
      std::reverse(joints.begin(), joints.end());
      return joints;
    }
    j = spec.joints[static_cast<size_t>(j)].parent;
  }
  return {};
}

// The limits of a planar chain become hinges about its normal, with the ranges that hinges
// had: others are refused.
void FitLimits(const ChainSpec& chain, RigSpec& spec) {
  if (!chain.plane_normal || spec.limits.empty()) return;
  Vec3f normal = *chain.plane_normal;
  for (const size_t j : JointsOf(chain, spec)) {
    normal = Rotate(Conjugate(spec.joints[j].rest), normal);
    if (std::holds_alternative<std::monostate>(spec.limits[j])) continue;
    HingeLimit fit{normal, -1, 1.5f};
    if (const auto* hinge = std::get_if<HingeLimit>(&spec.limits[j]))
      fit.min = hinge->min, fit.max = hinge->max;
    spec.limits[j] = fit;
  }
}

// Bones that may lengthen need translations.
void FitTranslations(const ChainSpec& chain, RigSpec& spec) {
  const std::vector<size_t> joints = JointsOf(chain, spec);
  auto& list = spec.translated_joints;
  for (size_t k = 1; k < joints.size() && chain.max_stretch > 0; ++k) {
    const int joint = static_cast<int>(joints[k]);
    if (std::find(list.begin(), list.end(), joint) == list.end()) list.push_back(joint);
  }
}

// Makes good what is refused wherever it meets.
void Fit(RigSpec& spec) {
  for (size_t c = 0; c < spec.chains.size(); ++c) {
    FitLimits(spec.chains[c], spec);
    FitTranslations(spec.chains[c], spec);
    if (spec.chains[c].group.empty()) continue;
    for (Collider& collider : spec.colliders)
      collider.ignored_by.push_back(static_cast<int>(c));
  }
}

}  // namespace

RigSpec DecodeRig(Bytes& bytes) {
  RigSpec spec;
  const float scale = kScales[bytes.U8() % std::size(kScales)];
  const int joints = bytes.Range(1, kMostJoints);
  const int options = bytes.U8(), more = bytes.U8();
  for (int i = 0; i < joints; ++i) {
    spec.joints.push_back(DecodeJoint(bytes, i, scale));
    if (options & 1) spec.limits.push_back(DecodeLimit(bytes));
    if ((options & 6) == 6) spec.stiffness.push_back(bytes.Uniform(0.01f, 10));
    if ((options & 24) == 24 && bytes.Coin()) spec.translated_joints.push_back(i);
  }
  const int chains = (options & 96) == 96 ? bytes.Range(1, 4) : 1;
  for (int i = 0; i < chains; ++i) spec.chains.push_back(DecodeChain(bytes, joints, scale));
  if (more % 4 == 3)
    for (int i = bytes.Range(1, 3); i > 0; --i)
      spec.colliders.push_back(DecodeCollider(bytes, joints, chains, scale));
  if (more % 64 != 63) Fit(spec);
  spec.up = options & 128 ? UpAxis::kZ : UpAxis::kY;
  spec.frames_per_second = 30;
  return spec;
}

}  // namespace ikstream::fuzz
