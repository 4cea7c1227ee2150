// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Memory and CPU targets: no allocation inside a solve; the same bits on every target that has
// fused multiply-add.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "unit/core/aim_scenes.h"
#include "unit/core/allocations.h"
#include "unit/core/body_scenes.h"
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

BodyScene SampleBody() {
  RigSpec spec = Human();
  spec.chains[1].priority = 1;
  spec.chains[3].keep_end_rotation = true;
  BodyScene scene = RandomHumans(60, 8, spec);
  for (int f = 0; f < scene.frames(); ++f)
    scene.tracks[2].weights.push_back(f % 3 == 0 ? 0.6f : 1.0f);
  return scene;
}

Scene SampleAim() {
  Random random(9);
  Scene scene = MakeScene(Head());
  for (int f = 0; f < 60; ++f) {
    scene.Add(RandomPose(random, *scene.rig, 0.4f));
    scene.AddTarget(RandomUnit(random) * 2.0f);
  }
  return scene;
}

TEST(BatchTest, AimAndBodyAllocateNothingEither) {
  if (!CountsAllocations()) GTEST_SKIP() << "allocations are not counted under the sanitizer";
  const BodyScene scene = SampleBody();
  Solver session(scene.rig);
  std::vector<float> out(scene.rotations.size()), roots(scene.roots.size());
  std::vector<ChainTargets> targets;
  for (const auto& tracks : scene.tracks)
    targets.push_back({{tracks.positions.data(), 3}, {}, {}, {}});
  targets[2].weights = {scene.tracks[2].weights.data(), 1};
  const std::vector<ChainResults> results(targets.size());
  const MotionView motion{scene.frames(), scene.roots.data(), scene.rotations.data(), nullptr};
  session.Solve(motion, targets, out.data(), results, roots.data());
  long before = Allocations();
  session.Solve(motion, targets, out.data(), results, roots.data());
  EXPECT_EQ(Allocations() - before, 0);

  const Scene aim = SampleAim();
  Solver head(aim.rig);
  const MotionView looks{aim.frames(), aim.roots.data(), aim.rotations.data(), nullptr};
  const std::vector<ChainTargets> at = {{{aim.positions.data(), 3}, {}, {}, {}}};
  const std::vector<ChainResults> none(1);
  head.Solve(looks, at, out.data(), none);
  before = Allocations();
  head.Solve(looks, at, out.data(), none);
  EXPECT_EQ(Allocations() - before, 0);
}

TEST(BatchTest, NoAllocationInSerialPassesEither) {
  Random random(8);
  RigSpec spec = RandomChain(random, 5, "fabrik", true);
  spec.frames_per_second = 60;
  spec.translated_joints = {1, 2, 3, 4, 5};
  spec.chains[0].pole = {PoleKind::kDirection, {0, 1, 0}, 0.7f};
  spec.chains[0].max_stretch = 0.2f;
  spec.chains[0].angular_velocities = true;
  spec.chains.push_back(spec.chains[0]);
  spec.chains[0].temporal = {0.1, 2, 0.1, 5, 5};
  spec.chains[1].solve_every = 4;
  const Scene scene = [&] {
    Scene made = MakeScene(spec);
    for (int f = 0; f < 100; ++f) {
      made.Add(RandomPose(random, *made.rig, 0.7f), RandomUnit(random));
      made.AddTarget(RandomUnit(random) * 6.0f);
      made.weights.push_back(f % 3 == 0 ? 0.6f : 1.0f);
    }
    return made;
  }();
  std::vector<float> translations;
  for (int f = 0; f < 100; ++f)
    for (int j : spec.translated_joints) {
      const Vec3f v = spec.joints[j].offset;
      translations.insert(translations.end(), {v.x, v.y, v.z});
    }
  std::vector<float> out(scene.rotations.size()), velocities(2 * 3 * 6 * 100);
  const ChainTargets asked{{scene.positions.data(), 3}, {}, {scene.weights.data(), 1}, {}};
  const std::vector<ChainTargets> targets = {asked, asked};
  std::vector<ChainResults> results(2);
  results[0].angular_velocities = velocities.data();
  results[1].angular_velocities = velocities.data() + 3 * 6 * 100;
  Solver session(scene.rig);
  const auto solve = [&] {
    session.Solve({100, scene.roots.data(), scene.rotations.data(), translations.data()},
                  targets, out.data(), results);
  };
  solve();
  const long before = Allocations();
  solve();
  EXPECT_EQ(Allocations() - before, 0);
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
    const auto append = [&](const std::vector<float>& v) {
      answers.back().insert(answers.back().end(), v.begin(), v.end());
    };
    append(SolveHumans(SampleBody()).rotations);
    append(Solve(SampleAim()).rotations);
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
