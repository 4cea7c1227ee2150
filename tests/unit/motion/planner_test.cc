// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "motion/planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/field_error.h"
#include "unit/motion/body.h"

namespace ikstream {
namespace {

using test::BodyPose;

// In-place steps: each foot in turn rises for half a second of every two.
BodyPose Stepping(int frame, double fps, double drift) {
  BodyPose pose;
  pose.pelvis.y = 0.97;
  for (int side = 0; side < 2; ++side) {
    const double phase = std::fmod(frame / fps + side, 2.0);
    const double up = phase < 0.5 ? 0.5 - 0.5 * std::cos(phase * 4 * 3.14159265) : 0;
    const double slide = phase < 0.5 ? 0.5 - phase / 0.5 : (phase - 0.5) / 1.5 - 0.5;
    pose.ankle[side] = {side == 0 ? 0.1 : -0.1, 0.08 + 0.2 * up, drift * slide};
  }
  return pose;
}

test::Motion Steps(double fps, double drift = 0) {
  return test::MakeBody(static_cast<int>(6 * fps), fps, 1,
                        [&](int i) { return Stepping(i, fps, drift); });
}

TEST(Planner, FindsWhereFeetStand) {
  const Plan plan = test::MakePlan(Steps(60));
  ASSERT_EQ(plan.feet.size(), 2u);
  EXPECT_EQ(plan.floor.kind, Floor::Kind::kPlane);
  EXPECT_NEAR(plan.feet[0].heel_offset - plan.feet[0].toe_offset, 0.06, 2e-3);
  ASSERT_EQ(plan.feet[0].intervals.size(), 3u);
  for (const ContactInterval& interval : plan.feet[0].intervals) {
    EXPECT_EQ(interval.origin, ContactInterval::Origin::kFound);
    EXPECT_NEAR(static_cast<double>(interval.end - interval.begin), 90, 10);
    ASSERT_EQ(interval.anchors.size(), 1u);
    EXPECT_NEAR(interval.anchors[0].position->z, 0.15, 1e-3);
    EXPECT_NEAR(interval.anchors[0].position->y, 0.02, 2e-3);
  }
}

TEST(Planner, BatchesDoNotMatter) {
  const test::Motion motion = Steps(30, 0.05);
  const Plan whole = test::MakePlan(motion);
  for (std::int64_t batch : {1, 7, 64}) {
    const Plan parts = test::MakePlan(motion, {}, {}, batch);
    ASSERT_EQ(parts.feet[1].intervals.size(), whole.feet[1].intervals.size());
    for (size_t i = 0; i < whole.feet[1].intervals.size(); ++i) {
      EXPECT_EQ(parts.feet[1].intervals[i].begin, whole.feet[1].intervals[i].begin);
      EXPECT_EQ(parts.feet[1].intervals[i].anchors[0].position,
                whole.feet[1].intervals[i].anchors[0].position);
    }
    EXPECT_EQ(parts.feet[0].knee_speed_p99, whole.feet[0].knee_speed_p99);
    EXPECT_EQ(parts.floor.point, whole.floor.point);
  }
}

TEST(Planner, FrameZeroThatJumpsIsAReferencePose) {
  const auto pose = [](int i) {
    BodyPose at = Stepping(i, 60, 0);
    if (i == 0) at.pelvis.z = at.ankle[0].z = at.ankle[1].z = -2;
    return at;
  };
  const Plan plan = test::MakePlan(test::MakeBody(360, 60, 1, pose));
  EXPECT_TRUE(plan.reference_pose);
  ASSERT_FALSE(plan.notes.empty());
  for (const FootPlan& foot : plan.feet) EXPECT_GE(foot.intervals.front().begin, 1);
  EXPECT_FALSE(test::MakePlan(Steps(60)).reference_pose);
}

TEST(Planner, GivenContactsWin) {
  const test::Motion motion = Steps(60);
  PlannerInputs inputs;
  ContactInterval given;
  given.begin = 40;
  given.end = 60;
  inputs.contacts = {{0, {given}}};
  const Plan plan = test::MakePlan(motion, {}, inputs);
  const ContactInterval& first = plan.feet[0].intervals.front();
  EXPECT_EQ(first.begin, 40);
  EXPECT_EQ(first.end, 60);
  EXPECT_EQ(first.origin, ContactInterval::Origin::kGiven);
  EXPECT_TRUE(first.anchors[0].position);
  EXPECT_EQ(plan.feet[0].intervals.size(), 3u);

  CleanupSettings settings;
  settings.contact.mode = ContactSettings::Mode::kGiven;
  const Plan only = test::MakePlan(motion, settings, inputs);
  EXPECT_EQ(only.feet[0].intervals.size(), 1u);
  EXPECT_TRUE(only.feet[1].intervals.empty());
}

TEST(Planner, LockedAndIgnoredIntervalsOfAnEarlierPlanStay) {
  const test::Motion motion = Steps(60);
  Plan earlier = test::MakePlan(motion);
  earlier.feet[0].intervals[0].locked = true;
  earlier.feet[0].intervals[0].end -= 30;
  earlier.feet[0].intervals[1].ignored = true;
  PlannerInputs inputs;
  inputs.earlier = &earlier;
  const Plan plan = test::MakePlan(motion, {}, inputs);
  ASSERT_EQ(plan.feet[0].intervals.size(), 3u);
  EXPECT_EQ(plan.feet[0].intervals[0].end, earlier.feet[0].intervals[0].end);
  EXPECT_TRUE(plan.feet[0].intervals[1].ignored);
  EXPECT_FALSE(plan.feet[0].intervals[2].locked);
}

TEST(Planner, AContactThatSlidesAwayIsSplit) {
  const test::Motion motion = Steps(60, 0.2);  // 20 cm in 1.5 s
  const Plan split = test::MakePlan(motion);
  EXPECT_GT(split.feet[0].intervals.size(), 3u);
  CleanupSettings settings;
  settings.anchor.allow_slide = true;
  const Plan kept = test::MakePlan(motion, settings);
  ASSERT_EQ(kept.feet[0].intervals.size(), 3u);
  EXPECT_TRUE(kept.feet[0].intervals[0].allow_slide);
}

TEST(Planner, ACleanClipHasTheSameContacts) {
  for (double fps : {30, 60, 120}) {
    const test::Motion motion = Steps(fps, 0.03);
    const Plan plan = test::MakePlan(motion);
    const Plan again = test::MakePlan(test::Clean(motion, plan).motion);
    ASSERT_EQ(plan.feet[0].intervals.size(), again.feet[0].intervals.size()) << fps;
    for (size_t k = 0; k < plan.feet[0].intervals.size(); ++k) {
      EXPECT_EQ(plan.feet[0].intervals[k].begin, again.feet[0].intervals[k].begin) << fps;
      EXPECT_EQ(plan.feet[0].intervals[k].end, again.feet[0].intervals[k].end) << fps;
    }
  }
}

TEST(Planner, FeetThatAlwaysSlideAreFoundByHeight) {
  // 0.6 m/s under the body: never slow.
  const auto pose = [](int i) {
    BodyPose at = Stepping(i, 30, 0);
    at.pelvis.z = at.ankle[0].z = at.ankle[1].z = 0.02 * i;
    return at;
  };
  const Plan plan = test::MakePlan(test::MakeBody(180, 30, 1, pose));
  EXPECT_EQ(plan.feet[0].mode, ContactSettings::Mode::kHeight);
  EXPECT_NE(plan.feet[0].why.find("by height"), std::string::npos);
}

TEST(Planner, ErrorsNameTheField) {
  const test::Motion motion = Steps(30);
  const auto field = [&](const ClipSpec& clip, const CleanupSettings& settings,
                         const PlannerInputs& inputs) {
    return FieldOf(Planner::Create(clip, settings, inputs).status());
  };
  ClipSpec footless = motion.clip;
  footless.feet.clear();
  EXPECT_EQ(field(footless, {}, {}), "rig.feet");
  CleanupSettings settings;
  settings.blend.seconds = -1;
  EXPECT_EQ(field(motion.clip, settings, {}), "cleanup.blend.seconds");
  PlannerInputs inputs;
  inputs.contacts = {{5, {}}};
  EXPECT_EQ(field(motion.clip, {}, inputs), "contacts[0].foot");
  auto planner = Planner::Create(motion.clip, {}, {});
  (*planner)->Push(motion.View(0, 10));
  EXPECT_EQ(FieldOf((*planner)->Finish().status()), "frame_count");
}

// The left foot comes down on its heel at frame 60 and lays its sole down until frame 78; the
// heel slides meanwhile.
BodyPose Striking(int frame) {
  BodyPose pose;
  pose.pelvis.y = 0.97;
  const double before = std::max(0, 60 - frame) / 60.0, rolled = std::max(0, 78 - frame) / 18.0;
  pose.ankle[0] = {0.1, 0.08 + 0.3 * before, -0.5 * before + 0.0005 * std::max(0, frame - 60)};
  pose.ankle[1] = {-0.1, 0.08, 0};
  pose.pitch[0] = -0.5 * std::min(1.0, rolled);
  return pose;
}

TEST(Planner, AHeelThatStandsFirstIsAnAnchorOfItsOwn) {
  const test::Motion motion = test::MakeBody(180, 60, 1, Striking);
  const Plan plan = test::MakePlan(motion);
  ASSERT_EQ(plan.feet[0].intervals.size(), 1u);
  const ContactInterval& interval = plan.feet[0].intervals[0];
  EXPECT_NEAR(static_cast<double>(interval.begin), 60, 3);
  ASSERT_EQ(interval.anchors.size(), 2u);
  EXPECT_EQ(interval.anchors[0].point, Anchor::Point::kHeel);
  EXPECT_EQ(interval.anchors[1].point, Anchor::Point::kToe);
  EXPECT_EQ(interval.anchors[0].begin, interval.begin);
  EXPECT_NEAR(static_cast<double>(interval.anchors[1].begin), 77, 3);
  // The heel stays while the sole comes down.
  const test::Cleaned cleaned = test::Clean(motion, plan);
  const auto heel = [](const test::Motion& m, std::int64_t i) {
    return m.Position(i, test::kLeftAnkle).z;
  };
  const std::int64_t first = interval.begin + 2, last = interval.anchors[1].begin - 4;
  EXPECT_GT(heel(motion, last) - heel(motion, first), 0.004);
  EXPECT_NEAR(heel(cleaned.motion, last), heel(cleaned.motion, first), 1e-3);
  // A foot that comes down flat has the toe's alone.
  EXPECT_EQ(test::MakePlan(Steps(60)).feet[0].intervals[1].anchors.size(), 1u);
}

}  // namespace
}  // namespace ikstream
