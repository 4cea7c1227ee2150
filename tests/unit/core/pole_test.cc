// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include <cmath>

#include "gtest/gtest.h"
#include "unit/core/scenes.h"

namespace ikstream {
namespace {

constexpr double kDegree = 3.14159265358979 / 180;

// The side of the middle joints, orthogonal to the line from root to end.
Vec3d BendOf(const Scene& scene, const Solved& solved, int frame) {
  const ModelPose pose = PoseOf(scene, solved.rotations, frame);
  const auto& driven = scene.rig->chains()[0].driven;
  const Vec3d root = pose.positions[driven[0]];
  const Vec3d line = NormalizedOr(EndOf(scene, solved.rotations, frame) - root, {1, 0, 0});
  Vec3d sum{};
  for (size_t k = 1; k < driven.size(); ++k) sum += pose.positions[driven[k]] - root;
  return NormalizedOr(sum - line * Dot(sum, line), Vec3d{});
}

TEST(PoleTest, TurnsTheBendExactlyForChainsOfAnyLength) {
  Random random(1);
  for (const char* solver : {"fabrik", "ccd", "jacobian", "auto"})
    for (int bones : {2, 3, 7}) {
      RigSpec spec = StraightChain(bones, 1, solver);
      spec.chains[0].pole = {PoleKind::kPoint, {}, 1};
      spec.chains[0].max_iterations = 50;
      Scene scene = MakeScene(spec);
      const auto length = static_cast<float>(bones);
      for (int f = 0; f < 50; ++f) {
        scene.Add(RandomPose(random, *scene.rig, 0.6f), {1, 2, 3});
        scene.AddTarget(Vec3f{1, 2, 3} +
                        RandomUnit(random) * Uniform(random, 0.3f, 0.9f) * length);
        const Vec3f pole = RandomUnit(random) * 9.0f;
        scene.poles.insert(scene.poles.end(), {pole.x, pole.y, pole.z});
      }
      const Solved solved = Solve(scene);
      for (int f = 0; f < 50; ++f) {
        const Vec3d root{1, 2, 3};
        const Vec3d line = NormalizedOr(EndOf(scene, solved.rotations, f) - root, Vec3d{});
        const Vec3d way = Cast<double>(LoadVec3(&scene.poles[3 * f])) - root;
        const Vec3d across = way - line * Dot(way, line);
        if (Length(across) < 0.1 * Length(way)) continue;
        EXPECT_GT(Dot(BendOf(scene, solved, f), across / Length(across)),
                  std::cos(0.2 * kDegree))
            << solver << bones << " " << f;
        EXPECT_EQ(solved.statuses[f], SolveStatus::kConverged);
      }
    }
}

TEST(PoleTest, K23ParallelPoleFallsBackAndSweepsSmoothly) {
  Scene scene = MakeScene(Leg("two_bone"));
  for (int f = -100; f <= 100; ++f) {
    const auto a = static_cast<float>(f * 0.1 * kDegree);
    scene.Add(std::vector<Quatf>(3));
    scene.poles.insert(scene.poles.end(), {std::sin(a), -std::cos(a), 0.002f});
    scene.AddTarget({0, -0.8f, 0});
  }
  const Solved solved = Solve(scene);
  for (int f = 1; f < scene.frames(); ++f)
    EXPECT_GE(Dot(BendOf(scene, solved, f - 1), BendOf(scene, solved, f)),
              std::cos(5 * kDegree))
        << f;
  EXPECT_LT(BendOf(scene, solved, 0).x, -0.99);
  EXPECT_GT(BendOf(scene, solved, 200).x, 0.99);

  Scene single = MakeScene(Leg("two_bone", false));
  single.Add(std::vector<Quatf>(3));
  single.poles = {0, -1, 0};
  single.AddTarget({0, -0.8f, 0});
  EXPECT_NEAR(Length(BendOf(single, Solve(single), 0)), 1, 1e-6);
}

TEST(PoleTest, K25TheSameSideWhateverTheRestRoll) {
  Vec3d first;
  for (int roll = 0; roll < 8; ++roll) {
    RigSpec spec = Leg("two_bone", false);
    const Quatf rest = FromAxisAngle(Vec3f{0, 1, 0}, static_cast<float>(roll) * 0.7f);
    spec.joints[1].rest = rest;
    Scene scene = MakeScene(spec);
    scene.Add({{}, rest, {}});
    scene.AddTarget({0.1f, -0.8f, 0.1f});
    const Vec3d bend = BendOf(scene, Solve(scene), 0);
    if (roll == 0) first = bend;
    EXPECT_GT(Dot(bend, first), 0.9999);
  }
}

}  // namespace
}  // namespace ikstream
