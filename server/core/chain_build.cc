// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/chain_build.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/field_error.h"
#include "core/solve.h"
#include "core/solver_list.h"

namespace ikstream {
namespace {

// Finite, and within what the solvers can square.
bool Sound(Vec3f v) {
  return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}) <= kMaxCoordinate &&
         !std::isnan(v.x + v.y + v.z);
}
constexpr char kUnsound[] = "is not finite, or beyond 1e8 rig units";
constexpr float kMostStretch = 10;
bool IsShare(float v) { return v >= 0 && v <= 1; }

absl::Status CheckJoint(const Rig& rig, int joint, absl::string_view field) {
  const int joints = rig.skeleton().size();
  if (joint >= 0 && joint < joints) return absl::OkStatus();
  return FieldError(field, absl::StrCat(joint, " is out of range [0, ", joints, ")"));
}

absl::Status CheckTemporal(const Temporal& temporal) {
  const struct {
    double value;
    const char* field;
  } fields[] = {
      {temporal.target_half_life, "target_half_life_seconds"},
      {temporal.one_euro_min_cutoff, "one_euro_min_cutoff_hz"},
      {temporal.one_euro_beta, "one_euro_beta_hz"},
      {temporal.weight_rise, "weight_rise_per_second"},
      {temporal.weight_fall, "weight_fall_per_second"},
  };
  for (const auto& f : fields)
    if (!(f.value >= 0 && std::isfinite(f.value)))
      return FieldError(f.field, "must be finite and not negative; 0 is off");
  if (temporal.one_euro_beta > 0 && temporal.one_euro_min_cutoff == 0)
    return FieldError("one_euro_min_cutoff_hz", "is needed where one_euro_beta_hz is set");
  return absl::OkStatus();
}

absl::Status CheckNumbers(const ChainSpec& spec) {
  if (spec.max_iterations < 1) return FieldError("max_iterations", "must be at least 1");
  if (spec.tolerance && !(*spec.tolerance > 0 && std::isfinite(*spec.tolerance)))
    return FieldError("tolerance", "must be finite and greater than 0");
  if (!(spec.rotation_tolerance > 0 && std::isfinite(spec.rotation_tolerance)))
    return FieldError("rotation_tolerance_rad", "must be finite and greater than 0");
  if (!IsShare(spec.rotation_weight))
    return FieldError("rotation_weight", "must be between 0 and 1");
  if (!(spec.effector_weight > 0 && std::isfinite(spec.effector_weight)))
    return FieldError("effector_weight", "must be finite and greater than 0");
  if (spec.closeness && !IsShare(*spec.closeness))
    return FieldError("closeness", "must be between 0 and 1");
  if (!Sound(spec.pole.value)) return FieldError("pole.value", kUnsound);
  if (!IsShare(spec.pole.weight)) return FieldError("pole.weight", "must be between 0 and 1");
  if (spec.soft_reach) {
    const SoftReach& soft = *spec.soft_reach;
    if (!(soft.cap > 0 && soft.cap <= 1))
      return FieldError("soft_reach.cap", "must be above 0 and at most 1");
    if (!(soft.zone >= 1e-6f && soft.zone <= soft.cap))
      return FieldError("soft_reach.zone", "must be at least 1e-6 and at most the cap");
  }
  if (spec.tip_offset && !Sound(*spec.tip_offset)) return FieldError("tip_offset", kUnsound);
  if (!(spec.max_stretch >= 0 && spec.max_stretch <= kMostStretch))
    return FieldError("max_stretch", absl::StrCat("must be between 0 and ", kMostStretch));
  if (spec.solve_every < 1 || spec.solve_every > Rig::kMostTogether)
    return FieldError("solve_every", absl::StrCat(spec.solve_every, " is out of range [1, ",
                                                  Rig::kMostTogether, "]"));
  return Under("temporal", CheckTemporal(spec.temporal));
}

bool Aims(const Chain& chain) {
  return SolverEntries()[static_cast<size_t>(chain.solver)].kind == SolverKind::kAim;
}

