// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Arms of a body that lengthen, judged by forward kinematics of answered rotations and
// translations, and by how near the same body comes while its other ends are met.
#include <algorithm>
#include <cmath>

#include "gtest/gtest.h"
#include "unit/core/body_scenes.h"

namespace ikstream {
namespace {

constexpr int kLeft = 1, kCollar = 14, kArm = 3;  // the chain, its root, its bones

// Its left arm (a collar, an upper and a lower arm) may lengthen by `most`.
RigSpec Rubber(float most) {
  RigSpec spec = Human(false);
  spec.translated_joints = {15, 16, 17};
  for (ChainSpec& chain : spec.chains) chain.max_iterations = 64;
  spec.chains[kLeft].max_stretch = most;
  return spec;
}

// A human with bent limbs, whose feet, head and right hand are to stay, and whose left hand is
// to go by `ways`, a frame each.
BodyScene Reaching(const RigSpec& spec, const std::vector<Vec3d>& ways) {
  BodyScene scene = MakeBodyScene(spec);
  Random random(41);
  const std::vector<Quatf> pose = RandomPose(random, *scene.rig, 0.4f);
  for (size_t f = 0; f < ways.size(); ++f) {
    scene.Add(pose, {1, 1, 0});
    for (int joint : spec.translated_joints) {
      const Vec3f offset = spec.joints[joint].offset;
      scene.translations.insert(scene.translations.end(), {offset.x, offset.y, offset.z});
    }
  }
  const ModelPose start = PoseOf(scene, scene.roots, scene.rotations, 0);
  for (const Vec3d& way : ways)
    for (int c = 0; c < scene.chains(); ++c) {
      const auto at = Cast<float>(EndOf(scene, start, c) + way * (c == kLeft ? 1.0 : 0.0));
      auto& to = scene.tracks[c].positions;
      to.insert(to.end(), {at.x, at.y, at.z});
    }
  return scene;
}

double Longer(const BodyScene& scene, const SolvedBody& solved, int frame, int bone) {
  const int at = 3 * (kArm * frame + bone);
  return Length(LoadVec3(&solved.translations[at])) / Length(LoadVec3(&scene.translations[at]));
}

double ReachOf(const BodyScene& scene) { return scene.rig->chains()[kLeft].length; }

// How far the target is from where the collar is.
double DistanceOf(const BodyScene& scene, const SolvedBody& solved, int frame) {
  const auto target = Cast<double>(LoadVec3(&scene.tracks[kLeft].positions[3 * frame]));
  return Length(target - PoseOf(scene, solved, frame).positions[kCollar]);
}

TEST(BodyStretch, AnArmLengthensByWhatTheBodyCannotReach) {
  const std::vector<Vec3d> ways = {
      {-0.1, 0, 0}, {0.1, 0.1, 0.1}, {0.5, 0, 0.3}, {0.2, 0.6, 0}, {2, 0, 0}};
  const BodyScene scene = Reaching(Rubber(0.5f), ways), same = Reaching(Rubber(0), ways);
  RigSpec others_first = Rubber(0);
  others_first.chains[kLeft].priority = 1;
  const SolvedBody solved = SolveHumans(scene), stiff = SolveHumans(same),
                   rest = SolveHumans(Reaching(others_first, ways));
  int longer = 0;
  for (int f = 0; f < scene.frames(); ++f) {
    SCOPED_TRACE(f);
    const bool met = stiff.chains[kLeft].statuses[f] == SolveStatus::kConverged;
    const double needed = DistanceOf(same, rest, f) / ReachOf(scene);
    const double want = met ? 1 : std::clamp(needed, 1.0, 1.5);
    for (int bone = 0; bone < kArm; ++bone)
      EXPECT_NEAR(Longer(scene, solved, f, bone), want, 1e-5);
    for (int c = 0; c < scene.chains(); ++c)
      EXPECT_NEAR(solved.chains[c].residuals[f], MissOf(scene, solved, c, f), 1e-5);
    const bool reached = needed < 1.5;
    EXPECT_EQ(solved.chains[kLeft].statuses[f],
              reached ? SolveStatus::kConverged : SolveStatus::kUnreachable);
    EXPECT_LE(solved.chains[kLeft].iterations[f], 64);
    if (reached) {
      EXPECT_LE(WorstMiss(scene, solved, f), 1e-3 * kHeight);
    }
    longer += want > 1.01;
  }
  EXPECT_GE(longer, 3);
  EXPECT_TRUE(std::equal(solved.translations.begin(), solved.translations.begin() + 3 * kArm,
                         scene.translations.begin()));  // within reach: no bit changes
}

// Arms whose limits hold them out to the sides, and targets behind the other shoulder.
TEST(BodyStretch, LimitsThatTurnAwayKeepTheLengths) {
  const auto held = [](float most) {
    RigSpec spec = Rubber(most);
    spec.chains = {spec.chains[kLeft]};
    spec.limits.resize(spec.joints.size());
    for (int joint = kCollar; joint < kCollar + kArm; ++joint)
      spec.limits[joint] = SwingTwistLimit{{}, {}, 0.3f, 0.3f, -0.3f, 0.3f};
    return spec;
  };
  const auto reaching = [&](float most) {
    BodyScene scene = Reaching(Rubber(most), {{-2, 0, 0}, {-1.2, 0.2, 0.5}, {1, 0, 0}});
    scene.rig = MakeBodyScene(held(most)).rig;
    scene.tracks = {scene.tracks[kLeft]};
    return scene;
  };
  const BodyScene scene = reaching(0.5f);
  const SolvedBody solved = SolveHumans(scene), stiff = SolveHumans(reaching(0));
  const auto miss = [](const SolvedBody& of, int f) { return of.chains[0].residuals[f]; };
  for (int f = 0; f < 3; ++f) {
    SCOPED_TRACE(f);
    EXPECT_LE(miss(solved, f), miss(stiff, f) + 1e-3 * kHeight);
    EXPECT_NEAR(miss(solved, f), MissOf(scene, solved, 0, f), 1e-5);
    for (int bone = 0; bone < kArm; ++bone)
      EXPECT_NEAR(Longer(scene, solved, f, bone), f < 2 ? 1 : 1.5, 1e-5);
  }
  ExpectTheSameInBatches(scene, {1, 2});
}

TEST(BodyStretch, LengthsFollowTheMembersWeightOnALine) {
  const std::vector<Vec3d> ways(4, Vec3d{0.5, 0, 0.3});
  BodyScene scene = Reaching(Rubber(1), ways);
  scene.tracks[kLeft].weights = {0, 0.25f, 0.5f, 1};
  const SolvedBody solved = SolveHumans(scene);
  const double all = Longer(scene, solved, 3, 0);
  EXPECT_GT(all, 1.1);
  for (int f = 0; f < 4; ++f) {
    const double want = 1 + scene.tracks[kLeft].weights[f] * (all - 1);
    for (int bone = 0; bone < kArm; ++bone)
      EXPECT_NEAR(Longer(scene, solved, f, bone), want, 1e-5) << f;
    EXPECT_NEAR(solved.chains[kLeft].residuals[f], MissOf(scene, solved, kLeft, f), 1e-5);
  }
}

std::vector<Vec3d> Away(int frames) {
  std::vector<Vec3d> ways;
  for (int f = 0; f < frames; ++f) ways.push_back({0.01 * f, 0, 0.003 * f});
  return ways;
}

TEST(BodyStretch, GrowsWithoutAJumpAndWithoutState) {
  const BodyScene scene = Reaching(Rubber(1), Away(120));
  const SolvedBody whole = SolveHumans(scene);
  // Half a tolerance of what the body may miss by, and what the target goes.
  const double most = (1e-3 * kHeight + 0.0105) / ReachOf(scene);
  for (int f = 1; f < scene.frames(); ++f)
    EXPECT_LE(std::abs(Longer(scene, whole, f, 1) - Longer(scene, whole, f - 1, 1)), most) << f;
  EXPECT_GT(Longer(scene, whole, 119, 1), 1.3);
  for (int batch : {1, 7, 64}) {
    const SolvedBody parts = SolveHumans(scene, batch);
    EXPECT_EQ(parts.rotations, whole.rotations) << batch;
    EXPECT_EQ(parts.roots, whole.roots);
    EXPECT_EQ(parts.translations, whole.translations);
  }
}

TEST(BodyStretch, FramesBetweenLengthenOnALine) {
  RigSpec spec = Rubber(1);
  const SolvedBody every = SolveHumans(Reaching(spec, Away(101)));
  spec.chains[0].solve_every = 5;
  const BodyScene scene = Reaching(spec, Away(101));
  const SolvedBody some = SolveHumans(scene);
  for (int f = 0; f < scene.frames(); ++f) {
    const int a = f / 5 * 5, b = std::min(a + 5, 100);
    const double from = Longer(scene, every, a, 0), to = Longer(scene, every, b, 0);
    EXPECT_NEAR(Longer(scene, some, f, 0), from + (to - from) * (f - a) / 5, 1e-5) << f;
    EXPECT_NEAR(some.chains[kLeft].residuals[f], MissOf(scene, some, kLeft, f), 1e-5);
  }
}

}  // namespace
}  // namespace ikstream
