// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include <cmath>
#include <cstdio>

#include "gtest/gtest.h"
#include "unit/core/planar_scenes.h"
#include "unit/core/scenes.h"

namespace ikstream {
namespace {

TEST(ClosenessTest, ASmallMoveOfTheTargetMovesNoJointFar) {
  for (const char* solver : {"auto", "fabrik", "ccd", "jacobian"}) {
    Random random(1);
    Scene scene = MakeScene(StraightChain(6, 1, solver));
    const float reach = 6;
    for (int i = 0; i < 60; ++i) {
      const std::vector<Quatf> pose = RandomPose(random, *scene.rig, 0.7f);
      const Vec3f at = RandomUnit(random) * Uniform(random, 0.3f, 0.85f) * reach;
      scene.Add(pose);
      scene.AddTarget(at);
      scene.Add(pose);
      scene.AddTarget(at + RandomUnit(random) * 1e-4f * reach);
    }
    const Solved solved = Solve(scene);
    for (int f = 0; f < scene.frames(); f += 2) {
      const ModelPose a = PoseOf(scene, solved.rotations, f);
      const ModelPose b = PoseOf(scene, solved.rotations, f + 1);
      for (size_t j = 0; j < a.positions.size(); ++j)
        EXPECT_LE(Length(a.positions[j] - b.positions[j]), 1e-2 * reach) << solver << " " << f;
    }
  }
}

TEST(ClosenessTest, BlendsAreSlerps) {
  Random random(2);
  Scene scene = MakeScene(StraightChain(4, 1, "fabrik"));
  for (int f = 0; f < 40; ++f) {
    scene.Add(RandomPose(random, *scene.rig, 0.7f));
    scene.AddTarget(RandomUnit(random) * 2.5f);
  }
  const Solved full = Solve(scene, 1);
  for (float weight : {0.25f, 0.5f, 0.9f}) {
    scene.weights = {weight};
    const Solved part = Solve(scene, 1);
    for (int f = 0; f < 40; ++f) {
      EXPECT_NEAR(ErrorOf(scene, part.rotations, f), part.residuals[f], 1e-4);
      EXPECT_EQ(part.statuses[f], full.statuses[f]);
    }
    // The first frame has no history: the shorter way.
    for (int j = 0; j < 4; ++j) {
      const auto in = Cast<double>(LoadQuat(&scene.rotations[4 * j]));
      const auto all = Cast<double>(full.At(scene, 0, j));
      const auto some = Cast<double>(part.At(scene, 0, j));
      EXPECT_NEAR(AngleBetween(in, some), weight * AngleBetween(in, all), 1e-5);
      EXPECT_NEAR(AngleBetween(some, all), (1 - weight) * AngleBetween(in, all), 1e-5);
    }
  }
}

// The mean turn of the joints from the input to the answers that converged, with a pull.
double MeanTurn(float closeness, bool planar, bool limits) {
  Random random(3);
  double sum = 0;
  int count = 0, missed = 0;
  for (int i = 0; i < 20; ++i) {
    RigSpec spec = planar ? RandomPlanarChain(random, 8, "jacobian", limits)
                          : RandomChain(random, 8, "jacobian", limits);
    spec.chains[0].max_iterations = 60;
    spec.chains[0].closeness = closeness;
    Scene scene = MakeScene(spec);
    for (int f = 0; f < 20; ++f) {
      std::vector<Quatf> pose =
          planar ? PlanarPose(random, *scene.rig, 1) : RandomPose(random, *scene.rig, 0.8f);
      Scene goal{scene.rig, {}, {}, {}, {}, {}, {}};
      std::vector<Quatf> to =
          planar ? PlanarPose(random, *scene.rig, 1.5f) : RandomPose(random, *scene.rig, 1.5f);
      if (planar) to[0] = pose[0];
      goal.Add(to);
      scene.Add(pose);
      scene.AddTarget(Cast<float>(EndOf(goal, goal.rotations, 0)));
    }
    const Solved solved = Solve(scene);
    for (int f = 0; f < 20; ++f) {
      missed += solved.statuses[f] != SolveStatus::kConverged;
      for (int j : scene.rig->chains()[0].driven) {
        const Quatf before = LoadQuat(&scene.rotations[4 * (scene.joints() * f + j)]);
        sum += AngleBetween(Cast<double>(before), Cast<double>(solved.At(scene, f, j)));
        ++count;
      }
    }
  }
  EXPECT_LE(missed, limits ? 20 : 2) << closeness;
  return sum / count;
}

TEST(ClosenessTest, ThePullKeepsJointsNearerToTheInput) {
  for (bool planar : {false, true})
    for (bool limits : {false, true}) {
      const double none = MeanTurn(0, planar, limits), half = MeanTurn(0.5f, planar, limits);
      const double all = MeanTurn(1, planar, limits);
      std::printf("%s%s: %.3f rad a joint, %.3f with closeness 0.5, %.3f with 1\n",
                  planar ? "planar" : "in space", limits ? " with limits" : "", none, half,
                  all);
      EXPECT_LT(half, none);
      EXPECT_LT(all, 0.95 * none);
    }
}

}  // namespace
}  // namespace ikstream
