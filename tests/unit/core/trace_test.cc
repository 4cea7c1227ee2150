// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/trace.h"

#include "core/field_error.h"
#include "gtest/gtest.h"
#include "unit/core/aim_scenes.h"
#include "unit/core/body_scenes.h"
#include "unit/core/scenes.h"

namespace ikstream {
namespace {

MotionView OneFrame(const Scene& scene) {
  return {1, scene.roots.data(), scene.rotations.data(), nullptr};
}

TEST(TraceTest, ErrorsFallToTheAnswersResidual) {
  for (const char* solver : {"auto", "fabrik", "ccd", "jacobian"})
    for (bool limits : {false, true}) {
      Random random(4);
      RigSpec spec = RandomChain(random, 6, solver, limits);
      Scene scene = MakeScene(spec);
      scene.Add(RandomPose(random, *scene.rig, 0.5f), {1, 2, 3});
      scene.AddTarget(Vec3f{1, 2, 3} + RandomUnit(random) * 2.0f);
      const std::vector<ChainTargets> targets = {{{scene.positions.data(), 3}, {}, {}, {}}};
      const auto trace = TraceSolve(*scene.rig, 0, "", OneFrame(scene), targets);
      ASSERT_TRUE(trace.ok());
      const Solved solved = Solve(scene);
      EXPECT_EQ(trace->status, solved.statuses[0]);
      EXPECT_NEAR(trace->errors.back(), solved.residuals[0], 1e-4) << solver;
      EXPECT_NEAR(trace->errors.front(), ErrorOf(scene, scene.rotations, 0), 1e-5);
      EXPECT_EQ(trace->positions.size(), 21 * trace->errors.size());
      EXPECT_EQ(trace->clamps.size(), trace->errors.size());
      for (size_t i = 1; i < trace->errors.size(); ++i)
        EXPECT_LE(trace->errors[i], trace->errors[i - 1] + 1e-4) << solver << limits << i;
    }
}

TEST(TraceTest, CountsJointsAtTheirLimit) {
  Scene scene = MakeScene(Leg("two_bone"));
  scene.Add(std::vector<Quatf>(3));
  scene.AddTarget({0, -0.1f, 0});  // nearer than 150 degrees of flexion allow
  const std::vector<ChainTargets> targets = {{{scene.positions.data(), 3}, {}, {}, {}}};
  const auto trace = TraceSolve(*scene.rig, 0, "", OneFrame(scene), targets);
  ASSERT_TRUE(trace.ok());
  EXPECT_EQ(trace->clamps.back(), 1);
}

TEST(TraceTest, RaysAreTracedByTheirMiss) {
  Scene scene = MakeScene(Head());
  scene.Add(std::vector<Quatf>(5), {1, 0, 2});
  scene.AddTarget({2, 1, 2.5f});
  const std::vector<ChainTargets> targets = {{{scene.positions.data(), 3}, {}, {}, {}}};
  const auto trace = TraceSolve(*scene.rig, 0, "", OneFrame(scene), targets);
  ASSERT_TRUE(trace.ok());
  const Solved solved = Solve(scene);
  EXPECT_NEAR(trace->errors.front(), RayOf(scene, scene.rotations, 0).miss, 1e-5);
  EXPECT_NEAR(trace->errors.back(), RayOf(scene, solved.rotations, 0).miss, 1e-5);
  EXPECT_EQ(trace->status, SolveStatus::kConverged);
  EXPECT_GE(trace->errors.size(), 3u);  // the start, and steps that follow the eye's way
  EXPECT_EQ(FieldOf(TraceSolve(*scene.rig, 0, "fabrik", OneFrame(scene), targets).status()),
            "solver");
}

// Of one of five effectors: the others are met too, but for one without weight.
TEST(TraceTest, GroupsAreSolvedTogether) {
  BodyScene scene = RandomHumans(1, 41, Human());
  scene.tracks[4].weights = {0};
  scene.tracks[2].weights = {0.5f};  // counts whole
  std::vector<ChainTargets> targets;
  for (const BodyScene::Tracks& t : scene.tracks)
    targets.push_back({{t.positions.data(), 3}, {}, {t.weights.data(), 0}, {}});
  const MotionView motion{1, scene.roots.data(), scene.rotations.data(), nullptr};
  const auto trace = TraceSolve(*scene.rig, 1, "", motion, targets);
  ASSERT_TRUE(trace.ok()) << trace.status();
  scene.tracks[2].weights = {1};
  const SolvedBody solved = SolveHumans(scene);
  EXPECT_EQ(trace->status, solved.chains[1].statuses[0]);
  EXPECT_EQ(static_cast<int>(trace->errors.size()), solved.chains[1].iterations[0] + 1);
  EXPECT_NEAR(trace->errors.front(),
              Length(EndOf(scene, PoseOf(scene, scene.roots, scene.rotations, 0), 1) -
                     Cast<double>(LoadVec3(scene.tracks[1].positions.data()))),
              1e-5);
  EXPECT_NEAR(trace->errors.back(), MissOf(scene, solved, 1, 0), 1e-6);
  EXPECT_LE(trace->errors.back(), 2e-3);
  const size_t bones = scene.rig->chains()[1].bones.size();
  EXPECT_EQ(trace->positions.size(), 3 * (bones + 1) * trace->errors.size());
  // The answer is that of the whole group.
  EXPECT_GT(trace->joints.size(), 10u);
  for (size_t i = 0; i < trace->joints.size(); ++i)
    EXPECT_EQ(LoadQuat(&trace->local_rotations[4 * i]),
              LoadQuat(&solved.rotations[4 * trace->joints[i]]));
  ASSERT_TRUE(trace->root);
  EXPECT_EQ(*trace->root, LoadVec3(solved.roots.data()));
  // The same arm by itself.
  const auto alone = TraceSolve(*scene.rig, 1, "fabrik", motion, targets);
  ASSERT_TRUE(alone.ok()) << alone.status();
  EXPECT_EQ(alone->joints, scene.rig->chains()[1].turned);
}

TEST(TraceTest, ErrorsNameTheField) {
  Scene scene = MakeScene(StraightChain(3, 1, "auto"));
  scene.Add(std::vector<Quatf>(4));
  const auto fault = [&](int chain, const char* solver) {
    const ChainTargets none;
    return FieldOf(TraceSolve(*scene.rig, chain, solver, OneFrame(scene), {&none, 1}).status());
  };
  EXPECT_EQ(fault(1, ""), "chain");
  EXPECT_EQ(fault(0, "none"), "solver");
  EXPECT_EQ(fault(0, "two_bone"), "solver");
  EXPECT_EQ(fault(0, "aim"), "solver");
  EXPECT_EQ(fault(0, "body"), "solver");
}

}  // namespace
}  // namespace ikstream
