// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "fuzz/core_check.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "fuzz/chain_check.h"
#include "fuzz/joint_check.h"
#include "fuzz/target.h"

namespace ikstream::fuzz {
namespace {

void CheckRotations(const Rig& rig, const CoreScene& scene, const CoreAnswers& answers) {
  const auto driven = rig.driven_joints();
  for (size_t i = 0; i < answers.rotations.size(); i += 4) {
    const int joint = static_cast<int>(i / 4) % rig.skeleton().size();
    const float *out = &answers.rotations[i], *in = &scene.rotations[i];
    if (!std::binary_search(driven.begin(), driven.end(), joint))
      Require(std::memcmp(out, in, 16) == 0, "joint ", joint, " is not driven, but changed");
    // A bone's length goes with the square of its quaternion's.
    const Quatd q = Cast<double>(LoadQuat(out));
    Require(std::abs(Dot(q, q) - 1) <= 1e-5, "joint ", joint, " has |q|^2 = ", Dot(q, q));
  }
}

// Bones lengthen, and by no more than their chains allow.
void CheckTranslations(const Rig& rig, const CoreScene& scene, const CoreAnswers& answers) {
  double most = 1;
  for (const Chain& chain : rig.chains())
    most *= 1 + static_cast<double>(chain.spec.max_stretch);
  for (size_t i = 0; i < answers.translations.size(); i += 3) {
    const double was = Length(Cast<double>(LoadVec3(&scene.translations[i]))),
                 is = Length(Cast<double>(LoadVec3(&answers.translations[i])));
    Require(is >= was * (1 - 1e-5) && is <= was * most * (1 + 1e-5), "a translation of length ",
            was, " became ", is);
  }
}

void RequireFinite(const std::vector<float>& values, const char* what) {
  for (const float x : values) Require(std::isfinite(x), what, " is not finite");
}

}  // namespace

void CheckAnswers(const Rig& rig, const CoreScene& scene, const CoreAnswers& answers) {
  CheckRotations(rig, scene, answers);
  CheckTranslations(rig, scene, answers);
  RequireFinite(answers.roots, "a root position");
  if (!rig.moves_root())
    Require(std::memcmp(answers.roots.data(), scene.roots.data(),
                        scene.roots.size() * sizeof(float)) == 0,
            "root positions changed");
  for (const ChainAnswers& chain : answers.chains) {
    RequireFinite(chain.residuals, "a residual");
    RequireFinite(chain.angles, "a residual angle");
    RequireFinite(chain.velocities, "an angular velocity");
    RequireFinite(chain.depths, "a collider's depth");
  }
  CheckLimits(rig, scene, answers);
  for (size_t c = 0; c < answers.chains.size(); ++c) CheckChain(rig, scene, answers, c);
}

}  // namespace ikstream::fuzz
