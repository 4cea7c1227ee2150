// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// What a plan and its settings can ask of a clean-up beyond the usual.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/field_error.h"
#include "unit/motion/body.h"

namespace ikstream {
namespace {

using test::BodyPose;

constexpr double kPi = std::numbers::pi;

// Stands for 4 s; the feet creep and the legs are as long as they get.
BodyPose Creeping(int i) {
  BodyPose pose;
  pose.pelvis = {0, 1.055, 0.01 * std::sin(2 * kPi * i / 240.0)};
  for (int side = 0; side < 2; ++side)
    pose.ankle[side] = {side == 0 ? 0.1 : -0.1, 0.08, 0.0002 * i};
  return pose;
}

test::Motion CreepingClip() { return test::MakeBody(240, 60, 1, Creeping); }

// No stage may run past its window when the stream ends: the pelvis would jump there.
TEST(CleanerFeatures, ThePelvisIsSmoothUpToTheLastFrame) {
  const test::Motion motion = CreepingClip();
  Plan plan = test::MakePlan(motion);
  plan.feet[0].intervals[0].anchors[0].position->z += 0.12f;
  const test::Cleaned cleaned = test::Clean(motion, plan);
  const auto& offsets = cleaned.batch.pelvis_offsets;
  EXPECT_LT(*std::min_element(offsets.begin(), offsets.end()), -0.005f);
  for (size_t i = 1; i < offsets.size(); ++i)
    EXPECT_NEAR(offsets[i], offsets[i - 1], 2e-3) << i;
}

TEST(CleanerFeatures, AnOpenAnchorIsTheMedianOfWhatFollows) {
  const test::Motion motion = CreepingClip();
  Plan plan = test::MakePlan(motion);
  plan.feet[0].intervals[0].anchors[0].position.reset();
  plan.feet[1].intervals[0].anchors.clear();
  const test::Cleaned cleaned = test::Clean(motion, plan);
  ASSERT_EQ(cleaned.batch.frames, 240);
  for (int joint : {test::kLeftToe, test::kRightToe}) {
    const double z = cleaned.motion.Position(0, joint).z;
    EXPECT_NEAR(z, 0.15 + 0.0002 * 30, 1e-3) << "the middle of the first second";
    for (std::int64_t i = 1; i < 240; i += 13)
      EXPECT_NEAR(cleaned.motion.Position(i, joint).z, z, 1e-4) << i;
  }
}

TEST(CleanerFeatures, AFootPivotsFromAnchorToAnchor) {
  const test::Motion motion = CreepingClip();
  Plan plan = test::MakePlan(motion);
  auto& anchors = plan.feet[0].intervals[0].anchors;
  anchors[0].point = Anchor::Point::kHeel;
  anchors[0].position = Vec3f{0.1f, 0.08f, 0.0f};
  anchors.push_back({120, Anchor::Point::kToe, Vec3f{0.1f, 0.02f, 0.17f}});
  const test::Cleaned cleaned = test::Clean(motion, plan);
  EXPECT_NEAR(cleaned.motion.Position(60, test::kLeftAnkle).z, 0, 1e-3);
  EXPECT_NEAR(cleaned.motion.Position(180, test::kLeftToe).z, 0.17, 1e-3);
  for (std::int64_t i = 1; i < 240; ++i)
    EXPECT_LT(Length(cleaned.motion.Position(i, test::kLeftAnkle) -
                     cleaned.motion.Position(i - 1, test::kLeftAnkle)),
              0.015)
        << i;
}

// A tremor of 15 Hz on a foot in the air.
test::Motion Trembling() {
  return test::MakeBody(240, 120, 1, [](int i) {
    BodyPose pose;
    pose.pelvis.y = 1.0;
    const double shake = 0.003 * std::sin(2 * kPi * 15 * i / 120.0);
    pose.ankle[0] = {0.1, 0.30 + shake, 0.1 * std::sin(2 * kPi * i / 120.0)};
    pose.ankle[1] = {-0.1, 0.08, 0};
    return pose;
  });
}

double Roughness(const test::Motion& motion, std::int64_t begin, std::int64_t end) {
  double sum = 0;
  for (std::int64_t i = begin + 1; i + 1 < end; ++i)
    sum += Length(motion.Position(i + 1, test::kLeftAnkle) -
                  motion.Position(i, test::kLeftAnkle) * 2.0 +
                  motion.Position(i - 1, test::kLeftAnkle));
  return sum;
}

TEST(CleanerFeatures, TheLowPassTakesTheTremorOut) {
  const test::Motion motion = Trembling();
  Plan plan = test::MakePlan(motion);
  plan.feet[0].intervals.clear();
  plan.feet[0].heel_offset = 0.08f;  // it never stands: a sole like the other's
  plan.feet[0].toe_offset = plan.feet[0].tip_offset = 0.02f;
  CleanupSettings settings;
  const test::Cleaned off = test::Clean(motion, plan, settings);
  EXPECT_EQ(off.motion.rotations, motion.rotations);
  settings.jitter.mode = JitterSettings::Mode::kLowPass;
  settings.jitter.cutoff_hz = 8;
  const test::Cleaned low_pass = test::Clean(motion, plan, settings);
  EXPECT_LT(Roughness(low_pass.motion, 20, 220), 0.5 * Roughness(motion, 20, 220));
  EXPECT_LT(low_pass.report.change_mean_mm, 2);
  settings.jitter.mode = JitterSettings::Mode::kOneEuro;
  settings.jitter.cutoff_hz = 4;
  const test::Cleaned one_euro = test::Clean(motion, plan, settings);
  EXPECT_LT(Roughness(one_euro.motion, 20, 220), 0.8 * Roughness(motion, 20, 220));
}

TEST(CleanerFeatures, BonesStretchOnlyWhereTheMotionTranslatesThem) {
  const test::Motion rigid = CreepingClip();
  const Plan plan = test::MakePlan(rigid);
  CleanupSettings settings;
  settings.leg.max_stretch = 0.1f;
  EXPECT_EQ(FieldOf(Cleaner::Create(rigid.clip, plan, settings, nullptr).status()),
            "cleanup.leg.max_stretch");
  test::Motion motion = rigid;
  motion.clip.translated_joints = {2, 3, 6, 7};
  for (int i = 0; i < 240; ++i)
    for (int bone = 0; bone < 4; ++bone)
      motion.translations.insert(motion.translations.end(), {0, -0.5f, 0});
  Plan far = test::MakePlan(motion);
  far.feet[0].intervals[0].anchors[0].position->z += 0.25f;
  settings.pelvis.max_down_m = settings.pelvis.max_horizontal_m = 0;
  const test::Cleaned cleaned = test::Clean(motion, far, settings);
  const double thigh =
      Length(cleaned.motion.Position(120, 2) - cleaned.motion.Position(120, 1));
  EXPECT_GT(thigh, 0.5 + 1e-3);
  EXPECT_LE(thigh, 0.55 + 1e-5);
  EXPECT_NEAR(cleaned.motion.Position(120, test::kLeftToe).z,
              far.feet[0].intervals[0].anchors[0].position->z, 1e-3);
  EXPECT_GT(cleaned.report.bone_length_error, 1e-3f);
}

// A hand has no ground: the wrist is pinned in all three directions.
TEST(CleanerFeatures, ALimbWithoutGroundIsPinnedAtItsJoint) {
  test::Motion motion = test::MakeBody(120, 60, 1, [](int i) {
    BodyPose pose;
    pose.pelvis.y = 2.0;
    const double drift = 0.0003 * i;
    pose.ankle[0] = {0.1 + drift, 1.1 + drift, 0.1};
    pose.ankle[1] = {-0.1, 1.1, 0};
    return pose;
  });
  CleanupSettings settings;
  settings.floor.mode = FloorSettings::Mode::kFlat;
  settings.floor.height = 0;
  settings.contact.mode = ContactSettings::Mode::kGiven;
  PlannerInputs inputs;
  ContactInterval interval;
  interval.begin = 20;
  interval.end = 100;
  inputs.contacts = {{0, {interval}}};
  const Plan plan = test::MakePlan(motion, settings, inputs);
  ASSERT_EQ(plan.feet[0].intervals.size(), 1u);
  EXPECT_EQ(plan.feet[0].intervals[0].anchors[0].point, Anchor::Point::kHeel);
  const test::Cleaned cleaned = test::Clean(motion, plan);
  const Vec3d first = cleaned.motion.Position(20, test::kLeftAnkle);
  for (std::int64_t i = 20; i < 100; ++i)
    EXPECT_LT(Length(cleaned.motion.Position(i, test::kLeftAnkle) - first), 1e-3) << i;
}

}  // namespace
}  // namespace ikstream
