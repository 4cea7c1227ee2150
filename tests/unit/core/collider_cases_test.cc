// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Colliders, one rule each, on the test leg: hip (0,0,0), knee (0,-0.5,0), ankle (0,-1,0).
#include <cmath>

#include "core/field_error.h"
#include "gtest/gtest.h"
#include "unit/core/collider_scenes.h"

namespace ikstream {
namespace {

// The leg under a base, joint 0; hip, knee, ankle are 1, 2, 3.
RigSpec BasedLeg() {
  RigSpec spec = StraightChain(3, 0.5f, "auto");
  spec.joints[1].offset = {};
  spec.chains[0].root_joint = 1;
  return spec;
}

Collider Ball(int joint, Vec3f at, float radius) { return {joint, at, {}, radius, 0, {}}; }

Scene OneFrame(const RigSpec& spec, Vec3f target) {
  Scene scene = MakeScene(spec);
  scene.Add(std::vector<Quatf>(spec.joints.size()));
  scene.AddTarget(target);
  return scene;
}

TEST(ColliderCases, ABoneRightThroughTheMiddleComesOut) {
  for (const Vec3f at : {Vec3f{0, -0.25f, 0}, Vec3f{0, -0.5f, 0}, Vec3f{0, -0.75f, 0}}) {
    RigSpec spec = BasedLeg();
    spec.colliders = {Ball(0, at, at.y < -0.7f ? 0.05f : 0.1f)};
    const Scene scene = OneFrame(spec, {0, -0.9f, 0});
    const Solved solved = Solve(scene);
    EXPECT_LE(DepthOf(scene, solved.rotations, 0), 1e-6);
    EXPECT_EQ(solved.statuses[0], SolveStatus::kConverged) << at.y;
    EXPECT_LE(ErrorOf(scene, solved.rotations, 0), 1e-3);
  }
}

// The least distance of the leg's end from (0, target, 0) with both bones out of the ball, by
// trying all angles in steps of 1e-3: the ball lies on the line to the target, so that one
// plane shows all.
double NearestBeside(Vec3d ball, double radius, double target) {
  double least = 10;
  for (int i = 0; i < 1600; ++i) {
    const double a = 1e-3 * i;
    const Vec3d knee = Vec3d{std::sin(a), -std::cos(a), 0} * 0.5;
    if (SegmentDistance({}, knee, ball, ball) < radius) continue;
    for (int j = -1600; j < 1600; ++j) {
      const double b = 1e-3 * j;
      const Vec3d end = knee + Vec3d{std::sin(b), -std::cos(b), 0} * 0.5;
      const double miss = Length(end - Vec3d{0, target, 0});
      if (miss < least && SegmentDistance(knee, end, ball, ball) >= radius) least = miss;
    }
  }
  return least;
}

// Every shin that meets the target comes within 0.065 of the ball's middle: no pose is free,
// and the answer is as near as one gets.
TEST(ColliderCases, ABallInTheWayOfEveryPoseLeavesTheLeastDistance) {
  RigSpec spec = BasedLeg();
  spec.colliders = {Ball(0, {0, -0.75f, 0}, 0.1f)};
  const Scene scene = OneFrame(spec, {0, -0.9f, 0});
  const Solved solved = Solve(scene);
  EXPECT_EQ(solved.statuses[0], SolveStatus::kLimited);
  EXPECT_LE(DepthOf(scene, solved.rotations, 0), 1e-6);
  EXPECT_NEAR(ErrorOf(scene, solved.rotations, 0), NearestBeside({0, -0.75, 0}, 0.1, -0.9),
              1e-3);
}

TEST(ColliderCases, SkinAddsToTheRadius) {
  RigSpec spec = BasedLeg();
  spec.colliders = {Ball(0, {0, -0.5f, 0.05f}, 0.1f)};
  spec.colliders[0].skin = 0.08f;
  const Scene scene = OneFrame(spec, {0, -0.8f, 0});
  const Solved solved = Solve(scene);
  const ModelPose pose = PoseOf(scene, solved.rotations, 0);
  const Vec3d ball{0, -0.5, 0.05};
  EXPECT_GE(SegmentDistance(pose.positions[1], pose.positions[2], ball, ball), 0.18 - 1e-6);
  EXPECT_GE(SegmentDistance(pose.positions[2], pose.positions[3], ball, ball), 0.18 - 1e-6);
}

TEST(ColliderCases, ATargetInsideIsLimitedAndTold) {
  RigSpec spec = BasedLeg();
  spec.colliders = {Ball(0, {0.3f, -0.6f, 0}, 0.1f)};
  const Scene scene = OneFrame(spec, {0.3f, -0.6f, 0});
  const Solved solved = Solve(scene);
  EXPECT_EQ(solved.statuses[0], SolveStatus::kLimited);
  EXPECT_LE(DepthOf(scene, solved.rotations, 0), 1e-6);
  EXPECT_NEAR(solved.residuals[0], 0.1, 0.01);  // as near as it may come
}

TEST(ColliderCases, OwnAndIgnoredCollidersDoNotCount) {
  RigSpec spec = BasedLeg();
  spec.colliders = {Ball(1, {0, -0.25f, 0}, 0.1f), Ball(3, {0, 0, 0}, 0.4f),
                    Ball(0, {0, -0.5f, 0}, 0.2f)};
  spec.colliders[2].ignored_by = {0};
  RigSpec free = spec;
  free.colliders.clear();
  const Solved solved = Solve(OneFrame(spec, {0, -0.8f, 0.2f}));
  EXPECT_EQ(solved.rotations, Solve(OneFrame(free, {0, -0.8f, 0.2f})).rotations);
  EXPECT_EQ(solved.depths[0], 0);
}

// The hip stands inside: its bone can be no less deep than the hip, the shin has to be free.
TEST(ColliderCases, ARootInsideCannotLeave) {
  RigSpec spec = BasedLeg();
  spec.colliders = {{0, {0, 0.1f, 0}, Vec3f{0, -0.3f, 0.02f}, 0.08f, 0, {}}};
  Scene scene = OneFrame(spec, {0, -0.2f, 0});
  const Solved solved = Solve(scene);
  const double root = 0.08 - SegmentDistance({}, {}, {0, 0.1, 0}, {0, -0.3, 0.02});
  EXPECT_NEAR(solved.depths[0], root, 1e-4);
  const ModelPose pose = PoseOf(scene, solved.rotations, 0);
  EXPECT_GE(SegmentDistance(pose.positions[2], pose.positions[3], {0, 0.1, 0}, {0, -0.3, 0.02}),
            0.08 - 1e-6);
}

TEST(ColliderCases, HoldsAtWeightOneAndTellsTheDepthOfTheOutput) {
  RigSpec spec = BasedLeg();
  spec.colliders = {Ball(0, {0, -0.5f, 0.02f}, 0.1f)};
  for (float weight : {0.0f, 0.3f, 1.0f}) {
    Scene scene = OneFrame(spec, {0, -0.8f, 0});
    scene.weights = {weight};
    const Solved solved = Solve(scene);
    EXPECT_NEAR(solved.depths[0], DepthOf(scene, solved.rotations, 0), 1e-6) << weight;
    EXPECT_EQ(solved.depths[0] > 0.01f, weight < 1);
    EXPECT_EQ(solved.depths[0] == 0, weight == 1);
    EXPECT_EQ(solved.rotations == scene.rotations, weight == 0);
  }
}

// Two legs; the ball hangs on the first one's shin and moves when that is solved.
TEST(ColliderCases, MovesWithItsJointAsEarlierChainsLeftIt) {
  RigSpec spec = BasedLeg();
  for (int j = 1; j <= 3; ++j) {
    Joint joint = spec.joints[static_cast<size_t>(j)];
    joint.parent = j == 1 ? 0 : j + 2;
    spec.joints.push_back(joint);
  }
  ChainSpec second = spec.chains[0];
  second.root_joint = 4, second.end_joint = 6;
  spec.chains.push_back(second);
  spec.colliders = {Ball(2, {0, -0.5f, 0}, 0.15f)};
  Scene scene = MakeScene(spec);
  scene.Add(std::vector<Quatf>(7));
  const float first_target[] = {0.5f, -0.5f, 0}, second_target[] = {0.6f, -0.6f, 0};
  const std::vector<ChainTargets> targets = {{{first_target, 3}, {}, {}, {}},
                                             {{second_target, 3}, {}, {}, {}}};
  SolveStatus statuses[2];
  float depths[2];
  std::vector<ChainResults> results(2);
  for (size_t c = 0; c < 2; ++c) {
    results[c].statuses = &statuses[c];
    results[c].collider_depths = &depths[c];
  }
  std::vector<float> out(scene.rotations.size());
  Solver(scene.rig).Solve({1, scene.roots.data(), scene.rotations.data(), nullptr}, targets,
                          out.data(), results);
  const ModelPose pose = PoseOf(scene, out, 0);
  EXPECT_NEAR(Length(pose.positions[3] - Vec3d{0.5, -0.5, 0}), 0, 1e-3);
  const Vec3d ball = pose.positions[3];
  for (size_t bone : {4u, 5u})
    EXPECT_GE(SegmentDistance(pose.positions[bone], pose.positions[bone + 1], ball, ball),
              0.15 - 1e-5);
  EXPECT_EQ(depths[1], 0);
  EXPECT_EQ(depths[0], 0);  // its own
  // The target is 0.14 from the ball's middle: just inside.
  EXPECT_EQ(statuses[1], SolveStatus::kLimited);
}

// A head on a spine's second joint: the arm's chain begins below it and turns it along.
TEST(ColliderCases, WhatTheChainItselfCarriesIsMetByTheBonesBeyond) {
  RigSpec spec = StraightChain(4, 0.5f, "auto");
  spec.joints.push_back({"head", 1, {0.3f, 0, 0}, {}, {}});
  spec.colliders = {Ball(5, {}, 0.25f)};
  Scene scene = OneFrame(spec, {0.7f, -0.4f, 0});
  scene.rotations[0] = std::sin(0.2f), scene.rotations[3] = std::cos(0.2f);
  const Solved solved = Solve(scene);
  const ModelPose pose = PoseOf(scene, solved.rotations, 0);
  const Vec3d head = pose.positions[5];
  for (size_t bone : {2u, 3u})
    EXPECT_GE(SegmentDistance(pose.positions[bone], pose.positions[bone + 1], head, head),
              0.25 - 1e-5);
  EXPECT_EQ(solved.depths[0], 0);
}

TEST(ColliderCases, ErrorsNameTheField) {
  const auto field = [](const Collider& collider) {
    RigSpec spec = BasedLeg();
    spec.colliders = {Ball(0, {}, 0.1f), collider};
    return FieldOf(Rig::Create(spec).status());
  };
  EXPECT_EQ(field(Ball(0, {}, 0.1f)), "");
  EXPECT_EQ(field(Ball(4, {}, 0.1f)), "colliders[1].joint");
  EXPECT_EQ(field(Ball(-1, {}, 0.1f)), "colliders[1].joint");
  EXPECT_EQ(field(Ball(0, {0, NAN, 0}, 0.1f)), "colliders[1].a");
  EXPECT_EQ(field({0, {}, Vec3f{INFINITY, 0, 0}, 0.1f, 0, {}}), "colliders[1].b");
  EXPECT_EQ(field(Ball(0, {}, -0.1f)), "colliders[1].radius");
  EXPECT_EQ(field(Ball(0, {}, NAN)), "colliders[1].radius");
  EXPECT_EQ(field(Ball(0, {0, 2e8f, 0}, 0.1f)), "colliders[1].a");
  EXPECT_EQ(field(Ball(0, {}, 2e8f)), "colliders[1].radius");
  EXPECT_EQ(field({0, {}, {}, 0.1f, -1, {}}), "colliders[1].skin");
  EXPECT_EQ(field({0, {}, {}, 0.1f, 0, {0, 1}}), "colliders[1].ignored_by[1]");
}

TEST(ColliderCases, AimingLooksAtItsTargetAndTellsHowDeepItIs) {
  RigSpec spec = BasedLeg();
  spec.chains[0].solver = "aim";
  spec.chains[0].end_joint = 2;
  spec.chains[0].aim_axis = Vec3f{0, -1, 0};
  spec.colliders = {Ball(0, {0, -0.25f, 0}, 0.1f)};
  const Scene scene = OneFrame(spec, {0.2f, -3, 0});
  const Solved solved = Solve(scene);
  EXPECT_EQ(solved.statuses[0], SolveStatus::kConverged);
  EXPECT_LE(solved.angles[0], 1e-3f);
  EXPECT_GT(solved.depths[0], 0.05f);
  EXPECT_NEAR(solved.depths[0], DepthOf(scene, solved.rotations, 0), 1e-6);
}

// A joint alone that looks at something has no bone that could be inside.
TEST(ColliderCases, AnEyeHasNoDepth) {
  RigSpec spec = BasedLeg();
  spec.chains[0].solver = "aim";
  spec.chains[0].root_joint = spec.chains[0].end_joint = 2;
  spec.colliders = {Ball(0, {0, -0.5f, 0}, 0.1f)};
  const Solved solved = Solve(OneFrame(spec, {0.2f, -3, 0}));
  EXPECT_EQ(solved.statuses[0], SolveStatus::kConverged);
  EXPECT_EQ(solved.depths[0], 0);
}

TEST(ColliderCases, AGroupMustIgnoreThem) {
  RigSpec spec = BasedLeg();
  spec.chains[0].solver = "body";
  spec.chains[0].group = "leg";
  spec.colliders = {Ball(0, {0.3f, 0, 0}, 0.1f)};
  EXPECT_EQ(FieldOf(Rig::Create(spec).status()), "chains[0].group");
  spec.colliders[0].ignored_by = {0};
  EXPECT_TRUE(Rig::Create(spec).ok());
}

// The nearest point of a bone is at its other end as soon as the lines lean by a little.
TEST(ColliderCases, DepthsBesideNearlyParallelCapsulesAreExact) {
  for (double lean = 1e-5; lean < 0.1; lean *= 2) {
    for (const double side : {-lean, lean}) {
      RigSpec spec = BasedLeg();
      const auto x = [&](double y) { return static_cast<float>(0.3 + side * y); };
      spec.colliders = {{0, {x(3), 3, 0}, Vec3f{x(-3), -3, 0}, 2, 0, {}}};
      Scene scene = OneFrame(spec, {0, -1, 0});
      scene.weights = {0};  // the leg stays straight
      const Solved solved = Solve(scene);
      EXPECT_NEAR(solved.depths[0], DepthOf(scene, solved.rotations, 0), 1e-5) << side;
    }
  }
}

}  // namespace
}  // namespace ikstream
