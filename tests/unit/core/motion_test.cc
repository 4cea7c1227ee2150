// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// What depends on more than one frame, and soft reach.
#include <cmath>

#include "gtest/gtest.h"
#include "unit/core/scenes.h"

namespace ikstream {
namespace {

constexpr double kDegree = 3.14159265358979 / 180;

TEST(SoftReachTest, K07NoPopNearFullExtension) {
  for (const char* solver : {"two_bone", "auto"}) {
    RigSpec spec = Leg(solver);
    spec.chains[0].soft_reach = SoftReach{};
    Scene scene = MakeScene(spec);
    for (int i = 0; i <= 20; ++i) {
      scene.Add(std::vector<Quatf>(3));
      scene.AddTarget({0, -(0.98f + 0.001f * static_cast<float>(i)), 0});
    }
    const Solved solved = Solve(scene);
    for (int f = 0; f < scene.frames(); ++f) {
      EXPECT_EQ(solved.statuses[f], SolveStatus::kConverged);
      EXPECT_LE(solved.residuals[f], 3.7e-3 + 1e-3);
      if (f == 0) continue;
      const ModelPose a = PoseOf(scene, solved.rotations, f - 1);
      const ModelPose b = PoseOf(scene, solved.rotations, f);
      EXPECT_LE(Length(a.positions[1] - b.positions[1]), 0.004) << f;
      EXPECT_LE(AngleBetween(a.rotations[0], b.rotations[0]), kDegree) << f;
      EXPECT_GT(b.positions[1].z, 0);
    }
    EXPECT_NEAR(solved.residuals[20], 0.01 * std::exp(-1.0), 1e-4);
  }
}

TEST(AngularVelocityTest, LeadsFromAnswerToAnswer) {
  RigSpec spec = StraightChain(4, 0.5f, "fabrik");
  spec.frames_per_second = 30;
  Scene scene = MakeScene(spec);
  Random random(1);
  const std::vector<Quatf> pose = RandomPose(random, *scene.rig, 0.5f);
  for (int f = 0; f < 60; ++f) {
    scene.Add(pose);
    const float a = static_cast<float>(f) * 0.1f;
    scene.AddTarget({std::sin(a), -1, std::cos(a) * 0.5f});
  }
  Solver solver(scene.rig);
  const size_t turned = scene.rig->chains()[0].turned.size();
  std::vector<float> out(scene.rotations.size()), velocities(3 * turned * 60);
  std::vector<ChainResults> results(1);
  const std::vector<ChainTargets> targets = {{{scene.positions.data(), 3}, {}, {}, {}}};
  for (int first : {0, 30}) {
    results[0].angular_velocities = velocities.data() + 3 * turned * first;
    solver.Solve(
        {30, scene.roots.data() + 3 * first, scene.rotations.data() + 20 * first, nullptr},
        targets, out.data() + 20 * first, results);
    if (first == 0)
      scene.positions.erase(scene.positions.begin(), scene.positions.begin() + 90);
  }
  for (int f = 0; f < 60; ++f)
    for (size_t k = 0; k < turned; ++k) {
      const auto w = Cast<double>(LoadVec3(&velocities[3 * (turned * f + k)]));
      if (f == 0) {
        EXPECT_EQ(Length(w), 0);
        continue;
      }
      const auto before = Cast<double>(LoadQuat(&out[20 * (f - 1) + 4 * k]));
      const auto now = Cast<double>(LoadQuat(&out[20 * f + 4 * k]));
      const double angle = Length(w) / 30;
      const Quatd turn = angle > 0 ? FromAxisAngle(w / Length(w), angle) : Quatd{};
      EXPECT_LE(AngleBetween(turn * before, now), 1e-3);
    }
}

}  // namespace
}  // namespace ikstream
