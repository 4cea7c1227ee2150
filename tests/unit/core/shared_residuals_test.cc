// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Residuals where chains share joints: that of the output, whoever moved it last; judged by
// forward kinematics in double precision.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "unit/core/body_scenes.h"

namespace ikstream {
namespace {

// A spine of three joints, and two arms of three and two bones that branch off its end.
RigSpec TwoArms() {
  RigSpec spec;
  const int parents[] = {-1, 0, 1, 2, 3, 4, 5, 3, 7, 8};
  for (int j = 0; j < 10; ++j)
    spec.joints.push_back({"", parents[j], {j == 4 || j == 7 ? 0.2f : 0.05f, 0.3f, 0}, {}, {}});
  spec.joints[0].offset = {};
  for (int end : {6, 9, 3}) {
    ChainSpec& chain = spec.chains.emplace_back();
    chain.end_joint = end;
    chain.max_iterations = 60;
  }
  return spec;
}

// Every chain turns joints that the next one turns again.
BodyScene Fighting(const RigSpec& spec, bool targets) {
  BodyScene scene = MakeBodyScene(spec);
  Random random(11);
  for (int f = 0; f < 40; ++f) {
    const Vec3f root = RandomUnit(random);
    scene.Add(RandomPose(random, *scene.rig, 0.5f), root);
    for (BodyScene::Tracks& track : scene.tracks) {
      const Vec3f at = root + RandomUnit(random) * 0.8f;
      if (targets) track.positions.insert(track.positions.end(), {at.x, at.y, at.z});
      track.weights.push_back(f % 4 == 0 ? 0.0f : f % 4 == 1 ? 0.6f : 1.0f);
    }
  }
  return scene;
}

TEST(SharedResiduals, AreThoseOfTheOutput) {
  for (const char* solver : {"auto", "ccd", "jacobian"})
    for (bool over_time : {false, true}) {
      RigSpec spec = TwoArms();
      spec.frames_per_second = 60;
      for (ChainSpec& chain : spec.chains) {
        chain.solver = solver;
        if (over_time) chain.temporal.target_half_life = 0.05;
        if (over_time) chain.solve_every = 3;
      }
      const BodyScene scene = Fighting(spec, true);
      const SolvedBody solved = SolveHumans(scene);
      double moved = 0;
      for (int f = 0; f < scene.frames(); ++f)
        for (int c = 0; c < 3; ++c) {
          const double miss = MissOf(scene, solved, c, f);
          EXPECT_NEAR(solved.chains[c].residuals[f], miss, 2e-6) << solver << c << " " << f;
          if (c < 2 && solved.chains[c].statuses[f] == SolveStatus::kConverged)
            moved = std::max(moved, miss);
        }
      EXPECT_GT(moved, 0.1) << "no chain undid what another had done";
    }
}

// Nothing was asked for but to stay: where the spine, solved last, takes the arms is told.
TEST(SharedResiduals, KnowWhatTheInputWas) {
  RigSpec spec = TwoArms();
  for (ChainSpec& chain : spec.chains) chain.keep_end_rotation = true;
  BodyScene scene = Fighting(spec, false);
  Random random(12);
  for (int f = 0; f < scene.frames(); ++f) {
    const Vec3f at = LoadVec3(&scene.roots[3 * f]) + RandomUnit(random) * 0.7f;
    auto& spine = scene.tracks[2].positions;
    spine.insert(spine.end(), {at.x, at.y, at.z});
  }
  const SolvedBody solved = SolveHumans(scene);
  double farthest = 0;
  for (int f = 0; f < scene.frames(); ++f) {
    const ModelPose in = PoseOf(scene, scene.roots, scene.rotations, f);
    const ModelPose out = PoseOf(scene, solved.roots, solved.rotations, f);
    for (int c : {0, 1}) {
      const int end = scene.rig->chains()[c].spec.end_joint;
      const double miss = Length(EndOf(scene, out, c) - EndOf(scene, in, c));
      EXPECT_NEAR(solved.chains[c].residuals[f], miss, 2e-6) << c << " " << f;
      EXPECT_NEAR(solved.chains[c].angles[f],
                  AngleBetween(out.rotations[end], in.rotations[end]), 1e-3);
      farthest = std::max(farthest, miss);
    }
  }
  EXPECT_GT(farthest, 0.3);
}

// A look-at of the first arm's hand, taken elsewhere by the spine that is solved after it.
TEST(SharedResiduals, OfARayToo) {
  RigSpec spec = TwoArms();
  spec.chains.erase(spec.chains.begin() + 1);
  ChainSpec& look = spec.chains[0];
  look.root_joint = 4;
  look.solver = "aim";
  look.aim_axis = Vec3f{0, 0, 1};
  const BodyScene scene = Fighting(spec, true);
  const SolvedBody solved = SolveHumans(scene);
  for (int f = 0; f < scene.frames(); ++f) {
    const ModelPose out = PoseOf(scene, solved.roots, solved.rotations, f);
    const Vec3d axis = Rotate(out.rotations[6], Vec3d{0, 0, 1});
    const Vec3d way =
        Cast<double>(LoadVec3(&scene.tracks[0].positions[3 * f])) - out.positions[6];
    EXPECT_NEAR(solved.chains[0].angles[f],
                std::atan2(Length(Cross(axis, way)), Dot(axis, way)), 1e-4)
        << f;
  }
}

// A ball in the way of the first arm moves with a joint that the second one turns afterwards.
TEST(SharedResiduals, DepthsAreThoseOfTheOutput) {
  RigSpec spec = TwoArms();
  spec.chains.pop_back();
  spec.chains[0].root_joint = 4;
  spec.chains[1].root_joint = 7;
  spec.colliders.push_back({8, {0, 0.3f, 0}, {}, 0.25f, 0, {1}});
  const BodyScene scene = Fighting(spec, true);
  std::vector<float> depths(40), out(scene.rotations.size());
  const std::vector<ChainTargets> targets = {
      {{scene.tracks[0].positions.data(), 3}, {}, {}, {}},
      {{scene.tracks[1].positions.data(), 3}, {}, {}, {}}};
  std::vector<ChainResults> results(2);
  results[0].collider_depths = depths.data();
  Solver(scene.rig).Solve({40, scene.roots.data(), scene.rotations.data(), nullptr}, targets,
                          out.data(), results);
  double deepest = 0;
  for (int f = 0; f < 40; ++f) {
    const ModelPose pose = PoseOf(scene, scene.roots, out, f);
    const Vec3d ball = pose.positions[8] + Rotate(pose.rotations[8], Vec3d{0, 0.3, 0});
    double nearest = 1e9;
    for (int j : {4, 5}) {
      const Vec3d from = pose.positions[j], bone = pose.positions[j + 1] - from;
      const double t = std::clamp(Dot(ball - from, bone) / Dot(bone, bone), 0.0, 1.0);
      nearest = std::min(nearest, Length(from + bone * t - ball));
    }
    EXPECT_NEAR(depths[f], std::max(0.0, 0.25 - nearest), 1e-5) << f;
    deepest = std::max<double>(deepest, depths[f]);
  }
  EXPECT_GT(deepest, 0.02);
}

// A group of lower number is moved by an arm after it, and moves an arm before it with its
// root.
TEST(SharedResiduals, OfGroupsAndWhatTheyMove) {
  for (int arm_priority : {-1, 1}) {
    RigSpec spec = Human();
    ChainSpec arm = spec.chains[1];
    arm.solver = "auto";
    arm.group.clear();
    arm.root_joint = arm_priority < 0 ? 15 : 14;
    arm.priority = arm_priority;
    arm.name = "again";
    if (arm_priority > 0) spec.chains[1].end_joint = 16;
    spec.chains.push_back(arm);
    BodyScene scene = MakeBodyScene(spec);
    const BodyScene humans = RandomHumans(60, 31, Human());
    scene.roots = humans.roots;
    scene.rotations = humans.rotations;
    for (int c = 0; c < 5; ++c) scene.tracks[c].positions = humans.tracks[c].positions;
    scene.tracks[5].positions = humans.tracks[1].positions;
    scene.tracks[3].weights.assign(60, 1);
    for (int f = 0; f < 60; f += 2) scene.tracks[3].weights[f] = 0.5f;
    const SolvedBody solved = SolveHumans(scene);
    for (int f = 0; f < 60; ++f)
      for (int c = 0; c < 6; ++c)
        EXPECT_NEAR(solved.chains[c].residuals[f], MissOf(scene, solved, c, f), 1e-5)
            << arm_priority << " " << c << " " << f;
  }
}

// Effectors without a target, or without weight in a frame, while others move them.
TEST(SharedResiduals, OfEffectorsThatAskForNothing) {
  BodyScene scene = RandomHumans(60, 32, Human());
  scene.tracks[1].positions.clear();
  for (int f = 0; f < 60; ++f) {
    scene.tracks[2].weights.push_back(f % 3 == 0 ? 0.0f : 1.0f);
    scene.tracks[4].weights.push_back(f % 2 == 0 ? 0.4f : 1.0f);
  }
  const SolvedBody solved = SolveHumans(scene);
  double stayed = 0;
  for (int f = 0; f < 60; ++f) {
    const ModelPose in = PoseOf(scene, scene.roots, scene.rotations, f);
    const ModelPose out = PoseOf(scene, solved.roots, solved.rotations, f);
    const double miss = Length(EndOf(scene, out, 1) - EndOf(scene, in, 1));
    EXPECT_NEAR(solved.chains[1].residuals[f], miss, 2e-5) << f;
    EXPECT_NEAR(solved.chains[2].residuals[f], MissOf(scene, solved, 2, f), 2e-5) << f;
    if (f % 3 == 0) stayed = std::max<double>(stayed, solved.chains[2].residuals[f]);
  }
  EXPECT_GT(stayed, 0.1);
}

}  // namespace
}  // namespace ikstream
