// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Faults that other solvers have shipped, as small inputs with the right outcome.
#include <cmath>
#include <string>

#include "gtest/gtest.h"
#include "unit/core/scenes.h"

namespace ikstream {
namespace {

constexpr double kDegree = 3.14159265358979 / 180;
const std::vector<Quatf> kRest3(3);

class CasesTest : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Solvers, CasesTest,
                         testing::Values("auto", "two_bone", "fabrik", "ccd", "jacobian"),
                         [](const auto& param) { return std::string(param.param); });

RigSpec Line(std::vector<Vec3f> offsets, const std::string& solver) {
  RigSpec spec;
  spec.joints.push_back({"", -1, {}, {}, {}});
  for (size_t i = 0; i < offsets.size(); ++i)
    spec.joints.push_back({"", static_cast<int>(i), offsets[i], {}, {}});
  spec.chains.emplace_back();
  spec.chains[0].end_joint = static_cast<int>(offsets.size());
  spec.chains[0].solver = solver;
  spec.chains[0].max_iterations = 32;
  return spec;
}

TEST_P(CasesTest, K01TargetOnAJoint) {
  if (GetParam() == "two_bone") GTEST_SKIP() << "three bones";
  RigSpec spec = Line({{10, 0, 0}, {10, 0, 0}, {10, 0, 0}}, GetParam());
  spec.chains[0].tolerance = 0.01f;
  Scene scene = MakeScene(spec);
  scene.Add(std::vector<Quatf>(4));
  scene.AddTarget({20, 0, 0});
  const Solved solved = Solve(scene);
  EXPECT_LE(ErrorOf(scene, solved.rotations, 0), 0.01);
}

TEST_P(CasesTest, K02CollinearChainBends) {
  if (GetParam() == "two_bone") GTEST_SKIP() << "three bones";
  Scene scene = MakeScene(Line({{0, 0, 40}, {0, 0, 40}, {0, 0, 40}}, GetParam()));
  scene.Add(std::vector<Quatf>(4));
  scene.AddTarget({0, 0, 100});
  const Solved solved = Solve(scene);
  EXPECT_EQ(solved.statuses[0], SolveStatus::kConverged);
  EXPECT_LE(ErrorOf(scene, solved.rotations, 0), 0.12);
  EXPECT_EQ(solved.rotations, Solve(scene).rotations);
}

TEST_P(CasesTest, K03StraightKneeBendsForward) {
  for (bool hinge : {false, true}) {
    Scene scene = MakeScene(Leg(GetParam(), hinge));
    scene.Add(kRest3);
    scene.AddTarget({0, -0.8f, 0});
    const Solved solved = Solve(scene);
    const ModelPose pose = PoseOf(scene, solved.rotations, 0);
    EXPECT_EQ(solved.statuses[0], SolveStatus::kConverged) << hinge;
    EXPECT_NEAR(pose.positions[1].z, 0.3, 2e-3) << hinge;
    EXPECT_NEAR(pose.positions[1].x, 0, 1e-4) << hinge;
  }
}

TEST_P(CasesTest, K04TargetAtTheRoot) {
  Scene scene = MakeScene(Leg(GetParam(), false));
  scene.Add(kRest3);
  scene.AddTarget({0, 0, 0});
  Solved solved = Solve(scene);
  EXPECT_EQ(solved.statuses[0], SolveStatus::kConverged);
  EXPECT_LE(solved.residuals[0], 1e-3);
  EXPECT_NEAR(PoseOf(scene, solved.rotations, 0).positions[1].x, 0, 1e-3);
  RigSpec uneven = Leg(GetParam(), false);
  uneven.joints[2].offset = {0, -0.4f, 0};
  scene = MakeScene(uneven);
  scene.Add(kRest3);
  scene.AddTarget({0, 0, 0});
  solved = Solve(scene);
  EXPECT_EQ(solved.statuses[0], SolveStatus::kTooClose);
  EXPECT_NEAR(solved.residuals[0], 0.1, 2e-4);
}

TEST_P(CasesTest, K06UnreachableDoesNotJitter) {
  Scene scene = MakeScene(Leg(GetParam()));
  for (int f = 0; f < 60; ++f) {
    scene.Add(kRest3);
    scene.AddTarget({0, -3 + (f % 2 == 0 ? 1e-4f : -1e-4f), 0});
  }
  const Solved solved = Solve(scene);
  const ModelPose first = PoseOf(scene, solved.rotations, 0);
  for (int f = 0; f < 60; ++f) {
    EXPECT_EQ(solved.statuses[f], SolveStatus::kUnreachable);
    EXPECT_NEAR(solved.residuals[f], 2, 2e-4);
    const ModelPose pose = PoseOf(scene, solved.rotations, f);
    for (int j : {1, 2}) EXPECT_LE(Length(pose.positions[j] - first.positions[j]), 1e-4);
  }
}

TEST_P(CasesTest, K08OneHingeKeepsTheSign) {
  if (GetParam() == "two_bone") GTEST_SKIP() << "one bone";
  RigSpec spec = Line({{1, 0, 0}}, GetParam());
  spec.limits.resize(2);
  spec.limits[0] = HingeLimit{{0, 1, 0}, -1.5707963f, 1.5707963f};
  Scene scene = MakeScene(spec);
  scene.Add(std::vector<Quatf>(2));
  scene.AddTarget({0.7071f, 0, 0.7071f});
  const Quatf q = Solve(scene).At(scene, 0, 0);
  EXPECT_NEAR(2 * std::atan2(q.y, q.w), -45 * kDegree, 0.1 * kDegree);
}

TEST_P(CasesTest, K10MoreIterationsAreNeverWorse) {
  Random random(10);
  for (int i = 0; i < 20; ++i) {
    const int bones = GetParam() == "two_bone" ? 2 : 6;
    RigSpec spec = RandomChain(random, bones, GetParam(), true);
    std::vector<float> before;
    const auto seed = random();
    for (int iterations : {10, 50, 200}) {
      spec.chains[0].max_iterations = iterations;
      Scene scene = MakeScene(spec);
      Random again(seed);
      for (int f = 0; f < 10; ++f) {
        scene.Add(RandomPose(again, *scene.rig, 0.5f));
        scene.AddTarget(RandomUnit(again) * Uniform(again, 0, scene.rig->chains()[0].length));
      }
      const Solved solved = Solve(scene);
      const float tolerance = scene.rig->chains()[0].tolerance;
      for (size_t f = 0; f < before.size(); ++f)
        EXPECT_LE(solved.residuals[f], std::max(before[f] * 1.0001f, tolerance))
            << i << " " << f;
      before = solved.residuals;
    }
  }
}

TEST_P(CasesTest, K14RootDoesNotMoveAndOffsetHipWorks) {
  RigSpec spec = Leg(GetParam(), false);
  for (Joint& joint : spec.joints) ++joint.parent;
  spec.joints.insert(spec.joints.begin(), {"hips", -1, {}, {}, {}});
  spec.joints[1].parent = 0;
  spec.joints[1].offset = {0.1f, -0.05f, 0};
  spec.limits.clear();
  spec.chains[0].root_joint = 1;
  spec.chains[0].end_joint = 3;
  Scene scene = MakeScene(spec);
  Random random(14);
  for (int f = 0; f < 50; ++f) {
    std::vector<Quatf> pose(4);
    pose[0] = RandomTurn(random, 3);
    scene.Add(pose, {100, 5, -300});
    scene.AddTarget(Cast<float>(PoseOf(scene, scene.rotations, f).positions[1]) +
                    RandomUnit(random) * 0.7f);
  }
  const Solved solved = Solve(scene);
  for (int f = 0; f < 50; ++f) {
    EXPECT_EQ(solved.statuses[f], SolveStatus::kConverged);
    EXPECT_LE(ErrorOf(scene, solved.rotations, f), 1.1e-3);
    EXPECT_EQ(solved.At(scene, f, 0), LoadQuat(&scene.rotations[16 * f]));
  }
}

TEST_P(CasesTest, K15ChildrenBeforeParents) {
  RigSpec spec = Leg(GetParam(), false);
  spec.joints = {{"ankle", 1, {0, -0.5f, 0}, {}, {}},
                 {"knee", 2, {0, -0.5f, 0}, {}, {}},
                 {"hip", -1, {}, {}, {}}};
  spec.chains[0].root_joint = 2;
  spec.chains[0].end_joint = 0;
  Scene scene = MakeScene(spec);
  scene.Add(kRest3);
  scene.AddTarget({0.2f, -0.7f, 0.1f});
  EXPECT_LE(ErrorOf(scene, Solve(scene).rotations, 0), 1.1e-3);
}

TEST_P(CasesTest, K28BonesOffTheAxes) {
  Random random(28);
  Scene scene = MakeScene(Line({{2.5f, 7, 1}, {1, -3, 6}}, GetParam()));
  for (int f = 0; f < 40; ++f) {
    scene.Add(RandomPose(random, *scene.rig, 1));
    scene.AddTarget(RandomUnit(random) * Uniform(random, 2, 13));
  }
  const Solved solved = Solve(scene);
  for (int f = 0; f < 40; ++f) EXPECT_EQ(solved.statuses[f], SolveStatus::kConverged);
}

TEST_P(CasesTest, K31HingeTurnsTheHip) {
  Scene scene = MakeScene(Leg(GetParam()));
  scene.Add(kRest3);
  scene.AddTarget({0, -0.6f, -0.5f});
  scene.Add(kRest3);
  scene.AddTarget({0, -0.2f, 0});
  const Solved solved = Solve(scene);
  const auto bend = [&](int f) {
    const Quatf q = solved.At(scene, f, 1);
    return 2 * std::atan2(q.x, q.w) / kDegree;
  };
  EXPECT_EQ(solved.statuses[0], SolveStatus::kConverged);
  EXPECT_NEAR(bend(0), 77.3, 0.5);
  EXPECT_GE(bend(1), -0.01);
  EXPECT_LE(bend(1), 150.01);
  EXPECT_EQ(solved.statuses[1], SolveStatus::kLimited);
  EXPECT_NEAR(solved.residuals[1], 0.2588 - 0.2, 2e-3);
}

}  // namespace
}  // namespace ikstream
