// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Mode PLACE as a call sees it. What feet do on their ground is tested by the cases of
// unit/terrain, which this folder compiles against calls (place_by_call.cc).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/field_error.h"
#include "session/session.h"
#include "unit/session/place_call.h"

namespace ikstream::testing {
namespace {

const Stop kNever;

std::unique_ptr<Session> Opened(const v1::Setup& setup, CallShape shape = CallShape::kStream) {
  auto session = Session::Open(setup, Limits{}, shape);
  EXPECT_TRUE(session.ok()) << session.status();
  return session.ok() ? *std::move(session) : nullptr;
}

class PlaceCall : public ::testing::Test {
 protected:
  // What one batch of `frames` standing frames is answered with `change` in it.
  template <class Change>
  absl::Status Pushed(int frames, Change change) {
    const Clip clip(body, frames);
    v1::Motion motion = PlaceMotionFor(body, clip, {.ground = LevelAt(-0.1)}, 0, frames);
    change(motion);
    replies.clear();
    return Opened(PlaceSetupFor(body))->Push(motion, kNever, replies);
  }

  const Body body;
  Session::Replies replies;
};

TEST_F(PlaceCall, IsAMode) {
  const auto modes = DescribeEngine({}).modes();
  EXPECT_EQ(std::count(modes.begin(), modes.end(), v1::MODE_PLACE), 1);
}

TEST_F(PlaceCall, TellsWhatItDrives) {
  const auto session = Opened(PlaceSetupFor(body));
  const v1::StreamReady& ready = session->ready();
  EXPECT_EQ(ready.feet_size(), 2);
  EXPECT_EQ(ready.driven_joints_size(), 6);
  EXPECT_TRUE(ready.root_moves());
  EXPECT_EQ(ready.lag_frames(), 0);
  EXPECT_FLOAT_EQ(static_cast<float>(ready.units_per_metre()), 1);
}

// F16
TEST_F(PlaceCall, ANormalThatIsNotFiniteIsAnErrorAtItsFrame) {
  const absl::Status status = Pushed(5, [](v1::Motion& motion) {
    motion.mutable_samples(1)->set_normals(3 * 3 + 1, std::nanf(""));
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(FieldOf(status), "motion.samples[1].normals[10]");
  EXPECT_EQ(FrameOf(status), 3);
  ASSERT_EQ(replies.size(), 1u) << "the frames before it are answered";
  EXPECT_EQ(replies[0].motion().frame_count(), 3);
}

TEST_F(PlaceCall, AZeroNormalIsUpWithAWarning) {
  ASSERT_TRUE(Pushed(4, [](v1::Motion& motion) {
                for (float& x : *motion.mutable_samples(0)->mutable_normals()) x = 0;
              }).ok());
  ASSERT_EQ(replies.size(), 1u);
  ASSERT_EQ(replies[0].motion().warnings_size(), 1);
  EXPECT_EQ(replies[0].motion().warnings(0).field(), "motion.samples[0].normals");
  EXPECT_EQ(replies[0].motion().warnings(0).count(), 4);
  EXPECT_NEAR(replies[0].motion().feet(0).pelvis_offsets(3), -0.1, 1e-5);
}

TEST_F(PlaceCall, NoSamplesAreNoGround) {
  const Clip clip(body, 3);
  ASSERT_TRUE(Pushed(3, [](v1::Motion& motion) { motion.clear_samples(); }).ok());
  const v1::MotionResult& answer = replies[0].motion();
  for (float weight : answer.feet(0).weights()) EXPECT_EQ(weight, 0);
  EXPECT_TRUE(std::equal(answer.root_positions().begin(), answer.root_positions().end(),
                         clip.roots.begin()));
}

TEST_F(PlaceCall, SamplesAreCheckedBeforeWork) {
  struct Case {
    const char* field;
    void (*change)(v1::Motion&);
  };
  const Case cases[] = {
      {"motion.samples[0].foot", [](v1::Motion& m) { m.mutable_samples(0)->set_foot(2); }},
      {"motion.samples[1]", [](v1::Motion& m) { m.mutable_samples(1)->set_foot(0); }},
      {"motion.samples[0].positions",
       [](v1::Motion& m) { m.mutable_samples(0)->add_positions(1); }},
      {"motion.samples[0].platforms[1]",
       [](v1::Motion& m) { m.mutable_samples(0)->set_platforms(1, 0); }},
      {"motion.platforms[0].positions",
       [](v1::Motion& m) { m.add_platforms()->set_id("raft"); }},
  };
  for (const Case& c : cases) {
    const absl::Status status = Pushed(4, c.change);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << c.field;
    EXPECT_EQ(FieldOf(status), c.field) << status;
    EXPECT_TRUE(replies.empty()) << c.field;
  }
}

TEST_F(PlaceCall, WhatHasNoMeaningIsRefusedByName) {
  struct Case {
    const char* field;
    void (*change)(v1::Setup&);
  };
  const Case cases[] = {
      {"setup.plan", [](v1::Setup& s) { s.mutable_plan(); }},
      {"setup.contacts", [](v1::Setup& s) { s.add_contacts(); }},
      {"setup.rig.chains", [](v1::Setup& s) { s.mutable_rig()->add_chains(); }},
      {"setup.rig.feet", [](v1::Setup& s) { s.mutable_rig()->clear_feet(); }},
      {"setup.rig.feet[1].hip_joint",
       [](v1::Setup& s) { s.mutable_rig()->mutable_feet(1)->set_ankle_joint(1); }},
      {"setup.frames_per_second", [](v1::Setup& s) { s.clear_frames_per_second(); }},
      {"setup.cleanup.blend.seconds",
       [](v1::Setup& s) { s.mutable_cleanup()->mutable_blend()->set_seconds(1); }},
      {"setup.cleanup.pelvis.max_down_m",
       [](v1::Setup& s) { s.mutable_cleanup()->mutable_pelvis()->set_max_down_m(-1); }},
  };
  for (const Case& c : cases) {
    v1::Setup setup = PlaceSetupFor(body);
    c.change(setup);
    const auto session = Session::Open(setup, Limits{}, CallShape::kStream);
    EXPECT_EQ(session.status().code(), absl::StatusCode::kInvalidArgument) << c.field;
    EXPECT_EQ(FieldOf(session.status()), c.field) << session.status();
  }
}

TEST_F(PlaceCall, SettingsHold) {
  v1::Setup setup = PlaceSetupFor(body);
  setup.mutable_cleanup()->mutable_pelvis()->set_max_down_m(0.04f);
  const auto session = Opened(setup);
  const v1::Motion motion =
      PlaceMotionFor(body, Clip(body, 1), {.ground = LevelAt(-0.1)}, 0, 1);
  ASSERT_TRUE(session->Push(motion, kNever, replies).ok());
  EXPECT_NEAR(replies[0].motion().feet(0).pelvis_offsets(0), -0.04, 1e-6);
}

TEST_F(PlaceCall, LeadsAreSeenAndNotAnswered) {
  v1::Setup setup = PlaceSetupFor(body);
  setup.set_frame_count(10);
  setup.set_lead_in(5);
  const auto session = Opened(setup);
  const Clip clip(body, 15);
  const PlaceSetup sinks{.ground = [](int f, int) { return Level(f < 5 ? 0.0 : -0.1); }};
  ASSERT_TRUE(session->Push(PlaceMotionFor(body, clip, sinks, 0, 15), kNever, replies).ok());
  ASSERT_TRUE(session->Finish(kNever, replies).ok());
  const v1::MotionResult& answer = replies[0].motion();
  EXPECT_EQ(answer.frame_count(), 10);
  EXPECT_EQ(answer.first_frame(), 0);
  // Had the lead-in not been seen, the first frame would be at its goal.
  EXPECT_NEAR(answer.feet(0).pelvis_offsets(0), -0.5 / 30, 1e-5);
  EXPECT_EQ(replies.back().summary().frames(), 10);
}

// The three shapes of a call answer the same.
TEST_F(PlaceCall, OneShotIsTheStream) {
  Body walker;
  walker.StandOn(Floor(-0.07));
  const Clip clip(walker, 40);
  const Placed streamed = Place(walker, clip, {.batch = 9});
  for (const CallShape shape : {CallShape::kUnary, CallShape::kClip}) {
    v1::Setup setup = PlaceSetupFor(walker);
    setup.set_all_joints(true);
    const auto session = Opened(setup, shape);
    Session::Replies all;
    ASSERT_TRUE(session->Push(PlaceMotionFor(walker, clip, {}, 0, 40), kNever, all).ok());
    ASSERT_TRUE(session->Finish(kNever, all).ok());
    const v1::SolveResponse joined = JoinReplies(std::move(all));
    EXPECT_TRUE(std::equal(streamed.rotations.begin(), streamed.rotations.end(),
                           joined.motion().local_rotations().begin()));
    EXPECT_TRUE(std::equal(streamed.roots.begin(), streamed.roots.end(),
                           joined.motion().root_positions().begin()));
    EXPECT_EQ(joined.motion().feet(1).weights_size(), 40);
  }
}

// A platform that only samples name, told anew in another order from batch to batch.
TEST_F(PlaceCall, PlatformsOfSamplesAreKnownByTheirIds) {
  const int frames = 20;
  Clip clip(body, frames);
  const auto at = [](int f) { return 0.02 * f; };
  for (int f = 0; f < frames; ++f) clip.roots[3 * f] = static_cast<float>(at(f));
  const auto session = Opened(PlaceSetupFor(body));
  for (int f = 0; f < frames; ++f) {
    v1::Motion motion = PlaceMotionFor(body, clip, {.ground = LevelAt(0)}, f, f + 1);
    const bool first = f % 2 == 0;
    for (const char* id : {first ? "ferry" : "quay", first ? "quay" : "ferry"}) {
      v1::PlatformTrack& track = *motion.add_platforms();
      track.set_id(id);
      for (const double x : {std::string(id) == "ferry" ? at(f) : 0.0, 0.0, 0.0})
        track.add_positions(static_cast<float>(x));
    }
    for (v1::FootSamples& samples : *motion.mutable_samples())
      samples.set_platforms(0, first ? 0 : 1);
    ASSERT_TRUE(session->Push(motion, kNever, replies).ok());
  }
  ASSERT_EQ(replies.size(), static_cast<std::size_t>(frames));
  for (const Session::Reply& reply : replies) {
    EXPECT_TRUE(reply.motion().feet(0).contacts(0)) << reply.motion().first_frame();
    EXPECT_EQ(reply.motion().feet(0).weights(0), 1);
  }
}

}  // namespace
}  // namespace ikstream::testing