absl::Status FindJoints(const Rig& rig, Chain& chain) {
  const ChainSpec& spec = chain.spec;
  if (auto s = CheckJoint(rig, spec.root_joint, "root_joint"); !s.ok()) return s;
  if (auto s = CheckJoint(rig, spec.end_joint, "end_joint"); !s.ok()) return s;
  chain.turned = rig.skeleton().Path(spec.root_joint, spec.end_joint);
  if (chain.turned.empty())
    return FieldError("end_joint",
                      absl::StrCat("joint ", spec.end_joint, " is no descendant of root_joint ",
                                   spec.root_joint));
  const bool aims = Aims(chain);
  if (chain.turned.size() == 1 && !spec.tip_offset && !aims)
    return FieldError("end_joint", "is root_joint: a chain of one joint needs tip_offset");
  chain.driven = chain.turned;
  chain.turns_end = !spec.tip_offset && !aims;
  if (chain.turns_end) chain.driven.pop_back();
  for (size_t k = 0; k < chain.turned.size(); ++k) {
    chain.pose_offsets.push_back(4 * chain.turned[k]);
    chain.packed_offsets.push_back(static_cast<std::ptrdiff_t>(4 * k));
  }
  chain.prefix = rig.skeleton().Path(rig.skeleton().root(), spec.root_joint);
  chain.prefix.pop_back();
  return absl::OkStatus();
}

void MeasureBones(const Rig& rig, Chain& chain) {
  const size_t count = chain.driven.size();
  for (size_t k = 0; k < count; ++k) {
    const bool is_tip = k + 1 == count && !chain.turns_end;
    const int child = is_tip ? -1 : chain.turned[k + 1];
    const Vec3f bone =
        is_tip ? chain.spec.tip_offset.value_or(Vec3f{}) : rig.skeleton().joint(child).offset;
    chain.bones.push_back(bone);
    chain.bone_slots.push_back(is_tip ? -1 : rig.translation_of(child));
    chain.moving_bones = chain.moving_bones || chain.bone_slots.back() >= 0;
    const double length = Length(Cast<double>(bone));
    chain.lengths.push_back(static_cast<float>(length));
    chain.axes.push_back(Cast<float>(NormalizedOr(Cast<double>(bone), Vec3d{0, 0, 0})));
    chain.length += chain.lengths.back();
    chain.even = chain.even && rig.stiffness(chain.driven[k]) == 1;
  }
  chain.two_bones = count == 2 && chain.lengths[0] > 0 && chain.lengths[1] > 0;
  float softest = rig.stiffness(chain.driven.front());
  for (int joint : chain.driven) softest = std::min(softest, rig.stiffness(joint));
  for (int joint : chain.driven) chain.shares.push_back(softest / rig.stiffness(joint));
  for (size_t k = 1; k <= chain.prefix.size(); ++k) {
    const int joint = k < chain.prefix.size() ? chain.prefix[k] : chain.spec.root_joint;
    chain.prefix_offsets.push_back(rig.skeleton().joint(joint).offset);
    chain.prefix_slots.push_back(rig.translation_of(joint));
  }
}

// The end joint's own bone, whether or not it is the chain's: to its tip, else its first child.
Vec3f BoneOfEnd(const Rig& rig, const Chain& chain) {
  const Joint& end = rig.skeleton().joint(chain.turned.back());
  const auto children = rig.skeleton().children(chain.turned.back());
  return end.tip.value_or(children.empty() ? Vec3f{}
                                           : rig.skeleton().joint(children.front()).offset);
}

absl::Status SetAimAxis(const Rig& rig, Chain& chain) {
  if (!Aims(chain)) {
    if (!chain.spec.aim_axis) return absl::OkStatus();
    return FieldError("aim_axis", absl::StrCat("has no meaning with solver \"",
                                               chain.spec.solver, "\", only with \"aim\""));
  }
  const Vec3f given = chain.spec.aim_axis.value_or(Vec3f{});
  if (!Sound(given)) return FieldError("aim_axis", kUnsound);
  Vec3f axis = given;
  if (!chain.spec.aim_axis) axis = chain.spec.tip_offset.value_or(BoneOfEnd(rig, chain));
  const double length = Length(Cast<double>(axis));
  if (chain.spec.aim_axis && !(length > 1e-12))
    return FieldError("aim_axis", "has no length: give a direction");
  if (!(length > 1e-12))
    return FieldError("aim_axis", "is needed: the end joint has no bone to take it from");
  chain.aim_axis = Cast<float>(Cast<double>(axis) / length);
  return absl::OkStatus();
}

// Bones lengthen by the translations of the joints at their ends.
absl::Status CheckStretch(const Rig& rig, const Chain& chain) {
  if (chain.spec.max_stretch == 0) return absl::OkStatus();
  if (Aims(chain)) return FieldError("max_stretch", "has no meaning for a chain that aims");
  for (size_t k = 0; k + 1 < chain.turned.size(); ++k) {
    if (chain.bone_slots[k] >= 0) continue;
    const int joint = chain.turned[k + 1];
    return FieldError(
        "max_stretch",
        absl::StrCat("needs joint ", joint, " \"", rig.skeleton().joint(joint).name,
                     "\" among translated_joints, since its bone may lengthen"));
  }
  return absl::OkStatus();
}

