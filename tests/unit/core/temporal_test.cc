// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Smoothing over time: half-lives, rates and the One Euro filter, judged by forward kinematics
// and by a textbook filter of one angle.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "unit/core/reference.h"
#include "unit/core/scenes.h"

namespace ikstream {
namespace {

constexpr double kPi = 3.14159265358979;
constexpr int kRate = 60, kHalfLife = 12;  // frames

RigSpec Arm(const Temporal& temporal, const std::string& solver = "fabrik") {
  RigSpec spec = StraightChain(4, 0.5f, solver);
  spec.frames_per_second = kRate;
  spec.chains[0].tolerance = 1e-5f;
  spec.chains[0].max_iterations = 200;
  spec.chains[0].temporal = temporal;
  return spec;
}

Temporal HalfLife() {
  Temporal temporal;
  temporal.target_half_life = static_cast<double>(kHalfLife) / kRate;
  return temporal;
}

// A bent arm, `frames` times.
void AddFrames(Scene& scene, int frames) {
  std::vector<Quatf> pose(scene.joints(), FromAxisAngle(Vec3f{0, 0, 1}, 0.3f));
  for (int f = 0; f < frames; ++f) scene.Add(pose);
}

TEST(TargetSmoothing, MakesHalfTheWayInAHalfLife) {
  Scene scene = MakeScene(Arm(HalfLife()));
  AddFrames(scene, 60);
  const Vec3f from{0.9f, -0.9f, 0}, to{0.2f, -1.2f, 0.6f};
  for (int f = 0; f < 60; ++f) scene.AddTarget(f < 10 ? from : to);
  const Solved solved = Solve(scene);
  EXPECT_LE(Length(EndOf(scene, solved.rotations, 0) - Cast<double>(from)), 1e-4);
  for (int half_lives : {1, 2, 3}) {
    const int f = 9 + half_lives * kHalfLife;
    const double left = Length(EndOf(scene, solved.rotations, f) - Cast<double>(to)) /
                        Length(Cast<double>(to - from));
    EXPECT_NEAR(left, std::pow(0.5, half_lives), 0.05 * std::pow(0.5, half_lives));
    // What is still missing is told against the asked target, while the eased one is met.
    EXPECT_NEAR(solved.residuals[f], left * Length(Cast<double>(to - from)), 1e-4);
    EXPECT_EQ(solved.statuses[f], SolveStatus::kConverged);
  }
}

TEST(TargetSmoothing, TurnsRotationTargetsAndPoles) {
  RigSpec spec = Arm(HalfLife());
  spec.chains[0].pole = {PoleKind::kDirection, {0, 0, 1}, 1};
  Scene scene = MakeScene(spec);
  AddFrames(scene, 40);
  for (int f = 0; f < 40; ++f) {
    scene.AddTarget({0, -1.2f, 0});
    const Quatf goal = FromAxisAngle(Vec3f{1, 0, 0}, f < 10 ? 0.0f : 1.2f);
    scene.goals.insert(scene.goals.end(), {goal.x, goal.y, goal.z, goal.w});
    const float pole = f < 10 ? 0.0f : 2.0f;
    scene.poles.insert(scene.poles.end(), {std::sin(pole), 0, std::cos(pole)});
  }
  const Solved solved = Solve(scene);
  const ModelPose pose = PoseOf(scene, solved.rotations, 9 + kHalfLife);
  EXPECT_NEAR(AngleBetween(pose.rotations[4], Quatd{}), 0.6, 0.03);
  EXPECT_NEAR(solved.angles[9 + kHalfLife], 0.6, 0.03);
  EXPECT_NEAR(std::atan2(pose.positions[2].x, pose.positions[2].z), 1, 0.05);
}

TEST(TargetSmoothing, StartsAtItsGoalWhereTheWeightComesBack) {
  Scene scene = MakeScene(Arm(HalfLife()));
  AddFrames(scene, 30);
  for (int f = 0; f < 30; ++f) {
    scene.AddTarget(f < 15 ? Vec3f{0.9f, -0.9f, 0} : Vec3f{0.2f, -1.2f, 0.6f});
    scene.weights.push_back(f == 14 ? 0.0f : 1.0f);
  }
  const Solved solved = Solve(scene);
  EXPECT_LE(solved.residuals[15], 1e-4);
}

TEST(WeightRates, RiseAndFallNoFasterThanTold) {
  Temporal temporal;
  temporal.weight_rise = 6;   // 0.1 a frame
  temporal.weight_fall = 12;  // 0.2 a frame
  RigSpec spec = StraightChain(1, 1, "ccd");
  spec.frames_per_second = kRate;
  spec.chains[0].temporal = temporal;
  Scene scene = MakeScene(spec);
  for (int f = 0; f < 40; ++f) {
    scene.Add(std::vector<Quatf>(2));
    scene.AddTarget({1, 0, 0});
    scene.weights.push_back(f >= 3 && f < 20 ? 1.0f : 0.0f);
  }
  const Solved solved = Solve(scene);
  for (int f = 0; f < 40; ++f) {
    const double rising = std::clamp((f - 2) * 0.1, 0.0, 1.0);
    const double want = f < 20 ? rising : std::max(0.0, 1 - (f - 19) * 0.2);
    EXPECT_NEAR(AngleBetween(solved.At(scene, f, 0), Quatf{}), want * kPi / 2, 1e-4) << f;
    EXPECT_EQ(solved.statuses[f] == SolveStatus::kSkipped, want < 1e-6) << f;
  }
}

// The filter of Casiez et al. on one angle.
std::vector<double> TextbookOneEuro(const std::vector<double>& in, double cutoff, double beta) {
  const auto alpha = [](double hz) {
    const double tau = 1 / (2 * kPi * hz);
    return 1 / (1 + tau * kRate);
  };
  std::vector<double> out = {in[0]};
  double speed = 0;
  for (size_t i = 1; i < in.size(); ++i) {
    speed = alpha(1) * ((in[i] - in[i - 1]) * kRate) + (1 - alpha(1)) * speed;
    const double a = alpha(cutoff + beta * std::abs(speed));
    out.push_back(a * in[i] + (1 - a) * out.back());
  }
  return out;
}

// One joint that turns about Z after a target with jitter.
Scene Pendulum(const Temporal& temporal, double low, double high) {
  RigSpec spec = StraightChain(1, 1, "ccd");
  spec.frames_per_second = kRate;
  spec.chains[0].tolerance = 1e-6f;
  spec.chains[0].temporal = temporal;
  spec.limits.resize(2);
  spec.limits[0] = HingeLimit{{0, 0, 1}, static_cast<float>(low), static_cast<float>(high)};
  Scene scene = MakeScene(spec);
  Random random(5);
  for (int f = 0; f < 200; ++f) {
    scene.Add(std::vector<Quatf>(2));
    const float a = std::sin(0.05f * static_cast<float>(f)) + Uniform(random, -0.05f, 0.05f);
    scene.AddTarget({std::sin(a), -std::cos(a), 0});
  }
  return scene;
}

std::vector<double> Angles(const Scene& scene, const Solved& solved) {
  std::vector<double> angles;
  for (int f = 0; f < scene.frames(); ++f) {
    const Quatf q = solved.At(scene, f, 0);
    angles.push_back(2 * std::atan2(static_cast<double>(q.z), static_cast<double>(q.w)));
  }
  return angles;
}

TEST(OneEuro, IsTheTextbooksFilterOnOneAngle) {
  Temporal temporal;
  temporal.one_euro_min_cutoff = 1.5;
  temporal.one_euro_beta = 0.8;
  const Scene raw = Pendulum({}, -2, 2), filtered = Pendulum(temporal, -2, 2);
  const std::vector<double> in = Angles(raw, Solve(raw));
  const Solved solved = Solve(filtered);
  const std::vector<double> out = Angles(filtered, solved);
  const std::vector<double> want = TextbookOneEuro(in, 1.5, 0.8);
  double rough_in = 0, rough_out = 0;
  for (size_t f = 0; f < in.size(); ++f) {
    EXPECT_NEAR(out[f], want[f], 1e-4) << f;
    EXPECT_NEAR(solved.residuals[f], ErrorOf(filtered, solved.rotations, static_cast<int>(f)),
                1e-5);
    if (f < 2) continue;
    rough_in += std::abs(in[f] - 2 * in[f - 1] + in[f - 2]);
    rough_out += std::abs(out[f] - 2 * out[f - 1] + out[f - 2]);
  }
  EXPECT_LT(rough_out, 0.4 * rough_in);
}

TEST(OneEuro, LimitsHoldAllTheSame) {
  Temporal temporal;
  temporal.one_euro_min_cutoff = 1;
  Random random(9);
  RigSpec spec = RandomChain(random, 5, "fabrik", true);
  spec.frames_per_second = kRate;
  spec.chains[0].temporal = temporal;
  Scene scene = MakeScene(spec);
  for (int f = 0; f < 200; ++f) {
    scene.Add(RandomPose(random, *scene.rig, 1));
    scene.AddTarget(RandomUnit(random) * 2.0f);
  }
  const Solved solved = Solve(scene);
  for (int f = 0; f < scene.frames(); ++f)
    for (int j = 0; j < 5; ++j)
      ASSERT_LE(Outside(scene.rig->limit(j), Cast<double>(scene.rig->skeleton().joint(j).rest),
                        Cast<double>(scene.rig->skeleton().joint(j + 1).offset),
                        Cast<double>(solved.At(scene, f, j))),
                1e-4)
          << f << " " << j;
}

TEST(Temporal, BatchesOfAnySizeGiveTheSameBits) {
  Temporal temporal = HalfLife();
  temporal.one_euro_min_cutoff = 2;
  temporal.one_euro_beta = 0.1;
  temporal.weight_rise = 3;
  temporal.weight_fall = 5;
  RigSpec spec = Arm(temporal, "auto");
  spec.chains[0].pole = {PoleKind::kPoint, {0, 1, 1}, 0.8f};
  Scene scene = MakeScene(spec);
  Random random(2);
  for (int f = 0; f < 150; ++f) {
    scene.Add(RandomPose(random, *scene.rig, 0.4f), RandomUnit(random));
    scene.AddTarget(RandomUnit(random) * 1.5f);
    scene.weights.push_back(f / 20 % 2 == 0 ? 1.0f : 0.0f);
  }
  const Solved whole = Solve(scene);
  for (int batch : {1, 3, 16, 149}) {
    const Solved parts = Solve(scene, batch);
    ASSERT_EQ(whole.rotations, parts.rotations) << batch;
    ASSERT_EQ(whole.statuses, parts.statuses);
    ASSERT_EQ(whole.residuals, parts.residuals);
  }
}

}  // namespace
}  // namespace ikstream
