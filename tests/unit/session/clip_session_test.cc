// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Modes PLAN and CLEAN as a call sees them: what is refused, and that a plan made in one call
// serves another one with the same bits.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "core/field_error.h"
#include "session/session.h"
#include "unit/convert/builders.h"
#include "unit/session/calls.h"

namespace ikstream {
namespace {

using testing::Call;
using testing::MakeJoint;

constexpr int kJoints = 7;

v1::Setup WalkerSetup(v1::Mode mode) {
  v1::Setup setup;
  setup.set_mode(mode);
  setup.set_frames_per_second(30);
  v1::Rig& rig = *setup.mutable_rig();
  rig.set_find_feet(true);
  v1::Skeleton& s = *rig.mutable_skeleton();
  *s.add_joints() = MakeJoint("Hips", -1, {0, 0.9f, 0});
  for (float side : {1.0f, -1.0f}) {
    const std::string name = side > 0 ? "Left" : "Right";
    const int hip = s.joints_size();
    *s.add_joints() = MakeJoint((name + "UpLeg").c_str(), 0, {0.1f * side, 0, 0});
    *s.add_joints() = MakeJoint((name + "Leg").c_str(), hip, {0, -0.42f, 0});
    *s.add_joints() = MakeJoint((name + "Foot").c_str(), hip + 1, {0, -0.40f, 0});
  }
  return setup;
}

// Stands on bent knees; the whole figure glides by `slide` metres a frame.
v1::Motion Gliding(int begin, int end, float slide) {
  v1::Motion motion;
  for (int f = begin; f < end; ++f) {
    for (float v : {slide * static_cast<float>(f), 0.86f, 0.0f}) motion.add_root_positions(v);
    for (int j = 0; j < kJoints; ++j) {
      const float half = j == 1 || j == 4 ? -0.15f : j == 2 || j == 5 ? 0.3f : 0.0f;
      for (float v : {std::sin(half), 0.0f, 0.0f, std::cos(half)})
        motion.add_local_rotations(v);
    }
  }
  return motion;
}

absl::Status Open(const v1::Setup& setup, CallShape shape = CallShape::kStream) {
  return Session::Open(setup, Limits(), shape).status();
}

TEST(ClipSession, AStreamPlansFirst) {
  EXPECT_EQ(FieldOf(Open(WalkerSetup(v1::MODE_CLEAN))), "setup.plan");
  EXPECT_TRUE(Open(WalkerSetup(v1::MODE_CLEAN), CallShape::kClip).ok());
}

TEST(ClipSession, APlanServesAnotherCallWithTheSameBits) {
  const v1::SolveResponse once = Call(WalkerSetup(v1::MODE_CLEAN), Gliding(0, 60, 0.002f));
  ASSERT_EQ(once.motion().frame_count(), 60);
  ASSERT_EQ(once.summary().plan().feet_size(), 2);
  ASSERT_GE(once.summary().plan().feet(0).intervals_size(), 1);
  EXPECT_GT(once.summary().quality().before().feet(0).slide_mm_per_frame(), 1);
  EXPECT_LT(once.summary().quality().after().feet(0).slide_mm_per_frame(), 0.1f);

  const v1::SolveResponse planned = Call(WalkerSetup(v1::MODE_PLAN), Gliding(0, 60, 0.002f), 7);
  v1::Setup setup = WalkerSetup(v1::MODE_CLEAN);
  *setup.mutable_plan() = planned.summary().plan();
  const v1::SolveResponse streamed = Call(setup, Gliding(0, 60, 0.002f), 11);
  EXPECT_EQ(streamed.motion().SerializeAsString(), once.motion().SerializeAsString());
}

TEST(ClipSession, WhatCannotWorkIsNamed) {
  v1::Setup setup = WalkerSetup(v1::MODE_PLAN);
  setup.set_frames_per_second(0);
  EXPECT_EQ(FieldOf(Open(setup)), "setup.frames_per_second");
  setup = WalkerSetup(v1::MODE_PLAN);
  setup.mutable_rig()->add_feet()->set_ankle_joint(70);
  EXPECT_EQ(FieldOf(Open(setup)), "setup.rig.feet[0].ankle_joint");
  setup = WalkerSetup(v1::MODE_PLAN);
  setup.mutable_cleanup()->mutable_contact()->set_enter_speed(-1);
  EXPECT_EQ(FieldOf(Open(setup)), "setup.cleanup.contact.enter_speed");
  setup = WalkerSetup(v1::MODE_PLAN);
  setup.set_profile("v99");
  EXPECT_EQ(FieldOf(Open(setup)), "setup.profile");
  setup = WalkerSetup(v1::MODE_PLAN);
  setup.mutable_rig()->add_chains();
  EXPECT_EQ(FieldOf(Open(setup)), "setup.rig.chains");
}

// Half a clip, or one that its neighbours take whole, is not planned.
TEST(ClipSession, FramesThatDoNotAddUpAreNamed) {
  v1::Setup setup = WalkerSetup(v1::MODE_CLEAN);
  setup.set_frame_count(20);
  auto session = Session::Open(setup, Limits(), CallShape::kUnary);
  ASSERT_TRUE(session.ok()) << session.status();
  Session::Replies replies;
  EXPECT_EQ(FieldOf((*session)->Push(Gliding(0, 5, 0), Stop(), replies)), "setup.frame_count");
  setup = WalkerSetup(v1::MODE_PLAN);
  setup.set_lead_in(8);
  session = Session::Open(setup, Limits(), CallShape::kStream);
  ASSERT_TRUE(session.ok()) << session.status();
  ASSERT_TRUE((*session)->Push(Gliding(0, 5, 0), Stop(), replies).ok());
  EXPECT_EQ(FieldOf((*session)->Finish(Stop(), replies)), "setup.lead_in");
}

TEST(ClipSession, TerrainIsCheckedBeforeWork) {
  v1::Setup setup = WalkerSetup(v1::MODE_PLAN);
  setup.mutable_rig()->mutable_terrain();
  EXPECT_EQ(FieldOf(Open(setup)), "setup.rig.terrain.planes");
  v1::HeightField& field = *setup.mutable_rig()->mutable_terrain()->add_height_fields();
  field.set_count_i(2);
  field.set_count_j(2);
  field.set_cell_i(1);
  field.set_cell_j(1);
  for (float h : {0.0f, 0.0f, std::numeric_limits<float>::quiet_NaN(), 0.0f})
    field.add_heights(h);
  EXPECT_EQ(FieldOf(Open(setup)).rfind("setup.rig.terrain.height_fields[0].heights", 0), 0u)
      << Open(setup);
}

TEST(ClipSession, APlatformThatCarriesTerrainNeedsATrack) {
  v1::Setup setup = WalkerSetup(v1::MODE_PLAN);
  v1::Plane& plane = *setup.mutable_rig()->mutable_terrain()->add_planes();
  plane.mutable_normal()->set_y(1);
  plane.set_platform("lift");
  auto session = Session::Open(setup, Limits(), CallShape::kStream);
  ASSERT_TRUE(session.ok()) << session.status();
  Session::Replies replies;
  v1::Motion motion = Gliding(0, 5, 0);
  EXPECT_EQ(FieldOf((*session)->Push(motion, Stop(), replies)), "motion.platforms");
  motion.add_platforms()->set_id("train");
  EXPECT_EQ(FieldOf((*session)->Push(motion, Stop(), replies)), "motion.platforms[0].id");
}

// What the ground is made of is told by samples: level, at the height of the soles.
v1::Motion GlidingOnSamples(int begin, int end) {
  v1::Motion motion = Gliding(begin, end, 0.002f);
  for (int foot = 0; foot < 2; ++foot) {
    v1::FootSamples& samples = *motion.add_samples();
    samples.set_foot(foot);
    for (int f = begin; f < end; ++f)
      for (float v : {0.002f * static_cast<float>(f), 0.06f, 0.0f}) samples.add_positions(v);
  }
  return motion;
}

TEST(ClipSession, SamplesAreTheGround) {
  const v1::SolveResponse once = Call(WalkerSetup(v1::MODE_CLEAN), GlidingOnSamples(0, 60));
  const v1::Plan& plan = once.summary().plan();
  EXPECT_EQ(plan.floor().kind(), v1::Floor::KIND_SAMPLES);
  ASSERT_GE(plan.feet(0).intervals_size(), 1);
  EXPECT_LT(once.summary().quality().after().feet(0).slide_mm_per_frame(), 0.1f);

  const v1::SolveResponse planned =
      Call(WalkerSetup(v1::MODE_PLAN), GlidingOnSamples(0, 60), 13);
  v1::Setup setup = WalkerSetup(v1::MODE_CLEAN);
  *setup.mutable_plan() = planned.summary().plan();
  const v1::SolveResponse streamed = Call(setup, GlidingOnSamples(0, 60), 7);
  EXPECT_EQ(streamed.motion().SerializeAsString(), once.motion().SerializeAsString());
}

TEST(ClipSession, APlanIsUsedOnTheGroundItWasMadeOn) {
  const v1::Plan sampled =
      Call(WalkerSetup(v1::MODE_PLAN), GlidingOnSamples(0, 60), 60).summary().plan();
  const v1::Plan fitted =
      Call(WalkerSetup(v1::MODE_PLAN), Gliding(0, 60, 0.002f), 60).summary().plan();
  for (const bool had_samples : {false, true}) {
    v1::Setup setup = WalkerSetup(v1::MODE_CLEAN);
    *setup.mutable_plan() = had_samples ? sampled : fitted;
    auto session = Session::Open(setup, Limits(), CallShape::kStream);
    ASSERT_TRUE(session.ok()) << session.status();
    Session::Replies replies;
    const v1::Motion motion = had_samples ? Gliding(0, 60, 0.002f) : GlidingOnSamples(0, 60);
    EXPECT_EQ(FieldOf((*session)->Push(motion, Stop(), replies)), "motion.samples");
  }
}

TEST(ClipSession, SamplesThatCannotWorkAreNamed) {
  const auto pushed = [](v1::Motion first, v1::Motion second) {
    auto session = Session::Open(WalkerSetup(v1::MODE_PLAN), Limits(), CallShape::kStream);
    Session::Replies replies;
    const absl::Status s = (*session)->Push(first, Stop(), replies);
    return s.ok() ? (*session)->Push(second, Stop(), replies) : s;
  };
  v1::Motion moving = GlidingOnSamples(0, 5);
  for (int k = 0; k < 3; ++k) moving.mutable_samples(1)->add_velocities(1);
  EXPECT_EQ(FieldOf(pushed(moving, {})), "motion.samples[1].velocities");
  EXPECT_EQ(FieldOf(pushed(Gliding(0, 5, 0), GlidingOnSamples(5, 9))), "motion.samples");
  v1::Motion broken = GlidingOnSamples(5, 9);
  broken.mutable_samples(0)->set_positions(4, std::numeric_limits<float>::infinity());
  const absl::Status status = pushed(GlidingOnSamples(0, 5), broken);
  EXPECT_EQ(FieldOf(status), "motion.samples[0].positions[4]");
  EXPECT_EQ(FrameOf(status), 6);
}

TEST(ClipSession, TheRigsLimitsAreServed) {
  v1::Setup setup = WalkerSetup(v1::MODE_CLEAN);
  v1::JointLimit& limit = *setup.mutable_rig()->add_limits();
  limit.set_joint(2);
  limit.mutable_hinge()->mutable_axis()->set_x(1);
  limit.mutable_hinge()->set_max_rad(2);
  EXPECT_TRUE(Open(setup, CallShape::kClip).ok());
  limit.set_joint(70);
  EXPECT_EQ(FieldOf(Open(setup, CallShape::kClip)), "setup.rig.limits[0].joint");
}

}  // namespace
}  // namespace ikstream
