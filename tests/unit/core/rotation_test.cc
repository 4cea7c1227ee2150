// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include <cmath>

#include "gtest/gtest.h"
#include "unit/core/scenes.h"

namespace ikstream {
namespace {

constexpr double kDegree = 3.14159265358979 / 180;

TEST(RotationTargetTest, FootMeetsItsRotationAndKeepsItsPlace) {
  Random random(1);
  for (const char* solver : {"two_bone", "auto", "fabrik", "ccd", "jacobian"}) {
    RigSpec spec = Leg(solver);
    spec.chains[0].tolerance = 1e-5f;
    spec.chains[0].max_iterations = 200;
    Scene scene = MakeScene(spec);
    for (int f = 0; f < 100; ++f) {
      scene.Add(RandomPose(random, *scene.rig, 0.3f));
      scene.AddTarget(Vec3f{0, -0.75f, 0} + RandomUnit(random) * 0.2f);
      const Quatf goal = RandomTurn(random, 3);
      scene.goals.insert(scene.goals.end(), {goal.x, goal.y, goal.z, goal.w});
    }
    const Solved solved = Solve(scene);
    const bool exact = std::string(solver) == "two_bone" || std::string(solver) == "auto";
    for (int f = 0; f < 100; ++f) {
      const Quatd end = PoseOf(scene, solved.rotations, f).rotations[2];
      EXPECT_LE(AngleBetween(end, Cast<double>(LoadQuat(&scene.goals[4 * f]))), 2e-6) << solver;
      EXPECT_LE(solved.angles[f], 2e-6);
      EXPECT_LE(ErrorOf(scene, solved.rotations, f), exact ? 1e-5 : 1.0) << f;
    }
  }
}

TEST(RotationTargetTest, KeepEndRotationHoldsTheFoot) {
  Random random(2);
  RigSpec spec = Leg("auto");
  spec.chains[0].keep_end_rotation = true;
  Scene scene = MakeScene(spec);
  for (int f = 0; f < 50; ++f) {
    scene.Add(RandomPose(random, *scene.rig, 0.5f));
    scene.AddTarget(Vec3f{0, -0.7f, 0} + RandomUnit(random) * 0.2f);
  }
  const Solved solved = Solve(scene);
  for (int f = 0; f < 50; ++f)
    EXPECT_LE(AngleBetween(PoseOf(scene, scene.rotations, f).rotations[2],
                           PoseOf(scene, solved.rotations, f).rotations[2]),
              2e-6);
}

// The clamped start of the end joint is what its target asks for: nothing is left to turn but
// what was sent.
TEST(RotationTargetTest, AnEndSentOutsideItsLimitIsTurnedThoughTheTargetIsAtTheLimit) {
  for (const char* solver : {"two_bone", "auto", "fabrik", "ccd", "jacobian"}) {
    RigSpec spec = Leg(solver);
    spec.limits.resize(spec.joints.size());
    spec.limits[2] = HingeLimit{{1, 0, 0}, 0, 0};
    Scene scene = MakeScene(spec);
    std::vector<Quatf> pose(spec.joints.size());
    pose[2] = FromAxisAngle(Vec3f{1, 0, 0}, 1.2f);
    scene.Add(pose);
    const auto at = Cast<float>(PoseOf(scene, scene.rotations, 0).positions[2]);
    scene.AddTarget(at);
    scene.goals = {0, 0, 0, 1};
    const Solved solved = Solve(scene);
    const Quatd end = PoseOf(scene, solved.rotations, 0).rotations[2];
    EXPECT_LE(AngleBetween(end, Quatd{}), 2e-6) << solver;
    EXPECT_LE(solved.angles[0], 2e-6) << solver;
  }
}

TEST(RotationTargetTest, TipMeetsPositionAndRotation) {
  Random random(3);
  for (const char* solver : {"auto", "fabrik", "ccd", "jacobian"}) {
    RigSpec spec = StraightChain(4, 0.5f, solver);
    spec.chains[0].tip_offset = Vec3f{0.1f, -0.3f, 0.2f};
    spec.chains[0].max_iterations = 100;
    Scene scene = MakeScene(spec);
    for (int f = 0; f < 60; ++f) {
      Scene goal{scene.rig, {}, {}, {}, {}, {}, {}};
      goal.Add(RandomPose(random, *scene.rig, 1));
      scene.AddTarget(Cast<float>(EndOf(goal, goal.rotations, 0)));
      const Quatf q = Cast<float>(PoseOf(goal, goal.rotations, 0).rotations[4]);
      scene.goals.insert(scene.goals.end(), {q.x, q.y, q.z, q.w});
      scene.Add(RandomPose(random, *scene.rig, 0.5f));
    }
    const Solved solved = Solve(scene);
    int converged = 0;
    for (int f = 0; f < 60; ++f) {
      converged += solved.statuses[f] == SolveStatus::kConverged;
      if (solved.statuses[f] != SolveStatus::kConverged) continue;
      EXPECT_LE(AngleBetween(PoseOf(scene, solved.rotations, f).rotations[4],
                             Cast<double>(LoadQuat(&scene.goals[4 * f]))),
                0.5 * kDegree);
    }
    EXPECT_GE(converged, 58) << solver;
  }
}

TEST(RotationTargetTest, PositionComesBeforeRotation) {
  RigSpec spec = StraightChain(3, 0.5f, "auto");
  spec.chains[0].tip_offset = Vec3f{0, -0.5f, 0};
  Scene scene = MakeScene(spec);
  scene.Add(std::vector<Quatf>(4));
  scene.AddTarget({0, -1.9f, 0});
  scene.goals = {1, 0, 0, 0};  // pointing back up: the wrist could not be there
  const Solved solved = Solve(scene);
  EXPECT_LE(ErrorOf(scene, solved.rotations, 0), 2.1e-3);
  EXPECT_NE(solved.statuses[0], SolveStatus::kConverged);
  EXPECT_GT(solved.angles[0], 1);
}

TEST(RotationTargetTest, K26NoFlipWhereTheGoalTurnsPastHalf) {
  Scene scene = MakeScene(Leg("two_bone", false));
  for (int f = 0; f <= 2000; ++f) {
    scene.Add(std::vector<Quatf>(3));
    scene.AddTarget({0, -0.9f, 0.1f});
    const Quatf q = FromAxisAngle(Vec3f{1, 0, 0}, static_cast<float>(f * 0.1 * kDegree));
    scene.goals.insert(scene.goals.end(), {q.x, q.y, q.z, q.w});
  }
  for (float weight : {1.0f, 0.5f}) {
    scene.weights = {weight};
    const Solved solved = Solve(scene);
    for (int f = 1; f <= 2000; ++f)
      for (int j = 0; j < 3; ++j)
        ASSERT_LE(AngleBetween(Cast<double>(solved.At(scene, f - 1, j)),
                               Cast<double>(solved.At(scene, f, j))),
                  0.15 * kDegree)
            << f << " " << j << " " << weight;
  }
}

}  // namespace
}  // namespace ikstream
