// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Several effectors at once over frames: weights, signs, batches.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "gtest/gtest.h"
#include "unit/core/body_scenes.h"

namespace ikstream {
namespace {

Quatf At(const BodyScene& scene, const std::vector<float>& rotations, int frame, int joint) {
  return LoadQuat(&rotations[4 * (scene.joints() * frame + joint)]);
}

TEST(BodyBlendTest, WeightZeroReturnsTheBits) {
  BodyScene scene = RandomHumans(40, 21, Human());
  for (auto& tracks : scene.tracks) tracks.weights = {0};
  const SolvedBody solved = SolveHumans(scene);
  EXPECT_EQ(std::memcmp(solved.rotations.data(), scene.rotations.data(),
                        scene.rotations.size() * sizeof(float)),
            0);
  EXPECT_EQ(solved.roots, scene.roots);
  for (int c = 0; c < scene.chains(); ++c)
    for (int f = 0; f < scene.frames(); ++f) {
      EXPECT_EQ(solved.chains[c].statuses[f], SolveStatus::kSkipped);
      EXPECT_NEAR(solved.chains[c].residuals[f], MissOf(scene, solved, c, f), 1e-5);
    }
}

TEST(BodyBlendTest, OneWeightForAllIsASlerp) {
  BodyScene scene = RandomHumans(1, 22, Human());
  const SolvedBody whole = SolveHumans(scene);
  for (float w : {0.25f, 0.5f, 0.9f}) {
    for (auto& tracks : scene.tracks) tracks.weights = {w};
    const SolvedBody part = SolveHumans(scene);
    for (int j : scene.rig->driven_joints()) {
      const auto in = Cast<double>(At(scene, scene.rotations, 0, j));
      const auto all = Cast<double>(At(scene, whole.rotations, 0, j));
      const auto some = Cast<double>(At(scene, part.rotations, 0, j));
      EXPECT_NEAR(AngleBetween(in, some), w * AngleBetween(in, all), 2e-5) << j;
    }
    for (int i = 0; i < 3; ++i)
      EXPECT_NEAR(part.roots[i], scene.roots[i] + w * (whole.roots[i] - scene.roots[i]), 1e-6);
    for (int c = 0; c < scene.chains(); ++c) {
      EXPECT_NEAR(part.chains[c].residuals[0], MissOf(scene, part, c, 0), 1e-5);
      EXPECT_EQ(part.chains[c].statuses[0], whole.chains[c].statuses[0]);
    }
  }
}

// A hand's weight runs from 0 to 1 while the others stay: no joint jumps, also at the ends.
TEST(BodyBlendTest, EveryWeightIsFollowedWithoutAJump) {
  const BodyScene one = RandomHumans(1, 23, Human());
  BodyScene scene = one;
  scene.roots.clear();
  scene.rotations.clear();
  constexpr int kSteps = 200;
  for (int f = 0; f <= kSteps; ++f) {
    scene.roots.insert(scene.roots.end(), one.roots.begin(), one.roots.end());
    scene.rotations.insert(scene.rotations.end(), one.rotations.begin(), one.rotations.end());
    scene.tracks[1].weights.push_back(static_cast<float>(f) / kSteps);
    scene.tracks[2].weights.push_back(0.7f);
  }
  const SolvedBody solved = SolveHumans(scene);
  for (int f = 1; f <= kSteps; ++f)
    for (int j : scene.rig->driven_joints())
      ASSERT_LE(AngleBetween(Cast<double>(At(scene, solved.rotations, f - 1, j)),
                             Cast<double>(At(scene, solved.rotations, f, j))),
                0.03)
          << f << " " << j;
  // At the ends it is the solve without that hand, and with it.
  BodyScene end = one;
  end.tracks[2].weights = {0.7f};
  for (float w : {0.0f, 1.0f}) {
    end.tracks[1].weights = {w};
    const SolvedBody there = SolveHumans(end);
    const int f = w == 0 ? 0 : kSteps;
    for (int j : scene.rig->driven_joints())
      EXPECT_LE(AngleBetween(Cast<double>(At(end, there.rotations, 0, j)),
                             Cast<double>(At(scene, solved.rotations, f, j))),
                1e-5);
  }
}

TEST(BodyBlendTest, SignsFollowWhereTheInputFlips) {
  BodyScene scene = MakeBodyScene(Human());
  Random random(24);
  std::vector<Quatf> pose = RandomPose(random, *scene.rig, 0.4f);
  for (int f = 0; f < 60; ++f) {
    for (Quatf& q : pose) q = -q;
    scene.Add(pose, {});
    const float a = static_cast<float>(f) * 0.05f;
    const Vec3f hand{0.4f + 0.2f * std::sin(a), 0.4f, 0.3f * std::cos(a)};
    scene.tracks[1].positions.insert(scene.tracks[1].positions.end(), {hand.x, hand.y, hand.z});
  }
  const SolvedBody solved = SolveHumans(scene);
  for (int f = 1; f < scene.frames(); ++f)
    for (int j : {14, 15, 16})
      ASSERT_GE(Dot(At(scene, solved.rotations, f - 1, j), At(scene, solved.rotations, f, j)),
                0)
          << f << " " << j;
}

TEST(BodyBlendTest, BatchesOfAnySizeGiveTheSameBits) {
  RigSpec spec = Human();
  spec.chains[1].priority = 1;
  BodyScene scene = RandomHumans(150, 25, spec);
  for (int f = 0; f < scene.frames(); ++f) {
    scene.tracks[1].weights.push_back(f % 5 == 0 ? 0.5f : f % 7 == 0 ? 0.0f : 1.0f);
    scene.tracks[3].weights.push_back(f % 3 == 0 ? 0.25f : 1.0f);
  }
  ExpectTheSameInBatches(scene, {1, 3, 16, 64, 149});
}

// Columns end at different iterations: what one is told does not depend on those beside it.
TEST(BodyBlendTest, StatusesAreTheFramesOwn) {
  BodyScene scene = RandomHumans(400, 26, Human(), 1.2f);
  for (BodyScene::Tracks& track : scene.tracks) {  // rotations of other poses: few can be met
    track.goals = track.known;
    std::rotate(track.goals.begin(), track.goals.begin() + 4, track.goals.end());
  }
  const SolvedBody whole = SolveHumans(scene);
  int seen[8] = {};
  for (int batch : {1, 5}) {
    const SolvedBody parts = SolveHumans(scene, batch);
    for (int c = 0; c < scene.chains(); ++c)
      for (int f = 0; f < scene.frames(); ++f) {
        EXPECT_EQ(parts.chains[c].statuses[f], whole.chains[c].statuses[f]) << c << " " << f;
        EXPECT_EQ(parts.chains[c].iterations[f], whole.chains[c].iterations[f]);
        ++seen[static_cast<int>(parts.chains[c].statuses[f])];
      }
  }
  EXPECT_GT(seen[static_cast<int>(SolveStatus::kLimited)], 100);
  EXPECT_GT(seen[static_cast<int>(SolveStatus::kConverged)], 100);
}

}  // namespace
}  // namespace ikstream
