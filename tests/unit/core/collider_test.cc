// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Chains among colliders, judged by forward kinematics and a plain distance of segments.
#include <cmath>
#include <cstdio>
#include <string>

#include "core/field_error.h"
#include "gtest/gtest.h"
#include "unit/core/collider_scenes.h"
#include "unit/core/reference.h"

namespace ikstream {
namespace {

// 10,000 problems with limits and as many without for all solvers together: each target is the
// end of a legal, free pose; the start may be inside.
struct Counts {
  int all = 0, converged = 0, deep = 0, wrong_depth = 0, outside = 0;
};

void Count(const Scene& scene, const Solved& solved, Counts& counts) {
  const Chain& chain = scene.rig->chains()[0];
  for (int f = 0; f < scene.frames(); ++f) {
    ++counts.all;
    const double depth = DepthOf(scene, solved.rotations, f);
    counts.deep += depth > 1e-3 * chain.length;
    counts.wrong_depth += std::abs(depth - solved.depths[f]) > 1e-5 * chain.length;
    counts.converged += ErrorOf(scene, solved.rotations, f) <= chain.tolerance &&
                        solved.statuses[f] == SolveStatus::kConverged;
    for (int j : chain.driven)
      counts.outside +=
          Outside(scene.rig->limit(j), Cast<double>(scene.rig->skeleton().joint(j).rest),
                  Cast<double>(scene.rig->skeleton().joint(j + 1).offset),
                  Cast<double>(solved.At(scene, f, j))) > 1e-4;
  }
}

Counts SolveProblems(const std::string& solver, bool limits, int chains, int frames,
                     int iterations) {
  Counts counts;
  for (int seed = 0; seed < chains; ++seed) {
    Random random(seed + 1000);
    const int bones = solver == "two_bone" ? 2 : 2 + static_cast<int>(random() % 7);
    RigSpec spec = RandomColliderChain(random, bones, solver, limits);
    spec.chains[0].max_iterations = iterations;
    Scene scene = MakeScene(std::move(spec));
    for (int f = 0; f < frames; ++f) {
      const Quatf base = RandomTurn(random, 3);
      const Vec3f root = RandomUnit(random) * 2;
      const auto goal = FreePose(random, scene, base, root, 1.5f, 50);
      if (goal.empty()) continue;
      Scene at_goal{scene.rig, {}, {}, {}, {}, {}, {}};
      at_goal.Add(goal, root);
      std::vector<Quatf> start = RandomPose(random, *scene.rig, 1.5f);
      start[0] = base;
      scene.Add(start, root);
      scene.AddTarget(Cast<float>(EndOf(at_goal, at_goal.rotations, 0)));
    }
    Count(scene, Solve(scene), counts);
  }
  std::printf("%s%s, %d iterations: %d problems, %.2f %% converged, %d too deep\n",
              solver.c_str(), limits ? " with limits" : "", iterations, counts.all,
              100.0 * counts.converged / counts.all, counts.deep);
  return counts;
}

class ColliderTest : public testing::TestWithParam<std::string> {};

TEST_P(ColliderTest, NoBoneEndsInsideAndMostTargetsAreMet) {
  for (bool limits : {false, true}) {
    const Counts counts = SolveProblems(GetParam(), limits, 100, 20, 100);
    EXPECT_EQ(counts.deep, 0);
    EXPECT_EQ(counts.wrong_depth, 0);
    EXPECT_EQ(counts.outside, 0);
    EXPECT_GE(counts.converged, counts.all * 99 / 100);
  }
}

INSTANTIATE_TEST_SUITE_P(Solvers, ColliderTest,
                         testing::Values("auto", "two_bone", "fabrik", "ccd", "jacobian"),
                         [](const auto& param) { return std::string(param.param); });

}  // namespace
}  // namespace ikstream
