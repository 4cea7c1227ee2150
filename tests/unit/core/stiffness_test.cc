// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// How the bend is shared: a joint of twice the stiffness takes less of it, by how much is
// stated.
#include <cmath>
#include <cstdio>
#include <string>

#include "gtest/gtest.h"
#include "unit/core/scenes.h"

namespace ikstream {
namespace {

constexpr int kBones = 6, kFrames = 400;

// The mean turn of joint `stiff` from input to answer over random targets near the chain's end,
// as a share of the mean turn of all joints.
double ShareOfBend(const std::string& solver, int stiff, float stiffness, bool planar) {
  RigSpec spec = StraightChain(kBones, 1, solver);
  spec.stiffness.assign(kBones + 1, 1);
  spec.stiffness[static_cast<size_t>(stiff)] = stiffness;
  spec.chains[0].max_iterations = 100;
  if (planar) spec.chains[0].plane_normal = Vec3f{0, 0, 1};
  Scene scene = MakeScene(spec);
  Random random(77);
  for (int f = 0; f < kFrames; ++f) {
    std::vector<Quatf> pose;
    for (int j = 0; j <= kBones; ++j) {
      const float angle = Uniform(random, -0.5f, 0.5f);
      pose.push_back(planar ? FromAxisAngle(Vec3f{0, 0, 1}, angle) : RandomTurn(random, 0.5f));
    }
    scene.Add(pose);
    Vec3f off = RandomUnit(random);
    if (planar) off.z = 0;
    scene.AddTarget(Cast<float>(EndOf(scene, scene.rotations, f)) + off * 1.5f);
  }
  const Solved solved = Solve(scene);
  double all = 0, one = 0;
  for (int f = 0; f < kFrames; ++f) {
    if (solved.statuses[f] != SolveStatus::kConverged) continue;
    for (int j = 0; j < kBones; ++j) {
      const Quatf before = LoadQuat(scene.rotations.data() + 4 * (scene.joints() * f + j));
      const double angle =
          AngleBetween(Cast<double>(before), Cast<double>(solved.At(scene, f, j)));
      all += angle / kBones;
      if (j == stiff) one += angle;
    }
  }
  return one / all;
}

class StiffnessTest : public testing::TestWithParam<std::string> {};

TEST_P(StiffnessTest, TwiceAsStiffTakesLess) {
  for (bool planar : {false, true})
    for (int joint : {1, 2, 3}) {
      const double even = ShareOfBend(GetParam(), joint, 1, planar);
      const double twice = ShareOfBend(GetParam(), joint, 2, planar);
      const double four = ShareOfBend(GetParam(), joint, 4, planar);
      std::printf("%s%s joint %d: %.2f even, %.2f twice as stiff, %.2f four times\n",
                  GetParam().c_str(), planar ? " in a plane" : "", joint, even, twice, four);
      EXPECT_LE(twice, 0.8 * even);
      EXPECT_GE(twice, 0.4 * even);
      EXPECT_LE(four, 0.8 * twice);
    }
}

INSTANTIATE_TEST_SUITE_P(Solvers, StiffnessTest, testing::Values("fabrik", "ccd", "jacobian"),
                         [](const auto& param) { return std::string(param.param); });

}  // namespace
}  // namespace ikstream
