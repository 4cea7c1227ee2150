// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "fuzz/core_answers.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "fuzz/target.h"

namespace ikstream::fuzz {
namespace {

template <class T>
void RequireSame(const std::vector<T>& a, const std::vector<T>& b, const char* what) {
  Require(a.size() == b.size(), what, " are as many whatever the size of batches");
  if (a.empty()) return;  // memcmp takes no null, whatever the size
  Require(std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0, what,
          " differ by the size of batches");
}

CoreAnswers Room(const Rig& rig, const CoreScene& scene) {
  const auto frames = static_cast<size_t>(scene.frames);
  CoreAnswers out;
  out.rotations.resize(scene.rotations.size());
  out.roots.resize(scene.roots.size());
  out.translations = scene.translations;
  for (const Chain& chain : rig.chains())
    out.chains.push_back({std::vector<SolveStatus>(frames), std::vector<std::int32_t>(frames),
                          std::vector<float>(frames), std::vector<float>(frames),
                          std::vector<float>(3 * chain.turned.size() * frames),
                          std::vector<float>(frames)});
  return out;
}

ChainResults ResultsFrom(ChainAnswers& answers, const Chain& chain, int first) {
  return {answers.statuses.data() + first,
          answers.iterations.data() + first,
          answers.residuals.data() + first,
          answers.angles.data() + first,
          answers.velocities.data() + 3 * chain.turned.size() * first,
          answers.depths.data() + first};
}

}  // namespace

CoreAnswers SolveScene(std::shared_ptr<const Rig> rig, const CoreScene& scene, int batch) {
  CoreAnswers out = Room(*rig, scene);
  Solver solver(rig);
  const int moved = static_cast<int>(rig->translated_joints().size());
  for (int first = 0, count = 0; first < scene.frames; first += count) {
    const int together = rig->frames_together();
    const int last = (first + batch - 1 + together - 1) / together * together;
    count = std::min(last + 1, scene.frames) - first;
    std::vector<ChainTargets> targets;
    std::vector<ChainResults> results;
    for (size_t c = 0; c < out.chains.size(); ++c) {
      targets.push_back(TargetsOf(scene.chains[c], scene.frames, first));
      results.push_back(ResultsFrom(out.chains[c], rig->chains()[c], first));
    }
    solver.Solve(MotionOf(scene, *rig, first, count), targets,
                 out.rotations.data() + 4 * rig->skeleton().size() * first, results,
                 out.roots.data() + 3 * first,
                 moved == 0 ? nullptr : out.translations.data() + 3 * moved * first);
  }
  return out;
}

void RequireSameBits(const CoreAnswers& a, const CoreAnswers& b) {
  RequireSame(a.rotations, b.rotations, "rotations");
  RequireSame(a.roots, b.roots, "root positions");
  RequireSame(a.translations, b.translations, "translations");
  for (size_t c = 0; c < a.chains.size(); ++c) {
    RequireSame(a.chains[c].statuses, b.chains[c].statuses, "statuses");
    RequireSame(a.chains[c].iterations, b.chains[c].iterations, "iterations");
    RequireSame(a.chains[c].residuals, b.chains[c].residuals, "residuals");
    RequireSame(a.chains[c].angles, b.chains[c].angles, "residual angles");
    RequireSame(a.chains[c].velocities, b.chains[c].velocities, "angular velocities");
    RequireSame(a.chains[c].depths, b.chains[c].depths, "collider depths");
  }
}

}  // namespace ikstream::fuzz