absl::Status MakeBounds(const Rig& rig, Chain& chain) {
  for (size_t k = 0; k < chain.turned.size(); ++k) {
    const int joint = chain.turned[k];
    Vec3f bone = k < chain.bones.size() ? chain.bones[k] : Vec3f{};
    const bool is_end = k + 1 == chain.turned.size();
    if (is_end && !chain.spec.tip_offset) bone = BoneOfEnd(rig, chain);
    auto bound = MakeBound(rig.limit(joint), rig.skeleton().joint(joint).rest, bone);
    if (!bound.ok()) return Under(absl::StrCat("limits[", joint, "]"), bound.status());
    chain.limited = chain.limited || bound->kind != JointBound::Kind::kFree;
    chain.bounds.push_back(*bound);
  }
  return absl::OkStatus();
}

// The side to which a hinge pushes the middle of the chain, with the bone before it along
// `bone` and the joint's rest rotation `rotation`, both seen from the root's parent.
Vec3d HingeBend(const JointBound& bound, const JointLimit& limit, Quatd rotation, Vec3d bone) {
  const auto& hinge = std::get<HingeLimit>(limit);
  const Vec3d axis = Rotate(rotation, Cast<double>(bound.axis));
  const double side = hinge.max >= -hinge.min ? 1 : -1;
  return Cross(bone, axis) * side;
}

// Where the chain bends to at rest: by its pose, else by its first hinge; zero: neither.
Vec3f RestBend(const Rig& rig, const Chain& chain) {
  Vec3d p{}, sum{}, hinge{};
  Quatd r;
  for (size_t k = 0; k < chain.driven.size(); ++k) {
    r = r * Cast<double>(rig.skeleton().joint(chain.driven[k]).rest);
    const Vec3d before = p;
    p += Rotate(r, Cast<double>(chain.bones[k]));
    if (k + 1 < chain.driven.size()) sum += p;
    if (k > 0 && Length(hinge) == 0 && chain.bounds[k].kind == JointBound::Kind::kHinge)
      hinge = HingeBend(chain.bounds[k], rig.limit(chain.driven[k]), r, before);
  }
  const Vec3d line = NormalizedOr(p, Vec3d{});
  const Vec3d bend = sum - line * Dot(sum, line);
  if (Length(bend) > 1e-4 * chain.length) return Cast<float>(bend / Length(bend));
  return Cast<float>(NormalizedOr(hinge - line * Dot(hinge, line), Vec3d{}));
}

}  // namespace

absl::StatusOr<Chain> BuildChain(const Rig& rig, ChainSpec spec) {
  if (auto s = CheckNumbers(spec); !s.ok()) return s;
  Chain chain;
  chain.spec = std::move(spec);
  chain.solver = FindSolver(chain.spec.solver);
  if (chain.solver < 0)
    return FieldError("solver", absl::StrCat("\"", chain.spec.solver, "\" is no solver"));
  if (chain.spec.solver == "jacobian") chain.pull = chain.spec.closeness.value_or(0);
  if (auto s = FindJoints(rig, chain); !s.ok()) return s;
  MeasureBones(rig, chain);
  if (auto s = SetAimAxis(rig, chain); !s.ok()) return s;
  if (!(chain.length > 0) && !Aims(chain))
    return FieldError("end_joint", "every bone of the chain has zero length");
  if (chain.length != 0 && !(chain.length >= kMinChainLength && chain.length <= kMaxCoordinate))
    return FieldError(
        "end_joint",
        absl::StrCat("the chain's bones are ", chain.length, " rig units long together, not ",
                     kMinChainLength, " to ", kMaxCoordinate, ": choose another unit"));
  if (auto s = CheckStretch(rig, chain); !s.ok()) return s;
  if (auto s = MakeBounds(rig, chain); !s.ok()) return s;
  if (auto s = BuildPlane(rig, chain); !s.ok()) return s;
  chain.rest_bend = RestBend(rig, chain);
  chain.tolerance = chain.spec.tolerance.value_or(1e-3f * chain.length);
  const SolverEntry& entry = SolverEntries()[static_cast<size_t>(chain.solver)];
  if (auto s = CheckFit(entry, chain); !s.ok()) return s;
  return chain;
}

}  // namespace ikstream
