// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include <cmath>
#include <numbers>

#include "gtest/gtest.h"
#include "unit/core/reference.h"
#include "unit/core/scenes.h"

namespace ikstream {
namespace {

// One joint under a limit, asked to keep its place: what the start is clamped to, and then, if
// it is so far from there that more is gained by turning, turned to.
std::vector<Quatf> Clamped(const JointLimit& limit, Quatf rest,
                           const std::vector<Quatf>& starts, float tolerance = 1e-3f) {
  RigSpec spec = StraightChain(1, 1, "fabrik");
  spec.joints[0].rest = rest;
  spec.chains[0].tolerance = tolerance;
  spec.limits.resize(2);
  spec.limits[0] = limit;
  Scene scene = MakeScene(spec);
  for (const Quatf& q : starts) {
    scene.Add({q, {}});
    scene.AddTarget(Cast<float>(EndOf(scene, scene.rotations, scene.frames() - 1)));
  }
  const Solved solved = Solve(scene);
  std::vector<Quatf> out;
  for (int f = 0; f < scene.frames(); ++f) out.push_back(solved.At(scene, f, 0));
  return out;
}

void ExpectLegal(const JointLimit& limit, int seed) {
  Random random(seed);
  const Quatf rest = RandomTurn(random, 2);
  std::vector<Quatf> starts;
  for (int i = 0; i < 500; ++i) starts.push_back(RandomTurn(random, 3.1f));
  for (const Quatf& q : Clamped(limit, rest, starts))
    EXPECT_LE(Outside(limit, Cast<double>(rest), {0, -1, 0}, Cast<double>(q)), 1e-4);
}

TEST(LimitsTest, EveryKindClampsAnyStart) {
  ExpectLegal(HingeLimit{{1, 2, 3}, -0.5f, 1.2f}, 1);
  ExpectLegal(HingeLimit{{0, 0, 1}, 2, 4}, 2);
  ExpectLegal(HingeLimit{{1, 0, 0}, 0, 0}, 3);
  ExpectLegal(SwingTwistLimit{{}, {}, 0.7f, 0.7f, -0.4f, 0.2f}, 4);
  ExpectLegal(SwingTwistLimit{{}, {}, 0.2f, 1.4f, -3.1415927f, 3.1415927f}, 5);
  ExpectLegal(SwingTwistLimit{Vec3f{0, 0, 1}, Vec3f{1, 1, 0}, 1.2f, 0.0f, 0, 0}, 6);
  ExpectLegal(EulerLimit{{-1, -0.5f, -0.2f}, {1, 0.7f, 2}}, 7);
  ExpectLegal(EulerLimit{{0, 0, 0}, {0, 0, 0}}, 8);
}

// What a start is clamped to, by the reference's angles. Starts near which two answers are as
// good are passed over.
void ExpectNearest(const JointLimit& limit, int seed) {
  Random random(seed);
  const Quatf rest = RandomTurn(random, 2);
  std::vector<Quatf> starts;
  for (int i = 0; i < 300; ++i) starts.push_back(RandomTurn(random, 3));
  const std::vector<Quatf> got = Clamped(limit, rest, starts, 10);  // any place will do
  int judged = 0;
  for (size_t i = 0; i < starts.size(); ++i) {
    const auto want =
        NearestInside(limit, Cast<double>(rest), {0, -1, 0}, Cast<double>(starts[i]));
    if (!want) continue;
    ++judged;
    EXPECT_LE(AngleBetween(*want, Cast<double>(got[i])), 2e-3) << i;
  }
  EXPECT_GT(judged, 200);
}

TEST(LimitsTest, EveryKindClampsToTheNearestByItsOwnTerms) {
  ExpectNearest(HingeLimit{{1, 2, 3}, -0.5f, 1.2f}, 11);
  ExpectNearest(SwingTwistLimit{Vec3f{0, -1, 0}, {}, 0.7f, 0.7f, -0.4f, 0.2f}, 12);
  ExpectNearest(SwingTwistLimit{Vec3f{0, -1, 0}, Vec3f{1, 0, 1}, 0.4f, 1.3f, -1, 1}, 13);
  ExpectNearest(EulerLimit{{-1, -0.5f, -0.2f}, {1, 0.7f, 2}}, 14);
}

// Where no target is given the input's end is asked for, not that of the clamped start: the
// residual tells what the limit takes away, at every weight.
TEST(LimitsTest, NoTargetAsksForTheInputsEnd) {
  for (const char* solver : {"auto", "fabrik", "ccd", "jacobian"})
    for (float weight : {1.0f, 0.5f}) {
      RigSpec spec = StraightChain(1, 1, solver);
      spec.limits.resize(2);
      spec.limits[0] = HingeLimit{{1, 0, 0}, 0, 0.5f};
      Scene scene = MakeScene(spec);
      scene.Add({FromAxisAngle(Vec3f{1, 0, 0}, 1.5f), {}});
      scene.weights = {weight};
      const Solved solved = Solve(scene);
      const double error =
          Length(EndOf(scene, solved.rotations, 0) - EndOf(scene, scene.rotations, 0));
      EXPECT_NEAR(solved.residuals[0], error, 1e-6) << solver;
      EXPECT_NEAR(error, 2 * std::sin(0.5 * weight), 1e-5) << solver;
    }
}

// A hinge whose bone has no length, or whose target is where it stands, has nothing to turn
// towards: it stays where its limit lets it.
TEST(LimitsTest, AHingeWithoutBoneKeepsItsLimit) {
  for (const char* solver : {"auto", "fabrik", "ccd", "jacobian"}) {
    RigSpec spec = StraightChain(3, 1, solver);
    spec.joints[3].offset = {};
    spec.limits.resize(4);
    spec.limits[2] = HingeLimit{{1, 0, 0}, 0, 0.5f};
    Scene scene = MakeScene(spec);
    Random random(31);
    for (int f = 0; f < 20; ++f) {
      scene.Add({RandomTurn(random, 1), RandomTurn(random, 1), RandomTurn(random, 3), {}});
      scene.AddTarget(RandomUnit(random) * Uniform(random, 0, 2));
    }
    const Solved solved = Solve(scene);
    for (int f = 0; f < 20; ++f) {
      const Quatd q = Cast<double>(solved.At(scene, f, 2));
      EXPECT_LE(Outside(spec.limits[2], Quatd{}, Vec3d{}, q), 1e-4) << solver << " " << f;
      EXPECT_NEAR(solved.residuals[f], ErrorOf(scene, solved.rotations, f), 4e-5) << solver;
    }
  }
}

TEST(LimitsTest, WhatIsInsideKeepsItsBits) {
  Random random(9);
  std::vector<Quatf> inside;
  for (int i = 0; i < 200; ++i) inside.push_back(RandomTurn(random, 0.3f));
  const JointLimit limits[] = {SwingTwistLimit{{}, {}, 0.5f, 0.6f, -0.5f, 0.5f},
                               EulerLimit{{-1, -1, -1}, {1, 1, 1}}};
  for (const JointLimit& limit : limits) EXPECT_EQ(Clamped(limit, {}, inside), inside);
}

TEST(LimitsTest, HingeKeepsTheAngleInsideAndTakesTheNearerEnd) {
  const HingeLimit limit{{1, 0, 0}, -0.5f, 1};
  for (float angle = -3; angle <= 3; angle += 0.1f) {
    const Quatf q = Clamped(limit, {}, {FromAxisAngle(Vec3f{1, 0, 0}, angle)})[0];
    const float got = 2 * std::atan2(q.x, q.w);
    const float to_low = std::abs(std::remainder(angle + 0.5f, 6.2831853f));
    const float to_high = std::abs(std::remainder(angle - 1, 6.2831853f));
    const float want = angle >= -0.5f && angle <= 1 ? angle : to_low < to_high ? -0.5f : 1.0f;
    EXPECT_NEAR(std::remainder(got - want, 6.2831853f), 0, 1e-5) << angle;
  }
}

TEST(LimitsTest, SwingIsClampedToTheNearestPointOfTheEllipse) {
  // A swing about swing_axis alone keeps it up to swing_x, whatever swing_y.
  const SwingTwistLimit limit{Vec3f{0, 0, 1}, Vec3f{1, 0, 0}, 1, 0.1f, 0, 0};
  const Quatf q = Clamped(limit, {}, {FromAxisAngle(Vec3f{1, 0, 0}, 2.0f)})[0];
  EXPECT_NEAR(2 * std::atan2(q.x, q.w), 1, 1e-4);
  const Quatf inside = Clamped(limit, {}, {FromAxisAngle(Vec3f{1, 0, 0}, 0.9f)})[0];
  EXPECT_NEAR(2 * std::atan2(inside.x, inside.w), 0.9, 1e-6);
}

// Near gimbal lock x and z turn about nearly the same axis: one makes good what the other
// lacks, where its range has room.
TEST(LimitsTest, TheJudgeKnowsGimbalLock) {
  const double by = 2e-3;
  for (const double side : {-1.0, 1.0}) {
    const double y = side * (std::numbers::pi / 2 - 2e-4);
    const Quatd d = FromAxisAngle(Vec3d{0, 0, 1}, 0.5) * FromAxisAngle(Vec3d{0, 1, 0}, y) *
                    FromAxisAngle(Vec3d{1, 0, 0}, 1 + by);
    const EulerLimit room{{-1, -2, 0}, {1, 2, 1}}, none{{-1, -2, 0.5f}, {1, 2, 0.5f}};
    EXPECT_LE(Outside(room, Quatd{}, Vec3d{}, d), 1e-6);
    EXPECT_NEAR(Outside(none, Quatd{}, Vec3d{}, d), by, 1e-5);
  }
}

}  // namespace
}  // namespace ikstream
