// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "motion/leg_solver.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "core/field_error.h"
#include "motion/curves.h"

namespace ikstream {
namespace {

constexpr float kTolerance = 1e-5f;  // of the leg's length
constexpr double kNothing = 1e-9;    // of it, too
// The sine of half the knee's bend below which the animation's bend direction is noise, and
// from which it is taken as it is.
constexpr double kStraight = 0.02, kBent = 0.08;

bool HasLimit(const ClipSpec& clip, const Foot& foot) {
  if (clip.limits.empty()) return false;
  const std::vector<int> path = clip.skeleton->Path(foot.hip_joint, foot.ankle_joint);
  return std::any_of(path.begin(), path.end(), [&](int joint) {
    return !std::holds_alternative<std::monostate>(clip.limits[static_cast<size_t>(joint)]);
  });
}

std::vector<ChainSpec> Chains(const ClipSpec& clip) {
  std::vector<ChainSpec> chains(clip.feet.size());
  for (size_t f = 0; f < chains.size(); ++f) {
    const Foot& foot = clip.feet[f];
    ChainSpec& chain = chains[f];
    chain.name = foot.name;
    chain.root_joint = foot.hip_joint;
    chain.end_joint = foot.ankle_joint;
    chain.solver = foot.solver == "two_bone" && HasLimit(clip, foot) ? "auto" : foot.solver;
    chain.keep_end_rotation = true;
    chain.pole.kind = PoleKind::kDirection;
  }
  return chains;
}

}  // namespace

absl::StatusOr<std::unique_ptr<LegSolver>> LegSolver::Create(const ClipSpec& clip,
                                                             const CleanupSettings& settings,
                                                             std::span<const FootShape> shapes,
                                                             bool turns_feet) {
  RigSpec spec;
  const auto joints = clip.skeleton->joints();
  spec.joints.assign(joints.begin(), joints.end());
  spec.chains = Chains(clip);
  for (size_t f = 0; f < shapes.size(); ++f)
    spec.chains[f].tolerance = kTolerance * static_cast<float>(shapes[f].leg_length);
  spec.translated_joints = clip.translated_joints;
  spec.limits = clip.limits;
  spec.up = clip.up;
  auto rig = Rig::Create(std::move(spec));
  if (!rig.ok()) return Under("rig", rig.status());
  std::unique_ptr<LegSolver> out(
      new LegSolver(clip, settings, std::make_shared<const Rig>(std::move(*rig))));
  out->turns_feet_ = turns_feet;
  for (size_t f = 0; f < shapes.size(); ++f) {
    Leg& leg = out->legs_.emplace_back();
    leg.shape = shapes[f];
    leg.ankle = AnkleLimit(clip, clip.feet[f], settings.limits);
  }
  return out;
}

LegSolver::LegSolver(const ClipSpec& clip, const CleanupSettings& settings,
                     std::shared_ptr<const Rig> rig)
    : clip_(clip), settings_(settings), rig_(std::move(rig)), solver_(rig_) {}

// The animation's own bend, carried along with the leg's line. Near straight the thigh's hinge
// axis, learnt from the frames so far, takes over; before any bend was seen, the toes.
Vec3d LegSolver::BendDirection(Leg& leg, const LegPose& pose, Vec3d new_line) const {
  const Vec3d line = NormalizedOr(pose.ankle() - pose.hip, -clip_.up_vector());
  const Vec3d knee = pose.knee - pose.hip;
  const Vec3d bend = knee - line * Dot(knee, line);
  const double thigh = std::max(Length(knee), 1e-12);
  const double sine = Length(bend) / thigh;
  const Vec3d own = NormalizedOr(bend, {});
  const Vec3d axis = Rotate(Conjugate(pose.thigh), Cross(own, line));
  leg.hinge_sum += axis * (sine * sine);
  double trust = EaseQuintic((sine - kStraight) / (kBent - kStraight));
  Vec3d direction = own;
  if (trust < 1) {
    Vec3d hinge = Cross(line, Rotate(pose.thigh, NormalizedOr(leg.hinge_sum, {})));
    if (Length(leg.hinge_sum) < 1e-3) {
      const Vec3d toes = pose.points[1] - pose.points[0];
      hinge = toes - line * Dot(toes, line);
    }
    if (Length(hinge) < 1e-9) trust = 1;
    direction = own * trust + NormalizedOr(hinge, {}) * (1 - trust);
  }
  return TurnAlong(line, new_line, NormalizedOr(direction, own));
}

void LegSolver::Add(int foot, const FootFrame& frame, Vec3d pelvis) {
  Leg& leg = legs_[static_cast<size_t>(foot)];
  if (solved_ && foot == 0)
    for (Leg& each : legs_) {
      each.positions.clear(), each.weights.clear(), each.poles.clear();
      each.limited.clear(), each.rotations.clear();
    }
  solved_ = false;
  const Vec3d hip = frame.leg.hip + pelvis;
  const Vec3d asked = frame.Target(clip_.up_vector()) - hip;
  const double distance = Length(asked);
  const SoftZone zone = ZoneOf(frame, leg.shape, settings_);
  const double soft = frame.stretch > 1
                          ? std::min(distance, zone.Soften(distance) * frame.stretch)
                          : zone.Soften(distance);
  const Vec3d line = NormalizedOr(asked, -clip_.up_vector());
  const Vec3f target = Cast<float>(hip + line * soft);
  const Vec3f pole = Cast<float>(BendDirection(leg, frame.leg, line));
  // A foot that goes with its hip needs no solve.
  const Vec3d apart = frame.shift + clip_.up_vector() * frame.lift - pelvis;
  const bool moves = frame.tilt != Quatd{} || frame.stretch != 1 ||
                     Length(apart) > kNothing * leg.shape.leg_length;
  leg.positions.insert(leg.positions.end(), {target.x, target.y, target.z});
  leg.poles.insert(leg.poles.end(), {pole.x, pole.y, pole.z});
  if (turns_feet_) {
    const Quatf turned = Cast<float>(frame.tilt * frame.leg.foot);
    leg.rotations.insert(leg.rotations.end(), {turned.x, turned.y, turned.z, turned.w});
  }
  leg.weights.push_back(moves ? 1.0f : 0.0f);
  leg.limited.push_back(moves && distance < zone.nearest ? 1 : 0);
}

void LegSolver::Solve(const MotionView& motion, float* rotations_out) {
  std::vector<ChainTargets> targets;
  std::vector<ChainResults> results;
  for (Leg& leg : legs_) {
    ChainTargets target;
    target.positions = {leg.positions.data(), 3};
    if (turns_feet_) target.rotations = {leg.rotations.data(), 4};
    target.weights = {leg.weights.data(), 1};
    target.poles = {leg.poles.data(), 3};
    targets.push_back(target);
    leg.residuals.resize(leg.weights.size());
    ChainResults result;
    result.residuals = leg.residuals.data();
    leg.statuses.resize(leg.weights.size());
    result.statuses = leg.statuses.data();
    results.push_back(result);
  }
  solver_.Solve(motion, targets, rotations_out, results);
  ClampAnkles(motion, rotations_out);
  solved_ = true;
}

void LegSolver::ClampAnkles(const MotionView& motion, float* rotations) {
  const std::int64_t joints = clip_.skeleton->size();
  for (size_t f = 0; f < legs_.size(); ++f) {
    Leg& leg = legs_[f];
    for (std::int64_t i = 0; i < motion.frames; ++i) {
      const auto at = static_cast<size_t>(i);
      if (leg.weights[at] == 0) continue;
      const std::int64_t ankle = 4 * (joints * i + clip_.feet[f].ankle_joint);
      const bool bent = leg.ankle.Clamp(motion.local_rotations + ankle, rotations + ankle);
      if (bent || leg.statuses[at] == SolveStatus::kLimited) leg.limited[at] = 1;
    }
  }
}

bool LegSolver::moved(int foot, std::int64_t frame) const {
  return legs_[static_cast<size_t>(foot)].weights[static_cast<size_t>(frame)] > 0;
}
bool LegSolver::limited(int foot, std::int64_t frame) const {
  return legs_[static_cast<size_t>(foot)].limited[static_cast<size_t>(frame)] != 0;
}
}  // namespace ikstream
