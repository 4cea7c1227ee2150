// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "fuzz/joint_check.h"

#include <optional>

#include "fuzz/target.h"
#include "unit/core/reference.h"

namespace ikstream::fuzz {
namespace {

// What chains make of a joint in one frame.
struct Grip {
  bool turned = false;
  bool held = true;  // by whole weights and about one axis
  std::optional<Vec3d> axis;
  std::string solvers;

  void Add(const Chain& chain, Vec3d other, float weight) {
    if (weight <= 0) return;
    absl::StrAppend(&solvers, " ", chain.spec.solver, chain.plane ? " (planar)" : "");
    held = held && weight >= 1 && (!axis || *axis == other);
    turned = true;
    axis = other;
  }
};

// Chains of a group are blended as one; weights that rise and fall are not those asked for.
bool Whole(const Rig& rig, const CoreScene& scene, const Chain& chain, int frame) {
  if (chain.spec.temporal.weight_rise > 0 || chain.spec.temporal.weight_fall > 0) return false;
  for (size_t c = 0; c < rig.chains().size(); ++c) {
    if (chain.group < 0 || rig.chains()[c].group != chain.group) continue;
    const float weight = WeightOf(TargetsOf(scene.chains[c], scene.frames, 0), frame);
    if (weight > 0 && weight < 1) return false;
  }
  return true;
}

std::vector<Grip> GripsOf(const Rig& rig, const CoreScene& scene, int frame) {
  std::vector<Grip> grips(static_cast<size_t>(rig.skeleton().size()));
  for (size_t c = 0; c < rig.chains().size(); ++c) {
    const Chain& chain = rig.chains()[c];
    const ChainTargets targets = TargetsOf(scene.chains[c], scene.frames, 0);
    const bool whole = Whole(rig, scene, chain, frame);
    for (size_t k = 0; k < chain.turned.size(); ++k) {
      Grip& grip = grips[static_cast<size_t>(chain.turned[k])];
      if (Turns(chain, targets, k))
        grip.Add(chain, DefaultAxis(rig, chain, k), WeightOf(targets, frame));
      // A plane's limits bound the turn about its normal: fuzz/chain_check.h.
      grip.held = grip.held && whole && !chain.plane;
    }
  }
  return grips;
}

}  // namespace

float WeightOf(const ChainTargets& targets, int frame) {
  return targets.weights ? *targets.weights.at(frame) : 1.0f;
}

Vec3d DefaultAxis(const Rig& rig, const Chain& chain, size_t k) {
  if (chain.group < 0) return Cast<double>(chain.bounds[k].axis);
  for (const BodyNode& node : rig.groups()[static_cast<size_t>(chain.group)].nodes)
    if (node.joint == chain.turned[k]) return Cast<double>(node.bound.axis);
  return {};
}

bool Turns(const Chain& chain, const ChainTargets& targets, size_t k) {
  if (k < chain.driven.size()) return true;
  return targets.rotations || chain.spec.keep_end_rotation;
}

void CheckLimits(const Rig& rig, const CoreScene& scene, const CoreAnswers& answers) {
  const int joints = rig.skeleton().size();
  for (int f = 0; f < scene.frames; ++f) {
    const std::vector<Grip> grips = GripsOf(rig, scene, f);
    for (int j = 0; j < joints; ++j) {
      const Grip& grip = grips[static_cast<size_t>(j)];
      if (!grip.turned || !grip.held) continue;
      const float* q = answers.rotations.data() + 4 * (joints * f + j);
      const double outside = Outside(rig.limit(j), Cast<double>(rig.skeleton().joint(j).rest),
                                     *grip.axis, Normalized(Cast<double>(LoadQuat(q))));
      Require(outside <= 1e-4, "frame ", f, ": joint ", j, " is ", outside,
              " rad outside its limit (kind ", rig.limit(j).index(), "), turned by",
              grip.solvers);
    }
  }
}

}  // namespace ikstream::fuzz
