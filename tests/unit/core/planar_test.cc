// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Planar chains: what every solver keeps in the plane, judged by forward kinematics.
#include <cmath>
#include <numbers>
#include <string>

#include "core/field_error.h"
#include "gtest/gtest.h"
#include "unit/core/contract_scenes.h"
#include "unit/core/planar_scenes.h"

namespace ikstream {
namespace {

constexpr double kPi = std::numbers::pi;

class PlanarTest : public testing::TestWithParam<std::string> {
 protected:
  int Bones(Random& random) const {
    return GetParam() == "two_bone" ? 2 : 2 + static_cast<int>(random() % 9);
  }
  // Targets taken from other legal poses in the plane.
  Scene RandomScene(int seed, bool limits, int frames) {
    Random random(seed);
    RigSpec spec = RandomPlanarChain(random, Bones(random), GetParam(), limits);
    spec.chains[0].max_iterations = 100;
    Scene scene = MakeScene(std::move(spec));
    for (int f = 0; f < frames; ++f) {
      const Vec3f root = RandomUnit(random) * 2;
      scene.Add(PlanarPose(random, *scene.rig, 1), root);
      Scene goal{scene.rig, {}, {}, {}, {}, {}, {}};
      goal.Add(PlanarPose(random, *scene.rig, 2), root);
      std::copy_n(scene.rotations.end() - 4 * scene.joints(), 4, goal.rotations.begin());
      scene.AddTarget(Cast<float>(EndOf(goal, goal.rotations, 0)));
    }
    return scene;
  }
};

TEST_P(PlanarTest, StaysInThePlaneWithinLimitsAndReaches) {
  int all = 0, free_missed = 0, limited_missed = 0;
  for (int seed = 0; seed < 80; ++seed) {
    const bool limits = seed % 2 == 1;
    const Scene scene = RandomScene(seed, limits, 33);
    const Solved solved = Solve(scene);
    const Chain& chain = scene.rig->chains()[0];
    for (int f = 0; f < scene.frames(); ++f) {
      // Beside what the rounded input leans out of the plane itself.
      const std::vector<double> before = HeightsOf(scene, scene.rotations, f);
      const std::vector<double> after = HeightsOf(scene, solved.rotations, f);
      for (size_t k = 0; k < after.size(); ++k)
        ASSERT_NEAR(after[k], before[k], 1e-6 * chain.length) << seed << " " << f;
      ASSERT_LE(WorstOutside(scene, solved, f), 1e-4) << seed << " " << f;
      ASSERT_NEAR(ErrorOf(scene, solved.rotations, f), solved.residuals[f],
                  2e-5 * chain.length);
      ASSERT_EQ(solved.statuses[f] == SolveStatus::kConverged,
                solved.residuals[f] <= chain.tolerance);
      ASSERT_LE(solved.iterations[f], 100);
      all += !limits;
      (limits ? limited_missed : free_missed) += solved.residuals[f] > chain.tolerance;
    }
  }
  EXPECT_LE(free_missed, all / 400);
  EXPECT_LE(limited_missed, all / 40);
  std::printf("%s: of %d each, free missed %d, limited missed %d\n", GetParam().c_str(), all,
              free_missed, limited_missed);
}

// A chain that lies in the plane, rounding and all, never leaves it.
TEST_P(PlanarTest, FlatChainsStayFlat) {
  Random random(7);
  for (const Vec3f normal : {Vec3f{0, 0, 1}, Vec3f{0, 0, -2}, Vec3f{1, 0, 0}})
    for (int bones : {2, 5, 12}) {
      if (GetParam() == "two_bone") bones = 2;
      RigSpec spec = StraightChain(bones, 0.5f, GetParam());
      spec.chains[0].plane_normal = normal;
      Scene scene = MakeScene(spec);
      const float reach = scene.rig->chains()[0].length;
      for (int f = 0; f < 33; ++f) {
        std::vector<Quatf> pose = PlanarPose(random, *scene.rig, 1);
        pose[0] = {};  // the root: at rest
        scene.Add(pose);
        scene.AddTarget(RandomUnit(random) * Uniform(random, 0, 1.3f * reach));
      }
      const Solved solved = Solve(scene);
      for (int f = 0; f < scene.frames(); ++f)
        for (double height : HeightsOf(scene, solved.rotations, f))
          ASSERT_NEAR(height, 0, 1e-6 * reach) << bones << " " << f;
    }
}

TEST_P(PlanarTest, WhatLeansOutOfThePlaneIsKept) {
  for (int seed = 100; seed < 120; ++seed) {
    Scene scene = RandomScene(seed, false, 17);
    Random random(seed);
    for (size_t i = 0; i < scene.rotations.size(); i += 4)
      Store(RandomTurn(random, 2), scene.rotations.data() + i);
    const Solved solved = Solve(scene);
    const double length = scene.rig->chains()[0].length;
    for (int f = 0; f < scene.frames(); ++f) {
      const auto before = HeightsOf(scene, scene.rotations, f);
      const auto after = HeightsOf(scene, solved.rotations, f);
      for (size_t k = 0; k < before.size(); ++k)
        ASSERT_NEAR(before[k], after[k], 2e-6 * length) << seed << " " << f;
      ASSERT_LE(WorstLean(scene, solved.rotations, f), 5e-6);
    }
  }
}

TEST_P(PlanarTest, ATargetOffThePlaneIsTakenAsItsFootOnIt) {
  RigSpec spec = StraightChain(2, 0.5f, GetParam());
  spec.chains[0].plane_normal = Vec3f{0, 0, 1};
  spec.chains[0].max_iterations = 100;
  Scene scene = MakeScene(spec);
  const Quatf bent = FromAxisAngle(Vec3f{0, 0, 1}, 0.4f);
  scene.Add({{}, bent, {}});
  scene.AddTarget({0.3f, -0.6f, 0.2f});
  const Solved solved = Solve(scene);
  const Vec3d end = EndOf(scene, solved.rotations, 0);
  EXPECT_NEAR(Length(end - Vec3d{0.3, -0.6, 0}), 0, 1e-3);
  EXPECT_NEAR(solved.residuals[0], 0.2, 1e-3);
  EXPECT_EQ(solved.statuses[0], SolveStatus::kUnreachable);
}

// The middle joint may bend from 150 to 210 degrees: both ways past straight back.
TEST_P(PlanarTest, RangesReachOver180Degrees) {
  for (float sign : {1.0f, -1.0f}) {
    RigSpec spec = StraightChain(2, 0.5f, GetParam());
    spec.chains[0].plane_normal = Vec3f{0, 0, 1};
    spec.chains[0].max_iterations = 100;
    spec.limits.resize(3);
    spec.limits[1] = HingeLimit{{0, 0, sign}, 2.6179939f, 3.6651914f};
    Scene scene = MakeScene(spec);
    for (float start : {2.7f, 3.6f, -2.8f})
      for (float angle : {2.65f, 3.1f, 3.6f, -2.7f}) {
        scene.Add({{}, FromAxisAngle(Vec3f{0, 0, sign}, start), {}});
        const float reach = static_cast<float>(
            Length(Vec3d{0, -0.5, 0} +
                   Rotate(FromAxisAngle(Vec3d{0, 0, 1}, static_cast<double>(angle)),
                          Vec3d{0, -0.5, 0})));
        scene.AddTarget(Vec3f{0.6f, 0.8f, 0} * reach);
      }
    const Solved solved = Solve(scene);
    for (int f = 0; f < scene.frames(); ++f) {
      EXPECT_EQ(solved.statuses[f], SolveStatus::kConverged) << f << " " << solved.residuals[f];
      EXPECT_LE(WorstOutside(scene, solved, f), 1e-4) << f;
    }
  }
}

// A limit is the joint's own: whatever its parents do.
TEST_P(PlanarTest, LimitsAreMeasuredInTheJointsOwnSpace) {
  RigSpec spec = StraightChain(2, 0.5f, GetParam());
  spec.chains[0].plane_normal = Vec3f{0, 0, -3};
  spec.chains[0].max_iterations = 100;
  spec.limits.resize(3);
  spec.limits[1] = HingeLimit{{0, 0, 1}, 0.1f, 2.5f};
  Scene scene = MakeScene(spec);
  for (int i = 0; i < 36; ++i) {
    const float root = static_cast<float>(i * kPi / 18 - kPi);
    scene.Add({FromAxisAngle(Vec3f{0, 0, 1}, root), FromAxisAngle(Vec3f{0, 0, 1}, 0.5f), {}});
    scene.AddTarget(Vec3f{std::cos(root * 3), std::sin(root * 3), 0} * 0.7f);
  }
  const Solved solved = Solve(scene);
  for (int f = 0; f < scene.frames(); ++f) {
    EXPECT_LE(WorstOutside(scene, solved, f), 1e-4) << f;
    EXPECT_EQ(solved.statuses[f], SolveStatus::kConverged) << f;
  }
}

TEST_P(PlanarTest, ThePoleChoosesTheSide) {
  for (float side : {1.0f, -1.0f}) {
    RigSpec spec = StraightChain(2, 0.5f, GetParam());
    spec.chains[0].plane_normal = Vec3f{0, 0, 1};
    spec.chains[0].pole = {PoleKind::kDirection, {side, 0, 0}, 1};
    Scene scene = MakeScene(spec);
    for (float bend : {-0.5f, 0.0f, 0.5f}) {
      scene.Add({{}, FromAxisAngle(Vec3f{0, 0, 1}, bend), {}});
      scene.AddTarget({0, -0.8f, 0});
    }
    const Solved solved = Solve(scene);
    for (int f = 0; f < scene.frames(); ++f) {
      EXPECT_GT(PoseOf(scene, solved.rotations, f).positions[1].x * side, 0.25) << f;
      EXPECT_EQ(solved.statuses[f], SolveStatus::kConverged);
    }
  }
}

// The end joint turns about the normal until it is as near to the goal as it gets.
TEST_P(PlanarTest, ARotationTargetIsMetAboutTheNormal) {
  RigSpec spec = StraightChain(2, 0.5f, GetParam());
  spec.chains[0].plane_normal = Vec3f{0, 0, 1};
  Scene scene = MakeScene(spec);
  const double lean[] = {0, 0.5};
  for (double off : lean) {
    scene.Add({{}, FromAxisAngle(Vec3f{0, 0, 1}, 0.7f), {}});
    scene.AddTarget({0.2f, -0.7f, 0});
    const Quatf goal =
        Cast<float>(FromAxisAngle(Vec3d{0, 0, 1}, 1.2) * FromAxisAngle(Vec3d{1, 0, 0}, off));
    scene.goals.insert(scene.goals.end(), {goal.x, goal.y, goal.z, goal.w});
  }
  const Solved solved = Solve(scene);
  for (int f = 0; f < 2; ++f) {
    const Quatd end = PoseOf(scene, solved.rotations, f).rotations[2];
    EXPECT_NEAR(AngleBetween(end, FromAxisAngle(Vec3d{0, 0, 1}, 1.2)), 0, 1e-4);
    EXPECT_NEAR(solved.angles[f], lean[f], 1e-4);
    EXPECT_LE(solved.residuals[f], 1e-3);
  }
}

TEST_P(PlanarTest, StraightChainsBendAndFarOnesReachOut) {  // K02, K03, K06 in a plane
  RigSpec spec = StraightChain(GetParam() == "two_bone" ? 2 : 5, 0.2f, GetParam());
  spec.chains[0].plane_normal = Vec3f{0, 0, 1};
  spec.chains[0].max_iterations = 100;
  Scene scene = MakeScene(spec);
  const float reach = scene.rig->chains()[0].length;
  for (float share : {0.8f, 3.0f}) {
    scene.Add(std::vector<Quatf>(static_cast<size_t>(scene.joints())));
    scene.AddTarget({0, -share * reach, 0});
  }
  const Solved solved = Solve(scene);
  EXPECT_EQ(solved.statuses[0], SolveStatus::kConverged);
  EXPECT_EQ(solved.statuses[1], SolveStatus::kUnreachable);
  EXPECT_NEAR(solved.residuals[1], 2 * reach, 1e-4 * reach);
}

// No way leads to it: what is mirrored about that way must stay a pose.
TEST_P(PlanarTest, TheRootItselfAsTarget) {
  for (int seed = 0; seed < 200; ++seed) {
    Random random(seed);
    RigSpec spec = RandomPlanarChain(random, Bones(random), GetParam(), true);
    for (Joint& joint : spec.joints) joint.offset = joint.offset * 1e5f;
    Scene scene = MakeScene(std::move(spec));
    scene.Add(PlanarPose(random, *scene.rig, 1), {});
    scene.AddTarget(Cast<float>(PoseOf(scene, scene.rotations, 0).positions[1]));
    const Solved solved = Solve(scene);
    for (int j = 0; j < scene.joints(); ++j) {
      const Quatd q = Cast<double>(solved.At(scene, 0, j));
      ASSERT_NEAR(Dot(q, q), 1, 1e-5) << seed << " " << j;
    }
    ASSERT_LE(WorstOutside(scene, solved, 0), 1e-4) << seed;
    ASSERT_NEAR(ErrorOf(scene, solved.rotations, 0), solved.residuals[0],
                2e-5 * scene.rig->chains()[0].length)
        << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Solvers, PlanarTest,
                         testing::Values("auto", "two_bone", "fabrik", "ccd", "jacobian"),
                         [](const auto& param) { return std::string(param.param); });

TEST(PlaneTest, ErrorsNameTheField) {
  const auto field = [](RigSpec spec) {
    return FieldOf(Rig::Create(std::move(spec)).status());
  };
  RigSpec good = StraightChain(3, 1, "fabrik");
  good.chains[0].plane_normal = Vec3f{0, 0, 1};
  good.limits.resize(4);
  EXPECT_EQ(field(good), "");
  RigSpec spec = good;
  spec.chains[0].plane_normal = Vec3f{0, NAN, 1};
  EXPECT_EQ(field(spec), "chains[0].plane_normal");
  spec.chains[0].plane_normal = Vec3f{0, 0, 0};
  EXPECT_EQ(field(spec), "chains[0].plane_normal");
  spec.chains[0].plane_normal = Vec3f{0, 2, 0};  // along the bones
  EXPECT_EQ(field(spec), "chains[0].plane_normal");
  spec = good;
  spec.limits[1] = HingeLimit{{1, 0, 0}, -1, 1};
  EXPECT_EQ(field(spec), "limits[1].axis");
  spec.limits[1] = SwingTwistLimit{{}, {}, 1, 1, -1, 1};
  EXPECT_EQ(field(spec), "limits[1].kind");
  spec.limits[1] = HingeLimit{{0, 0, -2}, -1, 1};
  EXPECT_EQ(field(spec), "");
}

}  // namespace
}  // namespace ikstream
