// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The acceptance of clean-up on public clips.
#include <gtest/gtest.h>

#include <algorithm>

#include "unit/motion/clip_fixture.h"

namespace ikstream {
namespace {

struct Bounds {
  double slide_mm = 0.1, change_mm = 15, pelvis_mm = 30;
};

void ExpectAccepted(const test::Motion& motion, const Bounds& bounds = {}) {
  const Plan plan = test::MakePlan(motion);
  const test::Cleaned cleaned = test::Clean(motion, plan);
  ASSERT_EQ(cleaned.batch.frames, motion.frames());
  const QualityReport& report = cleaned.report;
  bool planted = false;
  for (size_t f = 0; f < plan.feet.size(); ++f) {
    const FootQuality &before = report.before.feet[f], &after = report.after.feet[f];
    planted |= before.contacts > 0;
    EXPECT_LE(after.slide_mm_per_frame,
              std::max(bounds.slide_mm, 0.05 * static_cast<double>(before.slide_mm_per_frame)))
        << before.name;
    EXPECT_LE(after.knee_speed_p99_deg,
              std::max(1.1f * before.knee_speed_p99_deg, before.knee_speed_p99_deg + 20))
        << before.name;
    EXPECT_LE(after.floating_p95_mm, std::max(10.0f, before.floating_p95_mm + 1))
        << before.name;
    EXPECT_LE(after.extension_max, before.extension_max + 0.01f) << before.name;
  }
  EXPECT_TRUE(planted);
  EXPECT_LE(report.change_mean_mm, bounds.change_mm);
  EXPECT_LE(report.pelvis_shift_max_mm, bounds.pelvis_mm);
  EXPECT_LE(report.bone_length_error, 1e-5f);
  EXPECT_EQ(report.sign_flips, 0);
  EXPECT_EQ(report.non_finite, 0);
  const test::Cleaned twice = test::Clean(cleaned.motion, plan);
  EXPECT_LE(twice.report.change_mean_mm, 0.5f);
}

TEST(RealClips, CmuWalk) {
  IKSTREAM_CLIP_OR_SKIP(clip, "pybvh_cmu_12_01_walk.bvh");
  EXPECT_TRUE(test::MakePlan(clip).reference_pose);
  ExpectAccepted(clip);
}

TEST(RealClips, JumpingJacks) {
  IKSTREAM_CLIP_OR_SKIP(clip, "ad_cmu1_jumping_jacks.bvh");
  ExpectAccepted(clip);
}

TEST(RealClips, ZUp) {
  IKSTREAM_CLIP_OR_SKIP(clip, "pybvh_test1.bvh");
  EXPECT_EQ(clip.clip.up, UpAxis::kZ);
  ExpectAccepted(clip);
}

TEST(RealClips, WalkWithoutToes) {
  IKSTREAM_CLIP_OR_SKIP(clip, "bvhtoolbox_walk01.bvh");
  ExpectAccepted(clip);
}

TEST(RealClips, LearnedClipWithGivenContacts) {
  IKSTREAM_CLIP_OR_SKIP(clip, "dme_comp3d1_raw.bvh");
  const auto interval = [](std::int64_t begin, std::int64_t end) {
    ContactInterval out;
    out.begin = begin;
    out.end = end;
    return out;
  };
  PlannerInputs inputs;
  inputs.contacts = {{0, {interval(17, 25)}}, {1, {interval(0, 9), interval(32, 40)}}};
  CleanupSettings settings;
  settings.contact.mode = ContactSettings::Mode::kGiven;
  const Plan plan = test::MakePlan(clip, settings, inputs);
  const test::Cleaned cleaned = test::Clean(clip, plan);
  for (const FootQuality& foot : cleaned.report.after.feet) {
    EXPECT_LE(foot.slide_mm_per_frame, 0.5f) << foot.name;
    EXPECT_LE(foot.knee_speed_p99_deg, 499) << foot.name;
  }
}

}  // namespace
}  // namespace ikstream
