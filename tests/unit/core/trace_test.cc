// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/trace.h"

#include "core/field_error.h"
#include "gtest/gtest.h"
#include "unit/core/aim_scenes.h"
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
      const ChainTargets targets{{scene.positions.data(), 3}, {}, {}, {}};
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
  const ChainTargets targets{{scene.positions.data(), 3}, {}, {}, {}};
  const auto trace = TraceSolve(*scene.rig, 0, "", OneFrame(scene), targets);
  ASSERT_TRUE(trace.ok());
  EXPECT_EQ(trace->clamps.back(), 1);
}

TEST(TraceTest, RaysAreTracedByTheirMiss) {
  Scene scene = MakeScene(Head());
  scene.Add(std::vector<Quatf>(5), {1, 0, 2});
  scene.AddTarget({2, 1, 2.5f});
  const ChainTargets targets{{scene.positions.data(), 3}, {}, {}, {}};
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

TEST(TraceTest, ErrorsNameTheField) {
  Scene scene = MakeScene(StraightChain(3, 1, "auto"));
  scene.Add(std::vector<Quatf>(4));
  const auto fault = [&](int chain, const char* solver) {
    return FieldOf(TraceSolve(*scene.rig, chain, solver, OneFrame(scene), {}).status());
  };
  EXPECT_EQ(fault(1, ""), "chain");
  EXPECT_EQ(fault(0, "none"), "solver");
  EXPECT_EQ(fault(0, "two_bone"), "solver");
  EXPECT_EQ(fault(0, "aim"), "solver");
  EXPECT_EQ(fault(0, "body"), "solver");
}

}  // namespace
}  // namespace ikstream
