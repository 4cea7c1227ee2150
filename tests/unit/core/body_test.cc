// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Several effectors at once: what is reached, and what is left alone.
#include <cmath>
#include <cstring>

#include "gtest/gtest.h"
#include "unit/core/body_scenes.h"

namespace ikstream {
namespace {

constexpr double kReached = 1e-3 * kHeight;

void ExpectSameBits(const std::vector<float>& a, const std::vector<float>& b) {
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(float)), 0);
}

class BodyTest : public testing::TestWithParam<bool> {};

TEST_P(BodyTest, ReachesFiveTargetsOfLegalPoses) {
  RigSpec spec = Human(GetParam());
  for (ChainSpec& chain : spec.chains) chain.max_iterations = 32;
  const BodyScene scene = RandomHumans(1000, 1, spec);
  const SolvedBody solved = SolveHumans(scene);
  int met = 0;
  for (int f = 0; f < scene.frames(); ++f) {
    met += WorstMiss(scene, solved, f) <= kReached;
    ASSERT_LE(WorstOutside(scene, solved, f), 1e-4) << f;
  }
  EXPECT_GE(met, 990);
}

TEST_P(BodyTest, ResidualsAndStatusesAreTrue) {
  BodyScene scene = RandomHumans(200, 2, Human(GetParam()), 0.9f);
  for (float& x : scene.tracks[1].positions) x *= 1.2f;  // hands beyond reach, now and then
  const SolvedBody solved = SolveHumans(scene);
  for (int c = 0; c < scene.chains(); ++c)
    for (int f = 0; f < scene.frames(); ++f) {
      const double miss = MissOf(scene, solved, c, f);
      ASSERT_NEAR(solved.chains[c].residuals[f], miss, 1e-5) << c << " " << f;
      const float tolerance = scene.rig->chains()[c].tolerance;
      ASSERT_EQ(solved.chains[c].statuses[f] == SolveStatus::kConverged,
                solved.chains[c].residuals[f] <= tolerance);
      ASSERT_LE(solved.chains[c].iterations[f], 16);
    }
}

TEST_P(BodyTest, TargetsAtTheEndsReturnTheBits) {
  BodyScene scene = RandomHumans(60, 3, Human(GetParam()));
  for (auto& tracks : scene.tracks) tracks.positions.clear();
  for (int f = 0; f < scene.frames(); ++f) {
    const ModelPose pose = PoseOf(scene, scene.roots, scene.rotations, f);
    for (int c = 0; c < scene.chains(); ++c) {
      const auto at = Cast<float>(EndOf(scene, pose, c));
      auto& to = scene.tracks[c].positions;
      to.insert(to.end(), {at.x, at.y, at.z});
    }
  }
  SolvedBody solved = SolveHumans(scene);
  ExpectSameBits(solved.rotations, scene.rotations);
  ExpectSameBits(solved.roots, scene.roots);
  for (const SolvedBody::Chain& chain : solved.chains)
    for (int f = 0; f < scene.frames(); ++f) {
      EXPECT_EQ(chain.statuses[f], SolveStatus::kConverged);
      EXPECT_EQ(chain.iterations[f], 0);
    }
  for (auto& tracks : scene.tracks) tracks.positions.clear();
  solved = SolveHumans(scene);
  ExpectSameBits(solved.rotations, scene.rotations);
  ExpectSameBits(solved.roots, scene.roots);
}

INSTANTIATE_TEST_SUITE_P(Limits, BodyTest, testing::Bool(),
                         [](const auto& param) { return param.param ? "Held" : "Free"; });

// Feet planted, the head pulled down: the pelvis follows and the knees bend.
TEST(BodyRootTest, MovesWhereAChainStartsAtIt) {
  BodyScene scene = MakeBodyScene(Human());
  scene.Add(std::vector<Quatf>(22), {0, 0.89f, 0});
  const ModelPose rest = PoseOf(scene, scene.roots, scene.rotations, 0);
  for (int c = 0; c < scene.chains(); ++c) {
    Vec3f at = Cast<float>(EndOf(scene, rest, c));
    if (c < 3) at.y -= 0.25f;
    scene.tracks[c].positions = {at.x, at.y, at.z};
  }
  EXPECT_TRUE(scene.rig->moves_root());
  const SolvedBody solved = SolveHumans(scene);
  EXPECT_LE(WorstMiss(scene, solved, 0), kReached);
  EXPECT_LT(solved.roots[1], 0.89f - 0.05f);
}

