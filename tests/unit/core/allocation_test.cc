// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// No allocation inside a solve once the memory is there: every solver, with limits, poles,
// rotation targets, tips, translations, stiffness, soft reach and weights.
#include <string>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"
#include "unit/core/allocations.h"
#include "unit/core/scenes.h"

namespace ikstream {
namespace {

constexpr int kFrames = 100;

// Solver, with limits, what else: every bit another feature.
enum Feature {
  kPole = 1,
  kGoal = 2,
  kKeep = 4,
  kTip = 8,
  kStiff = 16,
  kSoft = 32,
  kMoving = 64,
  kOverTime = 128,
  kSeldom = 256,
  kEased = 512
};
class AllocationTest : public testing::TestWithParam<std::tuple<std::string, bool, int>> {};

Scene MakeTask(const std::string& solver, bool limits, int features) {
  Random random(7);
  RigSpec spec = RandomChain(random, solver == "two_bone" ? 2 : 5, solver, limits);
  ChainSpec& chain = spec.chains[0];
  if (features & kTip) {
    chain.tip_offset = Vec3f{0, -1, 0};
    chain.root_joint = solver == "two_bone" ? 1 : 0;
  }
  if (features & kPole) chain.pole = {PoleKind::kDirection, {0, 1, 0}, 0.7f};
  chain.keep_end_rotation = (features & kKeep) != 0;
  if (features & kStiff) spec.stiffness.assign(spec.joints.size(), 1.0f), spec.stiffness[1] = 3;
  if (features & kSoft) chain.soft_reach = SoftReach{0.98f, 0.1f};
  if (features & kMoving) spec.translated_joints = {1, 2};
  spec.frames_per_second = 30;
  if (features & kOverTime) chain.temporal = {0.1, 2, 0.3, 3, 6};
  if (features & (kSeldom | kEased)) chain.solve_every = 4;
  if (features & kEased) chain.between = FramesBetween::kHoldEased;
  Scene scene = MakeScene(spec);
  for (int f = 0; f < kFrames; ++f) {
    scene.Add(RandomPose(random, *scene.rig, 0.7f), RandomUnit(random));
    scene.AddTarget(RandomUnit(random) * 2.5f);
    scene.weights.push_back(f % 3 == 0 ? 0.6f : 1.0f);
    const Quatf goal = RandomTurn(random, 2);
    if (features & kGoal)
      scene.goals.insert(scene.goals.end(), {goal.x, goal.y, goal.z, goal.w});
  }
  return scene;
}

TEST_P(AllocationTest, NoneOnceTheMemoryIsThere) {
  if (!CountsAllocations()) GTEST_SKIP() << "allocations are not counted under the sanitizer";
  const auto& [solver, limits, features] = GetParam();
  const Scene scene = MakeTask(solver, limits, features);
  std::vector<float> out(scene.rotations.size());
  std::vector<float> turns(3 * scene.rig->chains()[0].turned.size() * kFrames);
  const int moving = static_cast<int>(scene.rig->translated_joints().size());
  std::vector<float> translations;
  for (int i = 0; i < kFrames * moving; ++i)
    translations.insert(translations.end(), {0.1f, -1, 0.2f});
  const MotionView motion{kFrames, scene.roots.data(), scene.rotations.data(),
                          moving == 0 ? nullptr : translations.data()};
  std::vector<ChainTargets> targets(1);
  targets[0] = {{scene.positions.data(), 3}, {}, {scene.weights.data(), 1}, {}};
  if (!scene.goals.empty()) targets[0].rotations = {scene.goals.data(), 4};
  std::vector<ChainResults> results(1);
  results[0].angular_velocities = turns.data();
  Solver session(scene.rig);
  const long start = Allocations();
  session.Solve(motion, targets, out.data(), results);
  EXPECT_GT(Allocations(), start);  // they are counted
  EXPECT_NE(out, scene.rotations);
  const long before = Allocations();
  session.Solve(motion, targets, out.data(), results);
  MotionView half = motion;
  half.frames = kFrames / 2;
  session.Solve(half, targets, out.data(), results);
  EXPECT_EQ(Allocations() - before, 0);
}

std::vector<std::string> SolverNames() {
  std::vector<std::string> names;
  // aim and body need rigs of their own: batch_test.cc.
  for (const SolverText& solver : Solvers()) {
    const std::string name = solver.name;
    if (name != "aim" && name != "body") names.push_back(name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(
    Solvers, AllocationTest,
    testing::Combine(testing::ValuesIn(SolverNames()), testing::Bool(),
                     testing::Values(0, kPole, kGoal, kKeep | kPole, kTip | kGoal | kPole,
                                     kStiff | kPole, kSoft, kMoving, kMoving | kGoal,
                                     kOverTime | kPole | kGoal, kSeldom | kPole,
                                     kEased | kOverTime, kTip | kKeep | kStiff | kSoft)),
    [](const auto& param) {
      return std::get<0>(param.param) + (std::get<1>(param.param) ? "_limits_" : "_free_") +
             std::to_string(std::get<2>(param.param));
    });

}  // namespace
}  // namespace ikstream
