// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "motion/cleaner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "core/field_error.h"
#include "unit/motion/body.h"

namespace ikstream {
namespace {

using test::BodyPose;

constexpr double kPi = 3.14159265358979;

// A walk on the spot whose planted feet slide by `slide` metres per stance.
BodyPose Sliding(int frame, double fps, double slide) {
  BodyPose pose;
  const double t = frame / fps;
  pose.pelvis = {0.01 * std::sin(kPi * t), 1.04, 0};
  for (int side = 0; side < 2; ++side) {
    const double phase = std::fmod(t + side, 2.0);
    const double swing = phase < 0.5 ? phase / 0.5 : 0;
    const double up = std::sin(kPi * swing) * std::sin(kPi * swing);
    const double along = phase < 0.5 ? 0.5 - 0.5 * std::cos(kPi * swing) : 1;
    const double stance = phase < 0.5 ? 0 : (phase - 0.5) / 1.5;
    const double z = slide * (phase < 0.5 ? 1 - along : stance);
    pose.ankle[side] = {side == 0 ? 0.1 : -0.1, 0.08 + 0.12 * up, z};
  }
  return pose;
}

test::Motion SlidingClip(int frames = 360, double fps = 60, double units = 1) {
  return test::MakeBody(frames, fps, units, [&](int i) { return Sliding(i, fps, 0.04); });
}

TEST(Cleaner, PlantedFeetStandStill) {
  const test::Motion motion = SlidingClip();
  const Plan plan = test::MakePlan(motion);
  const test::Cleaned cleaned = test::Clean(motion, plan);
  ASSERT_EQ(cleaned.batch.frames, motion.frames());
  int planted = 0;
  for (const ContactInterval& interval : plan.feet[0].intervals)
    for (std::int64_t i = interval.begin + 1; i < interval.end; ++i, ++planted) {
      Vec3d step = cleaned.motion.Position(i, test::kLeftToe) -
                   cleaned.motion.Position(i - 1, test::kLeftToe);
      EXPECT_LT(std::hypot(step.x, step.z), 5e-5) << i;
    }
  EXPECT_GT(planted, 200);
  EXPECT_GT(cleaned.report.before.feet[0].slide_mm_per_frame, 0.3f);
  EXPECT_LT(cleaned.report.after.feet[0].slide_mm_per_frame, 0.05f);
  EXPECT_EQ(cleaned.report.sign_flips, 0);
  EXPECT_EQ(cleaned.report.non_finite, 0);
}

TEST(Cleaner, BatchesDoNotChangeABit) {
  const test::Motion motion = SlidingClip(200);
  const Plan plan = test::MakePlan(motion);
  const test::Cleaned whole = test::Clean(motion, plan);
  for (std::int64_t batch : {1, 13, 64, 100}) {
    const test::Cleaned parts = test::Clean(motion, plan, {}, nullptr, batch);
    ASSERT_EQ(parts.batch.frames, whole.batch.frames);
    EXPECT_EQ(parts.motion.rotations, whole.motion.rotations) << batch;
    EXPECT_EQ(parts.motion.roots, whole.motion.roots) << batch;
    EXPECT_EQ(parts.batch.feet[1].residuals, whole.batch.feet[1].residuals) << batch;
    EXPECT_EQ(parts.report.after.feet[0].knee_speed_p99_deg,
              whole.report.after.feet[0].knee_speed_p99_deg);
  }
}

TEST(Cleaner, OutsideWindowsTheSentBits) {
  // The left foot slides in one contact only; half a second later nothing may differ.
  const test::Motion motion = test::MakeBody(240, 60, 1, [](int i) {
    BodyPose pose;
    pose.pelvis = {0, 1.0, 0.002 * i};
    const double lift = i < 120 ? 0 : 0.2 * std::sin(kPi * std::min(1.0, (i - 120) / 30.0) / 2);
    // Feet in the air go round fast enough never to look planted.
    const Vec3d round{0, 0.05 * std::sin(0.5 * i), 0.05 * std::cos(0.5 * i)};
    const double z = 0.0003 * i + 0.002 * std::max(0, i - 120);
    pose.ankle[0] = Vec3d{0.1, 0.08 + lift, z} + round * (lift / 0.2);
    pose.ankle[1] = Vec3d{-0.1, 0.38, 0.002 * i} + round;
    return pose;
  });
  const Plan plan = test::MakePlan(motion);
  ASSERT_EQ(plan.feet[0].intervals.size(), 1u);
  const test::Cleaned cleaned = test::Clean(motion, plan);
  const std::int64_t from = 4 * 9 * (plan.feet[0].intervals[0].end + 30);
  EXPECT_EQ(std::memcmp(&motion.rotations[from], &cleaned.motion.rotations[from],
                        (motion.rotations.size() - from) * sizeof(float)),
            0);
  for (std::int64_t i = 0; i < motion.frames(); ++i)
    EXPECT_EQ(std::memcmp(&motion.rotations[4 * 9 * i + 4 * 5],
                          &cleaned.motion.rotations[4 * 9 * i + 4 * 5], 4 * 4 * sizeof(float)),
              0)
        << "the right leg was never planted";
  EXPECT_GT(cleaned.report.changed_joint_frames, 100);
}

TEST(Cleaner, CleanedTwiceMovesNothing) {
  const test::Motion motion = SlidingClip();
  const Plan plan = test::MakePlan(motion);
  const test::Cleaned once = test::Clean(motion, plan);
  const test::Cleaned twice = test::Clean(once.motion, plan);
  double worst = 0;
  for (std::int64_t i = 0; i < motion.frames(); ++i)
    for (int joint : {test::kLeftAnkle, test::kLeftToe, test::kRightAnkle, 2, 6})
      worst = std::max(
          worst, Length(once.motion.Position(i, joint) - twice.motion.Position(i, joint)));
  EXPECT_LT(worst, 5e-4);
}

TEST(Cleaner, AnyUnitGivesTheSameMotion) {
  const test::Motion metres = SlidingClip(200, 60, 1), centimetres = SlidingClip(200, 60, 100);
  const test::Cleaned a = test::Clean(metres, test::MakePlan(metres));
  const test::Cleaned b = test::Clean(centimetres, test::MakePlan(centimetres));
  for (std::int64_t i = 0; i < 200; i += 9)
    EXPECT_NEAR(Length(a.motion.Position(i, test::kLeftToe) * 100.0 -
                       b.motion.Position(i, test::kLeftToe)),
                0, 0.02)
        << i;
}

TEST(Cleaner, IgnoredIntervalsAreNotObeyed) {
  const test::Motion motion = SlidingClip(200);
  Plan plan = test::MakePlan(motion);
  for (FootPlan& foot : plan.feet)
    for (ContactInterval& interval : foot.intervals) interval.ignored = true;
  const test::Cleaned cleaned = test::Clean(motion, plan);
  EXPECT_EQ(cleaned.motion.rotations, motion.rotations);
  EXPECT_EQ(cleaned.motion.roots, motion.roots);
}

TEST(Cleaner, AnEditedAnchorIsWhereTheFootStands) {
  const test::Motion motion = SlidingClip(200);
  Plan plan = test::MakePlan(motion);
  ContactInterval& interval = plan.feet[0].intervals[0];
  interval.anchors[0].position->x += 0.03f;
  const test::Cleaned cleaned = test::Clean(motion, plan);
  const std::int64_t middle = (interval.begin + interval.end) / 2;
  EXPECT_NEAR(cleaned.motion.Position(middle, test::kLeftToe).x,
              interval.anchors[0].position->x, 1e-4);
}

TEST(Cleaner, LeadInAndLeadOutAreNotAnswered) {
  test::Motion motion = SlidingClip(300);
  const Plan all = test::MakePlan(motion);
  const test::Cleaned whole = test::Clean(motion, all);
  motion.clip.lead_in = 100;
  motion.clip.lead_out = 80;
  motion.clip.frame_count = 120;
  const Plan plan = test::MakePlan(motion);
  EXPECT_EQ(plan.frame_count, 120);
  const test::Cleaned part = test::Clean(motion, plan);
  ASSERT_EQ(part.batch.frames, 120);
  EXPECT_EQ(part.batch.first_frame, 0);
  for (std::int64_t i = 0; i < 120; i += 7)
    EXPECT_NEAR(Length(part.motion.Position(i, test::kLeftToe) -
                       whole.motion.Position(i + 100, test::kLeftToe)),
                0, 1e-4)
        << i;
}

TEST(Cleaner, TooFewOrTooManyFrames) {
  const test::Motion motion = SlidingClip(100);
  const Plan plan = test::MakePlan(motion);
  auto cleaner = *Cleaner::Create(motion.clip, plan, {}, nullptr);
  CleanBatch batch;
  ASSERT_TRUE(cleaner->Push(motion.View(0, 60), batch).ok());
  EXPECT_EQ(FieldOf(cleaner->Finish(batch)), "plan.frame_count");
  EXPECT_EQ(FieldOf(cleaner->Push(motion.View(0, 60), batch)), "motion");
}

TEST(Cleaner, APlanOnTerrainNeedsTheTerrain) {
  const test::Motion motion = SlidingClip(100);
  Plan plan = test::MakePlan(motion);
  plan.floor.kind = Floor::Kind::kTerrain;
  EXPECT_EQ(FieldOf(Cleaner::Create(motion.clip, plan, {}, nullptr).status()), "rig.terrain");
}

TEST(Cleaner, MemoryIsBoundedByTheLag) {
  const test::Motion motion = SlidingClip(600, 120);
  auto cleaner = *Cleaner::Create(motion.clip, test::MakePlan(motion), {}, nullptr);
  CleanBatch batch;
  for (std::int64_t i = 0; i < motion.frames(); ++i) {
    ASSERT_TRUE(cleaner->Push(motion.View(i, 1), batch).ok());
    const std::int64_t behind = i + 1 - batch.frames;
    if (i + 1 < motion.frames()) {
      EXPECT_LE(behind, cleaner->lag_frames()) << i;
    }
  }
  EXPECT_EQ(batch.frames, motion.frames());
}

}  // namespace
}  // namespace ikstream