TEST(BodyRootTest, StaysWhereNoChainStartsAtIt) {
  RigSpec spec = Human();
  spec.chains[0].root_joint = 9;  // from the spine
  const BodyScene scene = RandomHumans(50, 4, spec);
  EXPECT_FALSE(scene.rig->moves_root());
  const SolvedBody solved = SolveHumans(scene);
  ExpectSameBits(solved.roots, scene.roots);
  for (int f = 0; f < scene.frames(); ++f)
    EXPECT_EQ(
        std::memcmp(&solved.rotations[88 * f], &scene.rotations[88 * f], 4 * sizeof(float)), 0);
}

TEST(BodyRootTest, LaterChainsSeeTheMovedRoot) {
  RigSpec spec = Human();
  ChainSpec wrist = spec.chains[1];
  wrist.root_joint = 15;
  wrist.solver = "two_bone";
  wrist.group.clear();
  wrist.priority = 1;
  spec.chains[1] = wrist;
  const BodyScene scene = RandomHumans(50, 5, spec, 0.3f);
  const SolvedBody solved = SolveHumans(scene);
  for (int f = 0; f < scene.frames(); ++f)
    EXPECT_NEAR(MissOf(scene, solved, 1, f), solved.chains[1].residuals[f], 1e-5) << f;
}

TEST(BodyStabilityTest, TargetsOutOfReachAreFiniteAndSteady) {
  BodyScene scene = MakeBodyScene(Human());
  Random random(6);
  const ModelPose rest = [&] {
    BodyScene one = scene;
    one.Add(std::vector<Quatf>(22), {});
    return PoseOf(one, one.roots, one.rotations, 0);
  }();
  const Vec3f pulls[] = {{0, 3, 0}, {3, 1, 0}, {-3, 1, 1}, {0.5f, -2, 0}, {0, -2, 0.5f}};
  for (int f = 0; f < 60; ++f) {
    scene.Add(std::vector<Quatf>(22), {});
    for (int c = 0; c < scene.chains(); ++c) {
      const Vec3f at =
          Cast<float>(EndOf(scene, rest, c)) + pulls[c] + RandomUnit(random) * 1e-4f;
      auto& to = scene.tracks[c].positions;
      to.insert(to.end(), {at.x, at.y, at.z});
    }
  }
  const SolvedBody solved = SolveHumans(scene);
  const ModelPose first = PoseOf(scene, solved.roots, solved.rotations, 0);
  for (int f = 0; f < scene.frames(); ++f) {
    const ModelPose pose = PoseOf(scene, solved.roots, solved.rotations, f);
    for (int j = 0; j < scene.joints(); ++j) {
      ASSERT_TRUE(std::isfinite(Length(pose.positions[j])));
      ASSERT_LE(Length(pose.positions[j] - first.positions[j]), 0.02) << f << " " << j;
    }
    ASSERT_LE(WorstOutside(scene, solved, f), 1e-4);
    ASSERT_NE(solved.chains[1].statuses[f], SolveStatus::kConverged);
  }
}

// The textbook's loop forgets the input; here joints that no target asks for stay near it.
TEST(BodyStabilityTest, ASmallMoveOfTheTargetsMovesNoJointFar) {
  BodyScene scene = RandomHumans(100, 7, Human(false), 0.5f);
  const SolvedBody before = SolveHumans(scene);
  Random random(8);
  for (auto& tracks : scene.tracks)
    for (size_t i = 0; i < tracks.positions.size(); i += 3) {
      const Vec3f at = LoadVec3(&tracks.positions[i]) + RandomUnit(random) * 1e-4f;
      Store(at, &tracks.positions[i]);
    }
  const SolvedBody after = SolveHumans(scene);
  for (int f = 0; f < scene.frames(); ++f) {
    const ModelPose a = PoseOf(scene, before.roots, before.rotations, f);
    const ModelPose b = PoseOf(scene, after.roots, after.rotations, f);
    for (int j = 0; j < scene.joints(); ++j)
      EXPECT_LE(Length(a.positions[j] - b.positions[j]), 1e-2 * kHeight) << f << " " << j;
  }
}

}  // namespace
}  // namespace ikstream
