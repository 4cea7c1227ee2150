// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include <cmath>

#include "gtest/gtest.h"
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

}  // namespace
}  // namespace ikstream
