// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Faults that other solvers have shipped and that show over many random tasks.
#include <cmath>
#include <string>

#include "gtest/gtest.h"
#include "unit/core/reference.h"
#include "unit/core/scenes.h"

namespace ikstream {
namespace {

class RandomCasesTest : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Solvers, RandomCasesTest,
                         testing::Values("auto", "two_bone", "fabrik", "ccd", "jacobian"),
                         [](const auto& param) { return std::string(param.param); });

TEST_P(RandomCasesTest, K13BonesKeepTheirLengths) {
  const int bones = GetParam() == "two_bone" ? 2 : 10;
  Random random(13);
  Scene scene = MakeScene(RandomChain(random, bones, GetParam(), false));
  const float reach = 1.2f * scene.rig->chains()[0].length;
  for (int f = 0; f < 1000; ++f) {
    scene.Add(RandomPose(random, *scene.rig, 1));
    scene.AddTarget(RandomUnit(random) * Uniform(random, 0, reach));
  }
  const Solved solved = Solve(scene);
  int turned = 0;
  for (int f = 0; f < 1000; ++f) {
    // A target may lie where a joint need not turn; nearly all make the root turn.
    turned +=
        solved.rotations[4 * scene.joints() * f] != scene.rotations[4 * scene.joints() * f];
    const ModelPose pose = PoseOf(scene, solved.rotations, f);
    for (int j = 1; j <= bones; ++j) {
      const double length = Length(Cast<double>(scene.rig->skeleton().joint(j).offset));
      EXPECT_NEAR(Length(pose.positions[j] - pose.positions[j - 1]), length, 1e-5 * length)
          << f << " " << j;
    }
  }
  EXPECT_GT(turned, 990);
}

// Whatever the target, no more iterations than allowed; those told are those that were made: as
// many again give the same answer. (`auto` shares its iterations between two solvers.)
TEST_P(RandomCasesTest, K12IterationsEndAndAreTold) {
  Random random(12);
  for (int i = 0; i < 24; ++i) {
    const int bones = GetParam() == "two_bone" ? 2 : 2 + i % 7;
    RigSpec spec = RandomChain(random, bones, GetParam(), i % 2 == 1);
    const int most = i % 3 == 0 ? 1 : i % 3 == 1 ? 5 : 40;
    spec.chains[0].max_iterations = most;
    Scene scene = MakeScene(spec);
    const float reach = scene.rig->chains()[0].length;
    for (int f = 0; f < 20; ++f) {
      const float sizes[] = {0, 1e-7f, 0.5f, 1, 3, 1e6f};
      scene.Add(RandomPose(random, *scene.rig, 1));
      scene.AddTarget(RandomUnit(random) * (reach * sizes[f % 6]));
    }
    const Solved solved = Solve(scene);
    for (int f = 0; f < 20; ++f) {
      const int told = solved.iterations[f];
      ASSERT_GE(told, 0);
      ASSERT_LE(told, most);
      if (GetParam() == "auto" || told == 0 || told == most) continue;
      RigSpec again = spec;
      again.chains[0].max_iterations = told;
      Scene one = MakeScene(again);
      const size_t row = 4 * static_cast<size_t>(scene.joints());
      one.roots = {0, 0, 0};
      one.rotations.assign(&scene.rotations[row * f], &scene.rotations[row * f] + row);
      one.AddTarget(LoadVec3(&scene.positions[3 * f]));
      const Solved redone = Solve(one);
      EXPECT_EQ(redone.residuals[0], solved.residuals[f]) << i << " " << f;
    }
  }
}

// Targets where another legal pose ends are reached inside the limits; what is left unsolved
// says so and tells its residual.
TEST(RandomCasesTest, K09ReachableInsideLimitsIsReached) {
  Random random(9);
  int reached = 0, tasks = 0;
  for (int i = 0; i < 40; ++i) {
    RigSpec spec = RandomChain(random, 2 + i % 6, "auto", true);
    spec.chains[0].max_iterations = 64;
    Scene scene = MakeScene(spec);
    Scene goals = scene;
    for (int f = 0; f < 25; ++f, ++tasks) {
      scene.Add(RandomPose(random, *scene.rig, 0.5f));
      goals.Add(RandomPose(random, *scene.rig, 0.5f));
      scene.AddTarget(Cast<float>(EndOf(goals, goals.rotations, f)));
    }
    const Solved solved = Solve(scene);
    for (int f = 0; f < 25; ++f) {
      const double error = ErrorOf(scene, solved.rotations, f);
      const float tolerance = scene.rig->chains()[0].tolerance;
      const bool converged = solved.statuses[f] == SolveStatus::kConverged;
      reached += converged;
      EXPECT_EQ(converged, error <= 1.001 * tolerance) << i << " " << f << " " << error;
      EXPECT_NEAR(solved.residuals[f], error, 0.02 * tolerance) << i << " " << f;
      for (int j = 0; j < scene.joints() - 1; ++j) {
        const Joint& joint = scene.rig->skeleton().joint(j);
        const Vec3d bone = Cast<double>(scene.rig->skeleton().joint(j + 1).offset);
        EXPECT_LE(Outside(scene.rig->limit(j), Cast<double>(joint.rest), bone,
                          Cast<double>(solved.At(scene, f, j))),
                  1e-4)
            << i << " " << f << " " << j;
      }
    }
  }
  EXPECT_GE(reached, tasks * 99 / 100);
  RecordProperty("reached", reached);
}

}  // namespace
}  // namespace ikstream
