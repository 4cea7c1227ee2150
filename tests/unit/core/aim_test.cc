// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Look-at, judged by the ray that forward kinematics of the answer gives.
#include <cmath>
#include <cstring>
#include <numbers>

#include "core/field_error.h"
#include "gtest/gtest.h"
#include "unit/core/aim_scenes.h"

namespace ikstream {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

TEST(AimTest, PointsAtTheTargetWhereverItIs) {
  Scene scene = MakeScene(Head());
  Random random(1);
  for (int f = 0; f < 500; ++f) {
    scene.Add(RandomPose(random, *scene.rig, 0.4f), RandomUnit(random) * 3);
    const Vec3f root = LoadVec3(scene.roots.data() + 3 * f);
    scene.AddTarget(root + RandomUnit(random) * Uniform(random, 0.8f, 6));
  }
  const Solved solved = Solve(scene);
  for (int f = 0; f < scene.frames(); ++f) {
    const RayView ray = RayOf(scene, solved.rotations, f);
    ASSERT_LE(ray.angle, 0.1 * kDegree) << f;
    ASSERT_EQ(solved.statuses[f], SolveStatus::kConverged);
    ASSERT_NEAR(solved.residuals[f], ray.miss, 2e-5) << f;
    ASSERT_NEAR(solved.angles[f], ray.angle, 2e-5) << f;
    ASSERT_LE(solved.iterations[f], 16);
  }
}

// The eye is 12 cm in front of the head's pivot: near targets move a lot as it turns.
TEST(AimTest, ParallaxIsSolved) {
  Scene scene = MakeScene(Head());
  Random random(2);
  for (int f = 0; f < 300; ++f) {
    scene.Add(RandomPose(random, *scene.rig, 0.2f));
    scene.AddTarget(Vec3f{0, 0.25f, 0} + RandomUnit(random) * Uniform(random, 0.3f, 0.5f));
  }
  const Solved solved = Solve(scene);
  for (int f = 0; f < scene.frames(); ++f)
    ASSERT_LE(RayOf(scene, solved.rotations, f).angle, 0.1 * kDegree) << f;
}

TEST(AimTest, JointsTurnByTheirShares) {
  RigSpec spec = Head();
  spec.stiffness = {1, 4, 2, 1, 1};  // chest, neck, head, eye, a joint below it
  Scene scene = MakeScene(spec);
  const double shares[] = {0, 1 / 7.0, 2 / 7.0, 4 / 7.0};
  Random random(3);
  for (int f = 0; f < 200; ++f) {
    scene.Add(RandomPose(random, *scene.rig, 0.6f));
    scene.AddTarget(RandomUnit(random) * Uniform(random, 0.8f, 4));
  }
  const Solved solved = Solve(scene);
  for (int f = 0; f < scene.frames(); ++f) {
    double angles[4] = {}, whole = 0;
    for (int j = 1; j < 4; ++j) {
      const Quatf in = LoadQuat(&scene.rotations[4 * (scene.joints() * f + j)]);
      angles[j] =
          AngleBetween(Cast<double>(in), Normalized(Cast<double>(solved.At(scene, f, j))));
      whole += angles[j];
    }
    // The angles add up to the one between the rays before and after: no joint turns in vain.
    const Vec3d before = RayOf(scene, scene.rotations, f).axis;
    const Vec3d after = RayOf(scene, solved.rotations, f).axis;
    const double between = std::atan2(Length(Cross(before, after)), Dot(before, after));
    ASSERT_NEAR(whole, whole > 3.15 ? 2 * std::numbers::pi - between : between, 1e-3) << f;
    for (int j = 1; j < 4; ++j) ASSERT_NEAR(angles[j] / whole, shares[j], 0.01) << f;
  }
}

TEST(AimTest, TheAnimationsTwistIsKept) {
  Scene scene = MakeScene(Head());
  Random random(4);
  for (int f = 0; f < 100; ++f) {
    scene.Add(RandomPose(random, *scene.rig, 0.5f));
    scene.AddTarget(RandomUnit(random) * 3.0f);
  }
  const Solved solved = Solve(scene);
  for (int f = 0; f < scene.frames(); ++f) {
    const ModelPose in = PoseOf(scene, scene.rotations, f);
    const ModelPose out = PoseOf(scene, solved.rotations, f);
    const Quatd turn = out.rotations[3] * Conjugate(in.rotations[3]);
    // A shortest arc turns about an axis orthogonal to the old direction.
    const Vec3d axis = RayOf(scene, scene.rotations, f).axis;
    ASSERT_NEAR(Dot(Vec3d{turn.x, turn.y, turn.z}, axis), 0, 1e-4) << f;
  }
}

TEST(AimTest, LimitsHoldAndOthersTakeTheRest) {
  RigSpec spec = Head();
  spec.limits.resize(5);
  spec.limits[3] = SwingTwistLimit{Vec3f{0, 0, 1}, {}, 0.3f, 0.3f, -0.01f, 0.01f};  // the eye
  spec.limits[2] = EulerLimit{{-0.5f, -0.9f, -0.3f}, {0.5f, 0.9f, 0.3f}};
  Scene scene = MakeScene(spec);
  Random random(5);
  for (int f = 0; f < 400; ++f) {
    scene.Add(std::vector<Quatf>(5));
    const float a = Uniform(random, -2, 2), h = Uniform(random, -0.6f, 0.6f);
    scene.AddTarget(Vec3f{std::sin(a), h, std::cos(a)} * 3.0f);
  }
  const Solved solved = Solve(scene);
  for (int f = 0; f < scene.frames(); ++f) {
    ASSERT_LE(WorstOutsideAim(scene, solved, f), 1e-4) << f;
    ASSERT_LE(RayOf(scene, solved.rotations, f).angle, 0.1 * kDegree) << f;
  }
}

TEST(AimTest, WhatLimitsForbidIsTold) {
  RigSpec spec = Head();
  spec.limits.resize(5);
  for (int j = 1; j < 4; ++j)
    spec.limits[j] = SwingTwistLimit{Vec3f{0, 0, 1}, {}, 0.3f, 0.3f, -0.1f, 0.1f};
  Scene scene = MakeScene(spec);
  scene.Add(std::vector<Quatf>(5));
  scene.AddTarget({3, 0.3f, 0});  // 90 degrees off, where 3 x 0.3 rad are allowed
  const Solved solved = Solve(scene);
  EXPECT_EQ(solved.statuses[0], SolveStatus::kLimited);
  EXPECT_NEAR(solved.angles[0], std::numbers::pi / 2 - 0.9, 0.1);
  EXPECT_NEAR(solved.angles[0], RayOf(scene, solved.rotations, 0).angle, 1e-4);
}

TEST(AimTest, HingesPanAndTilt) {
  RigSpec spec = Head();
  spec.limits.resize(5);
  spec.limits[1] = HingeLimit{{0, 1, 0}, -3, 3};
  spec.limits[2] = HingeLimit{{1, 0, 0}, -1.4f, 1.4f};
  spec.limits[3] = HingeLimit{{1, 0, 0}, -0.2f, 0.2f};
  spec.chains[0].max_iterations = 40;
  Scene scene = MakeScene(spec);
  Random random(6);
  for (int f = 0; f < 200; ++f) {
    scene.Add(std::vector<Quatf>(5));
    const float a = Uniform(random, -2.5f, 2.5f), h = Uniform(random, -1, 1);
    scene.AddTarget(Vec3f{std::sin(a), h, std::cos(a)} * 3.0f);
  }
  const Solved solved = Solve(scene);
  for (int f = 0; f < scene.frames(); ++f)
    ASSERT_LE(RayOf(scene, solved.rotations, f).angle, 0.1 * kDegree) << f;
}

TEST(AimTest, DegenerateTargetsAreFiniteAndTheSameEveryTime) {
  Scene scene = MakeScene(Head());
  const Vec3d eye = RayOf(MakeHeadScene(), MakeHeadScene().rotations, 0).origin;
  const Vec3f targets[] = {Cast<float>(eye),
                           {0, 0, 0},
                           Cast<float>(eye + Vec3d{0, 0, -5}),
                           Cast<float>(eye + Vec3d{1e-8, 0, 0}),
                           {1e6f, 1e6f, -1e6f}};
  for (const Vec3f& target : targets) {
    scene.Add(std::vector<Quatf>(5));
    scene.AddTarget(target);
  }
  const Solved solved = Solve(scene), again = Solve(scene, 1);
  EXPECT_EQ(solved.rotations, again.rotations);
  for (size_t i = 0; i < solved.rotations.size(); i += 4)
    ASSERT_NEAR(Dot(LoadQuat(&solved.rotations[i]), LoadQuat(&solved.rotations[i])), 1, 1e-5);
  EXPECT_LE(RayOf(scene, solved.rotations, 2).angle, 0.1 * kDegree);  // right behind
  EXPECT_LE(RayOf(scene, solved.rotations, 4).angle, 0.1 * kDegree);
}

TEST(AimTest, PartialWeightsAreSlerpsAndMeasured) {
  Scene scene = MakeScene(Head());
  Random random(7);
  for (int f = 0; f < 30; ++f) {
    scene.Add(RandomPose(random, *scene.rig, 0.3f));
    scene.AddTarget(RandomUnit(random) * 3.0f);
  }
  const Solved full = Solve(scene, 1);
  scene.weights = {0.25f};
  const Solved part = Solve(scene, 1);
  for (int f = 0; f < scene.frames(); ++f) {
    const RayView ray = RayOf(scene, part.rotations, f);
    EXPECT_NEAR(part.angles[f], ray.angle, 2e-5);
    EXPECT_NEAR(part.residuals[f], ray.miss, 1e-4);
    EXPECT_EQ(part.statuses[f], full.statuses[f]);
  }
  for (int j = 1; j < 4; ++j) {
    const auto in = Cast<double>(LoadQuat(&scene.rotations[4 * j]));
    EXPECT_NEAR(AngleBetween(in, Cast<double>(part.At(scene, 0, j))),
                0.25 * AngleBetween(in, Cast<double>(full.At(scene, 0, j))), 1e-5);
  }
}

// Without a target the chain is to look where its input does: what limits take from that is
// told, at every weight.
TEST(AimTest, WithoutATargetTheInputsGazeIsAskedFor) {
  RigSpec spec = Head();
  spec.limits.resize(spec.joints.size());
  for (int joint : {1, 2, 3}) spec.limits[joint] = HingeLimit{{1, 0, 0}, -0.1f, 0.1f};
  for (float weight : {0.0f, 0.4f, 1.0f}) {
    Scene scene = MakeScene(spec);
    Random random(8);
    for (int f = 0; f < 60; ++f)
      scene.Add(RandomPose(random, *MakeScene(Head()).rig, 0.8f), RandomUnit(random) * 3);
    scene.weights = {weight};
    const Solved solved = Solve(scene);
    const double distance = scene.rig->chains()[0].length;
    int missed = 0;
    for (int f = 0; f < scene.frames(); ++f) {
      const RayView before = RayOf(scene, scene.rotations, f);
      const RayView after = RayOf(scene, solved.rotations, f);
      const Vec3d u = before.origin + before.axis * distance - after.origin;
      const double across = Length(Cross(after.axis, u)), along = Dot(after.axis, u);
      const double angle = std::atan2(across, along);
      ASSERT_NEAR(solved.angles[f], angle, 5e-5) << f;
      ASSERT_NEAR(solved.residuals[f], along > 0 ? across : Length(u), 2e-5) << f;
      if (weight > 0)
        ASSERT_EQ(solved.statuses[f] == SolveStatus::kConverged || weight < 1,
                  weight < 1 || angle <= 0.5 * kDegree + 5e-5);
      else
        ASSERT_EQ(solved.statuses[f], SolveStatus::kSkipped);
      missed += angle > kDegree;
    }
    EXPECT_EQ(missed > 20, weight > 0);
  }
}

TEST(AimTest, OneJointIsEnoughAndItsTipMovesTheRay) {
  RigSpec spec = Head();
  spec.chains[0].root_joint = 3;
  Scene scene = MakeScene(spec);
  scene.Add(std::vector<Quatf>(5));
  scene.AddTarget({2, 1, 1});
  EXPECT_LE(RayOf(scene, Solve(scene).rotations, 0).angle, 0.1 * kDegree);
  spec.chains[0].tip_offset = Vec3f{0.2f, 0.1f, 0};
  scene.rig = MakeScene(spec).rig;
  EXPECT_LE(RayOf(scene, Solve(scene).rotations, 0).angle, 0.1 * kDegree);
}

TEST(AimTest, ErrorsNameTheField) {
  const auto fault = [](const RigSpec& spec) { return FieldOf(Rig::Create(spec).status()); };
  RigSpec spec = Head();
  spec.chains[0].aim_axis = Vec3f{};
  EXPECT_EQ(fault(spec), "chains[0].aim_axis");
  spec.chains[0].aim_axis.reset();
  spec.chains[0].end_joint = 4;  // a leaf without a tip has no bone
  EXPECT_EQ(fault(spec), "chains[0].aim_axis");
  spec = Head();
  spec.chains[0].solver = "fabrik";
  EXPECT_EQ(fault(spec), "chains[0].aim_axis");
  spec = Head();
  spec.chains[0].pole.kind = PoleKind::kPoint;
  EXPECT_EQ(fault(spec), "chains[0].pole.kind");
  spec = Head();
  spec.chains[0].keep_end_rotation = true;
  EXPECT_EQ(fault(spec), "chains[0].keep_end_rotation");
}

}  // namespace
}  // namespace ikstream
