// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// CPU targets: the same bits on every target that has fused multiply-add.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "unit/core/scenes.h"

namespace ikstream {
namespace {

Scene Sample(const char* solver, bool limits) {
  Random random(7);
  RigSpec spec = RandomChain(random, 5, solver, limits);
  spec.chains[0].pole = {PoleKind::kDirection, {0, 1, 0}, 0.7f};
  Scene scene = MakeScene(spec);
  for (int f = 0; f < 100; ++f) {
    scene.Add(RandomPose(random, *scene.rig, 0.7f), RandomUnit(random));
    scene.AddTarget(RandomUnit(random) * 2.5f);
    scene.weights.push_back(f % 3 == 0 ? 0.6f : 1.0f);
  }
  return scene;
}

TEST(BatchTest, TargetsWithFusedMultiplyAddGiveTheSameBits) {
  std::vector<std::vector<float>> answers;
  const std::string usual = CpuTarget();
  for (const char* target : {"AVX3", "AVX2", "NEON"}) {
    if (!PinCpuTarget(target).ok()) continue;
    EXPECT_STREQ(CpuTarget(), target);
    answers.emplace_back();
    for (const char* solver : {"auto", "fabrik", "ccd", "jacobian"})
      for (bool limits : {false, true}) {
        const Solved solved = Solve(Sample(solver, limits));
        answers.back().insert(answers.back().end(), solved.rotations.begin(),
                              solved.rotations.end());
      }
  }
  for (const auto& answer : answers) EXPECT_EQ(answer, answers.front());
  EXPECT_TRUE(PinCpuTarget(usual).ok());
}

TEST(BatchTest, OtherTargetsSolveToo) {
  const std::string usual = CpuTarget();
  EXPECT_FALSE(PinCpuTarget("none such").ok());
  for (const char* target : {"SSE4", "EMU128"}) {
    if (!PinCpuTarget(target).ok()) continue;
    const Scene scene = Sample("fabrik", false);
    const Solved solved = Solve(scene);
    for (int f = 0; f < scene.frames(); ++f)
      EXPECT_NEAR(ErrorOf(scene, solved.rotations, f), solved.residuals[f], 1e-4) << target;
  }
  EXPECT_TRUE(PinCpuTarget(usual).ok());
}

}  // namespace
}  // namespace ikstream
