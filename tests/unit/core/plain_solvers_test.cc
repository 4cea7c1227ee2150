// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// One step of each solver against the plain step in double precision.
#include "unit/core/plain_solvers.h"

#include <functional>
#include <string>

#include "gtest/gtest.h"
#include "unit/core/scenes.h"

namespace ikstream {
namespace {

using Step = std::function<Positions(const Positions&, Vec3d, double length)>;

Positions PositionsOf(const Scene& scene, const std::vector<float>& rotations, int frame) {
  return PoseOf(scene, rotations, frame).positions;
}

// Chains of some shape, bent, with a target inside their reach; one iteration each.
void ExpectStep(const std::string& solver, int least_bones, int most_bones, double tolerance,
                const Step& step) {
  Random random(21);
  double least_move = 1e9;
  for (int i = 0; i < 60; ++i) {
    const int bones = least_bones + i % (most_bones - least_bones + 1);
    RigSpec spec = RandomChain(random, bones, solver, false);
    spec.chains[0].max_iterations = 1;
    spec.chains[0].tolerance = 1e-6f;
    Scene scene = MakeScene(spec);
    const double length = static_cast<double>(scene.rig->chains()[0].length);
    Scene goals = scene;
    for (int f = 0; f < 10; ++f) {
      scene.Add(RandomPose(random, *scene.rig, 1.2f), RandomUnit(random));
      goals.Add(RandomPose(random, *scene.rig, 1.2f), LoadVec3(&scene.roots[3 * f]));
      scene.AddTarget(Cast<float>(EndOf(goals, goals.rotations, f)));
    }
    const Solved solved = Solve(scene);
    for (int f = 0; f < 10; ++f) {
      const Positions start = PositionsOf(scene, scene.rotations, f);
      const Vec3d target = Cast<double>(LoadVec3(&scene.positions[3 * f]));
      const Positions want = step(start, target, length);
      const Positions got = PositionsOf(scene, solved.rotations, f);
      for (size_t k = 0; k < want.size(); ++k)
        ASSERT_LE(Length(got[k] - want[k]), tolerance * length)
            << "chain " << i << ", frame " << f << ", joint " << k;
      least_move = std::min(least_move, Length(want.back() - start.back()) / length);
    }
  }
  EXPECT_GT(least_move, 1e-3);  // a step that does nothing would agree too
}

TEST(PlainSolversTest, TwoBoneIsTheLawOfCosines) {
  ExpectStep("two_bone", 2, 2, 2e-5,
             [](const Positions& p, Vec3d target, double) { return PlainTwoBone(p, target); });
}

TEST(PlainSolversTest, FabrikIsOnePassThereAndOneBack) {
  ExpectStep("fabrik", 3, 9, 2e-5,
             [](const Positions& p, Vec3d target, double) { return PlainFabrik(p, target); });
}

TEST(PlainSolversTest, CcdBeginsWithTheTextbooksSweep) {
  ExpectStep("ccd", 3, 9, 5e-5,
             [](const Positions& p, Vec3d target, double) { return PlainCcd(p, target); });
}

// Damping and longest step are the solver's. A step that ends farther away is taken back.
TEST(PlainSolversTest, JacobianTakesTheDampedLeastSquaresStep) {
  const auto step = [](const Positions& p, Vec3d target, double length) {
    const Positions q = PlainLeastSquares(p, target, 1e-3, 0.25 * length);
    return Length(q.back() - target) < Length(p.back() - target) ? q : p;
  };
  ExpectStep("jacobian", 3, 9, 1e-4, step);
}

}  // namespace
}  // namespace ikstream
