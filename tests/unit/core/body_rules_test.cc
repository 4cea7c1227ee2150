// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Several effectors at once: priorities, weights of effectors, rotation targets, and errors.
#include <cmath>
#include <numbers>

#include "core/field_error.h"
#include "gtest/gtest.h"
#include "unit/core/body_scenes.h"

namespace ikstream {
namespace {

constexpr double kReached = 1e-3 * kHeight;

std::string FaultOf(const RigSpec& spec) { return FieldOf(Rig::Create(spec).status()); }

// Hands that pull apart by more than the arms are long, of other priorities than the rest.
TEST(BodyPriorityTest, LowerOnesDoNotWorsenHigherOnes) {
  RigSpec spec = Human();
  spec.chains[1].priority = 0;
  spec.chains[0].priority = spec.chains[2].priority = 2;
  spec.chains[3].priority = spec.chains[4].priority = 1;
  for (ChainSpec& chain : spec.chains) chain.max_iterations = 64;
  BodyScene scene = RandomHumans(100, 11, spec);
  for (size_t i = 0; i < scene.tracks[2].positions.size(); ++i)
    if (i % 3 == 0) scene.tracks[2].positions[i] -= 1.5f;  // the right hand, far away
  const SolvedBody all = SolveHumans(scene);
  BodyScene two = scene;
  two.tracks[0].weights = two.tracks[2].weights = {0};
  const SolvedBody upper = SolveHumans(two);
  two.tracks[3].weights = two.tracks[4].weights = {0};
  const SolvedBody first = SolveHumans(two);
  for (int f = 0; f < scene.frames(); ++f) {
    EXPECT_LE(MissOf(scene, all, 1, f), MissOf(scene, first, 1, f) + kReached) << f;
    for (int c : {1, 3, 4})
      EXPECT_LE(MissOf(scene, all, c, f), MissOf(scene, upper, c, f) + kReached) << f << c;
  }
}

TEST(BodyPriorityTest, TwoTargetsForOneHandGoToTheFirst) {
  RigSpec spec = Human();
  spec.chains.push_back(spec.chains[1]);
  spec.chains[5].priority = 1;
  for (ChainSpec& chain : spec.chains) chain.max_iterations = 32;
  BodyScene scene = RandomHumans(50, 12, spec);
  for (float& x : scene.tracks[5].positions) x += 0.1f;
  SolvedBody solved = SolveHumans(scene);
  for (int f = 0; f < scene.frames(); ++f) {
    EXPECT_LE(MissOf(scene, solved, 1, f), kReached) << f;
    EXPECT_EQ(solved.chains[5].statuses[f] == SolveStatus::kConverged, false) << f;
  }
}

TEST(BodyPriorityTest, WeightsShareOutWhatCannotBeMet) {
  RigSpec spec = Human(false);
  spec.chains.push_back(spec.chains[1]);
  spec.chains[5].effector_weight = 3;
  for (ChainSpec& chain : spec.chains) chain.max_iterations = 32;
  BodyScene scene = RandomHumans(50, 13, spec);
  for (float& x : scene.tracks[5].positions) x -= 0.1f;  // towards the body: in reach
  const SolvedBody solved = SolveHumans(scene);
  const double apart = std::sqrt(3.0) * 0.1;
  int shared = 0;
  for (int f = 0; f < scene.frames(); ++f)
    shared += std::abs(MissOf(scene, solved, 1, f) - 0.75 * apart) < 0.02 * apart &&
              std::abs(MissOf(scene, solved, 5, f) - 0.25 * apart) < 0.02 * apart;
  EXPECT_GE(shared, 45);  // few cannot reach the middle, or stop before it
}

TEST(BodyRotationTest, EndsMeetTheirRotationsWhilePositionsHold) {
  RigSpec spec = Human();
  for (ChainSpec& chain : spec.chains) chain.max_iterations = 40;
  spec.chains[1].tip_offset = Vec3f{0.08f, 0, 0};  // the wrist turns about its fingers' place
  BodyScene scene = RandomHumans(100, 14, spec);
  for (int c : {0, 1, 3}) scene.tracks[c].goals = scene.tracks[c].known;
  const SolvedBody solved = SolveHumans(scene);
  int met = 0;
  for (int f = 0; f < scene.frames(); ++f) {
    double worst = 0;
    const ModelPose pose = PoseOf(scene, solved.roots, solved.rotations, f);
    for (int c : {0, 1, 3}) {
      const auto goal = Cast<double>(LoadQuat(&scene.tracks[c].goals[4 * f]));
      const Quatd end = pose.rotations[scene.rig->chains()[c].spec.end_joint];
      ASSERT_NEAR(AngleBetween(goal, end), solved.chains[c].angles[f], 1e-5);
      worst = std::max(worst, AngleBetween(goal, end));
    }
    met += worst < 0.5 * std::numbers::pi / 180 && WorstMiss(scene, solved, f) <= kReached;
  }
  EXPECT_GE(met, 95);
}

TEST(BodyRotationTest, KeptRotationsStay) {
  RigSpec spec = Human();
  for (int c : {3, 4}) spec.chains[c].keep_end_rotation = true;
  BodyScene scene = RandomHumans(60, 16, spec, 0.4f);
  const SolvedBody solved = SolveHumans(scene);
  int met = 0;
  for (int f = 0; f < scene.frames(); ++f) {
    const ModelPose before = PoseOf(scene, scene.roots, scene.rotations, f);
    const ModelPose after = PoseOf(scene, solved.roots, solved.rotations, f);
    double worst = 0;
    for (int ankle : {3, 7})
      worst = std::max(worst, AngleBetween(before.rotations[ankle], after.rotations[ankle]));
    met += worst < 0.01;
  }
  EXPECT_GE(met, 57);
}

// From where the input turns the end (0) to the target (1), as chains alone do.
TEST(BodyRotationTest, WeightsTakeAShareOfTheTurn) {
  for (float weight : {0.0f, 0.25f, 1.0f}) {
    RigSpec spec = Human();
    spec.chains[3].rotation_weight = weight;
    spec.chains[3].max_iterations = 40;
    BodyScene scene = RandomHumans(40, 17, spec, 0.3f);
    scene.tracks[3].goals = scene.tracks[3].known;
    const SolvedBody solved = SolveHumans(scene);
    const int ankle = spec.chains[3].end_joint;
    int met = 0;
    for (int f = 0; f < scene.frames(); ++f) {
      const ModelPose before = PoseOf(scene, scene.roots, scene.rotations, f);
      const ModelPose after = PoseOf(scene, solved.roots, solved.rotations, f);
      const auto goal = Cast<double>(LoadQuat(&scene.tracks[3].goals[4 * f]));
      const double way = AngleBetween(before.rotations[ankle], goal);
      met += std::abs(AngleBetween(before.rotations[ankle], after.rotations[ankle]) -
                      weight * way) < 0.01 &&
             std::abs(AngleBetween(after.rotations[ankle], goal) - (1 - weight) * way) < 0.01;
    }
    EXPECT_GE(met, 38) << weight;
  }
}

TEST(BodyRulesTest, ErrorsNameTheField) {
  RigSpec spec = Human();
  spec.chains[2].group.clear();
  EXPECT_EQ(FaultOf(spec), "chains[2].group");
  spec = Human();
  spec.chains[3].solver = "fabrik";  // of a group with other solvers
  EXPECT_EQ(FaultOf(spec), "chains[3].group");
  spec = Human();
  spec.chains[4].effector_weight = 0;
  EXPECT_EQ(FaultOf(spec), "chains[4].effector_weight");
  spec.chains[4].effector_weight = NAN;
  EXPECT_EQ(FaultOf(spec), "chains[4].effector_weight");
  spec = Human();
  spec.chains[0].closeness = 1.5f;
  EXPECT_EQ(FaultOf(spec), "chains[0].closeness");
  spec = Human();
  spec.chains[1].soft_reach = SoftReach{};
  EXPECT_EQ(FaultOf(spec), "chains[1].soft_reach");
  spec = Human();
  while (spec.chains.size() < 17) spec.chains.push_back(spec.chains[1]);
  EXPECT_EQ(FaultOf(spec), "chains[16].group");
  spec.chains.pop_back();
  EXPECT_TRUE(Rig::Create(spec).ok());
}

TEST(BodyPoleTest, LimbsBendToTheirPoles) {
  RigSpec spec = Human(false);
  spec.chains[1].pole = {PoleKind::kPoint, {0, 0, 0}, 1};
  spec.chains[3].pole = {PoleKind::kDirection, {0.3f, 0, 1}, 1};
  spec.chains[3].keep_end_rotation = true;
  spec.chains[1].root_joint = 15;
  BodyScene scene = RandomHumans(80, 18, spec, 0.4f);
  const SolvedBody solved = SolveHumans(scene);
  for (int f = 0; f < scene.frames(); ++f) {
    const ModelPose pose = PoseOf(scene, solved.roots, solved.rotations, f);
    const int limbs[2][3] = {{15, 16, 17}, {1, 2, 3}};
    for (int i = 0; i < 2; ++i) {
      const Vec3d root = pose.positions[limbs[i][0]];
      const Vec3d line = NormalizedOr(pose.positions[limbs[i][2]] - root, Vec3d{});
      const Vec3d pole = i == 0 ? -root : Vec3d{0.3, 0, 1};
      const auto across = [&](Vec3d v) {
        return NormalizedOr(v - line * Dot(v, line), Vec3d{});
      };
      if (std::abs(Dot(NormalizedOr(pole, Vec3d{}), line)) > 0.99) continue;  // it fades
      if (Length(Cross(pose.positions[limbs[i][1]] - root, line)) < 1e-3) continue;
      EXPECT_GE(Dot(across(pole), across(pose.positions[limbs[i][1]] - root)), 1 - 1e-4)
          << f << " " << i;
    }
    EXPECT_LE(WorstMiss(scene, solved, f), kReached);
  }
  spec.chains[0].pole.kind = PoleKind::kPoint;  // the spine carries the arms
  EXPECT_EQ(FaultOf(spec), "chains[0].pole.kind");
}

TEST(BodyRulesTest, GroupsAreSolvedApart) {
  RigSpec spec = Human();
  spec.chains[0].root_joint = 9;
  spec.chains[3].group = spec.chains[4].group = "legs";
  const BodyScene scene = RandomHumans(40, 17, spec);
  EXPECT_EQ(scene.rig->groups().size(), 2u);
  RigSpec alone = spec;
  alone.chains.erase(alone.chains.begin(), alone.chains.begin() + 3);
  BodyScene legs = scene;
  legs.rig = MakeBodyScene(alone).rig;
  legs.tracks.erase(legs.tracks.begin(), legs.tracks.begin() + 3);
  const SolvedBody both = SolveHumans(scene), one = SolveHumans(legs);
  for (int f = 0; f < scene.frames(); ++f)
    for (int j : {1, 2, 3, 5, 6, 7})
      EXPECT_EQ(LoadQuat(&both.rotations[4 * (22 * f + j)]),
                LoadQuat(&one.rotations[4 * (22 * f + j)]));
}

}  // namespace
}  // namespace ikstream
