// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// What every solver promises still holds with all that is carried over time, at once.
#include <string>

#include "gtest/gtest.h"
#include "unit/core/contract_scenes.h"

namespace ikstream {
namespace {

class SerialContractTest : public testing::TestWithParam<std::string> {};

Scene SerialScene(const std::string& solver, int every) {
  Random random(800 + every);
  const int bones = solver == "two_bone" ? 2 : 2 + static_cast<int>(random() % 9);
  RigSpec spec = RandomChain(random, bones, solver, true);
  spec.frames_per_second = 60;
  spec.chains[0].solve_every = every;
  spec.chains[0].between = FramesBetween::kHoldEased;
  spec.chains[0].temporal = {0.05, 4, 0.1, 10, 20};
  Scene scene = MakeScene(spec);
  for (int f = 0; f < 150; ++f) {
    scene.Add(RandomPose(random, *scene.rig, 0.5f), RandomUnit(random));
    scene.AddTarget(RandomUnit(random) * scene.rig->chains()[0].length);
    scene.weights.push_back(f % 40 < 25 ? 1.0f : 0.3f);
  }
  return scene;
}

// Limits, residuals and the cut into batches.
TEST_P(SerialContractTest, PassesOverTimeKeepThePromises) {
  for (int every : {1, 3}) {
    const Scene scene = SerialScene(GetParam(), every);
    const Solved whole = Solve(scene);
    const float length = scene.rig->chains()[0].length;
    for (int f = 0; f < scene.frames(); ++f) {
      ASSERT_NEAR(ErrorOf(scene, whole.rotations, f), whole.residuals[f], 2e-5 * length) << f;
      // 0.7 of weight fall in 3 frames and rise in 5.
      if (f % 40 >= 5 && f % 40 < 25) {
        ASSERT_LE(WorstOutside(scene, whole, f), 1e-4) << f;
      }
    }
    for (int batch : {1, 16, 149}) {
      const Solved parts = Solve(scene, batch);
      ASSERT_EQ(whole.rotations, parts.rotations) << batch;
      ASSERT_EQ(whole.statuses, parts.statuses);
      ASSERT_EQ(whole.residuals, parts.residuals);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Solvers, SerialContractTest,
                         testing::Values("auto", "two_bone", "fabrik", "ccd", "jacobian"),
                         [](const auto& param) { return std::string(param.param); });

}  // namespace
}  // namespace ikstream
