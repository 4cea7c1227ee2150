// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "core/field_error.h"
#include "core/math.h"
#include "session/session.h"
#include "unit/convert/builders.h"
#include "unit/session/calls.h"

namespace ikstream {
namespace {

using testing::Call;
using testing::LegMotion;
using testing::LegSetup;

std::unique_ptr<Session> OpenLeg(CallShape shape = CallShape::kStream,
                                 v1::Setup setup = LegSetup()) {
  auto session = Session::Open(setup, Limits(), shape);
  EXPECT_TRUE(session.ok()) << session.status();
  return *std::move(session);
}

// A leg that walks through random poses and targets, in and out of reach.
v1::Motion RandomMotion(int frames) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> any(-1, 1);
  v1::Motion motion = LegMotion(frames);
  v1::TargetTrack& track = *motion.mutable_targets(0);
  track.clear_positions();
  for (int f = 0; f < frames; ++f)
    for (int k = 0; k < 3; ++k) track.add_positions(any(random));
  for (int f = 0; f < frames; ++f) {
    const float half = any(random);
    motion.set_local_rotations(12 * f + 4, std::sin(half));
    motion.set_local_rotations(12 * f + 7, std::cos(half));
    track.add_weights(std::abs(any(random)));
  }
  return motion;
}

TEST(SolveSession, AnswersAFrameThatForwardKinematicsConfirms) {
  auto session = OpenLeg(CallShape::kUnary);
  EXPECT_THAT(session->ready().driven_joints(), ::testing::ElementsAre(0, 1, 2));
  Session::Replies replies;
  ASSERT_TRUE(session->Push(LegMotion(1), Stop(), replies).ok());
  ASSERT_TRUE(session->Finish(Stop(), replies).ok());
  const v1::SolveResponse out = JoinReplies(std::move(replies));

  ASSERT_EQ(out.motion().local_rotations_size(), 12);
  const Quatd hip = Cast<double>(LoadQuat(out.motion().local_rotations().data()));
  const Quatd knee = Cast<double>(LoadQuat(out.motion().local_rotations().data() + 4));
  const Vec3d bone{0, -0.5, 0};
  const Vec3d knee_at = Rotate(hip, bone);
  const Vec3d ankle_at = knee_at + Rotate(hip * knee, bone);
  EXPECT_NEAR(Length(ankle_at - Vec3d{0, -0.8, 0}), 0, 1e-3);
  EXPECT_GT(knee_at.z, 0.1);  // towards the pole
  EXPECT_EQ(out.motion().chains(0).statuses(0), v1::ChainResult::STATUS_CONVERGED);
  EXPECT_EQ(out.summary().chains(0).frames_by_status(v1::ChainResult::STATUS_CONVERGED), 1);
  EXPECT_FALSE(out.summary().cpu_target().empty());
}

TEST(SolveSession, BatchSizeChangesNoBit) {
  const v1::Motion motion = RandomMotion(1500);
  const v1::SolveResponse whole = Call(LegSetup(), motion, 1500);
  ASSERT_EQ(whole.motion().frame_count(), 1500);
  for (int batch : {1, 7, 64, 1000}) {
    const v1::SolveResponse parts = Call(LegSetup(), motion, batch);
    EXPECT_EQ(parts.motion().SerializeAsString(), whole.motion().SerializeAsString())
        << "batch " << batch;
  }
}

// Without a rotation target nothing asks the end joint to turn.
TEST(SolveSession, AnEndJointThatIsNotSolvedKeepsItsBits) {
  v1::Motion motion = RandomMotion(400);
  std::mt19937 random(11);
  std::uniform_real_distribution<float> any(-1, 1);
  for (int f = 0; f < 400; ++f) {
    const Quatf q = Normalized(Quatf{any(random), any(random), any(random), any(random)});
    const float values[] = {q.x, q.y, q.z, q.w};
    for (int k = 0; k < 4; ++k) motion.set_local_rotations(12 * f + 8 + k, values[k]);
  }
  const v1::SolveResponse out = Call(LegSetup(), motion, 400);
  ASSERT_EQ(out.motion().local_rotations_size(), 400 * 12);
  for (int f = 0; f < 400; ++f)
    for (int k = 8; k < 12; ++k)
      ASSERT_EQ(out.motion().local_rotations(12 * f + k), motion.local_rotations(12 * f + k))
          << "frame " << f;
}

// (0.5, 0, 0, 0.5) is solved as its normalised copy, and returned as sent where it is not
// solved; (0, 0, 0, 0) is no rotation.
TEST(SolveSession, RotationsThatAreNotOfUnitLength) {  // K21
  v1::Motion motion = LegMotion(3, {0, 0.3f, 0.6f});
  for (int f = 0; f < 3; ++f)
    for (int joint : {0, 2})
      for (int k : {0, 3}) motion.set_local_rotations(12 * f + 4 * joint + k, 0.5f);
  auto session = OpenLeg();
  Session::Replies replies;
  ASSERT_TRUE(session->Push(motion, Stop(), replies).ok());
  ASSERT_EQ(replies.size(), 1u);
  const v1::MotionResult& out = replies[0].motion();
  ASSERT_EQ(out.warnings_size(), 1);
  EXPECT_THAT(out.warnings(0).field(), ::testing::StartsWith("motion.local_rotations"));
  for (int f = 0; f < 3; ++f) {
    const float* frame = out.local_rotations().data() + 12 * f;
    EXPECT_EQ(LoadQuat(frame + 8), (Quatf{0.5f, 0, 0, 0.5f}));
    for (int joint : {0, 1})
      EXPECT_NEAR(Dot(LoadQuat(frame + 4 * joint), LoadQuat(frame + 4 * joint)), 1, 1e-6);
    EXPECT_EQ(out.chains(0).statuses(f), v1::ChainResult::STATUS_CONVERGED);
  }
  motion.set_local_rotations(12 + 7, 0);
  const absl::Status status = session->Push(motion, Stop(), replies);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(FrameOf(status), 4);
  EXPECT_EQ(FieldOf(status), "motion.local_rotations[16]");
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("joint 1 \"knee\""));
}

TEST(SolveSession, FramesBeforeABadOneAreAnswered) {
  auto session = OpenLeg();
  v1::Motion motion = LegMotion(5);
  motion.set_root_positions(3 * 3, NAN);
  Session::Replies replies;
  const absl::Status status = session->Push(motion, Stop(), replies);
  EXPECT_EQ(FieldOf(status), "motion.root_positions[9]");
  EXPECT_EQ(FrameOf(status), 3);
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(replies[0].motion().frame_count(), 3);
}

TEST(SolveSession, LeadInAndOutAreNotAnswered) {
  v1::Setup setup = LegSetup();
  setup.set_lead_in(2);
  setup.set_lead_out(1);
  setup.set_frame_count(3);
  auto session = OpenLeg(CallShape::kStream, setup);
  Session::Replies replies;
  ASSERT_TRUE(session->Push(LegMotion(3), Stop(), replies).ok());
  ASSERT_TRUE(session->Push(LegMotion(3), Stop(), replies).ok());
  ASSERT_TRUE(session->Finish(Stop(), replies).ok());
  const v1::SolveResponse out = JoinReplies(std::move(replies));
  EXPECT_EQ(out.motion().first_frame(), 0);
  EXPECT_EQ(out.motion().frame_count(), 3);
  EXPECT_EQ(out.summary().frames(), 3);
}

TEST(SolveSession, FewerFramesThanAnnouncedIsAnError) {
  v1::Setup setup = LegSetup();
  setup.set_frame_count(3);
  auto session = OpenLeg(CallShape::kStream, setup);
  Session::Replies replies;
  ASSERT_TRUE(session->Push(LegMotion(2), Stop(), replies).ok());
  EXPECT_EQ(FieldOf(session->Finish(Stop(), replies)), "setup.frame_count");
}

TEST(SolveSession, MoreFramesThanAnnouncedIsAnError) {
  v1::Setup setup = LegSetup();
  setup.set_frame_count(1);
  auto session = OpenLeg(CallShape::kStream, setup);
  Session::Replies replies;
  EXPECT_EQ(FieldOf(session->Push(LegMotion(2), Stop(), replies)), "motion.root_positions");
}

TEST(SolveSession, RepliesAreCutToOneMebibyte) {
  auto session = OpenLeg();
  Session::Replies replies;
  Limits limits;
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(session->Push(LegMotion(30000), Stop(), replies).ok());
  std::int64_t next = 0;
  for (const auto& reply : replies) {
    EXPECT_LE(reply.ByteSizeLong(), static_cast<size_t>(limits.max_reply_bytes));
    EXPECT_EQ(reply.motion().first_frame(), next);
    next += reply.motion().frame_count();
  }
  EXPECT_EQ(next, 90000);
}

TEST(SolveSession, AUnaryAnswerTooLargeNamesTheWayOut) {
  auto session = OpenLeg(CallShape::kUnary);
  Session::Replies replies;
  const absl::Status status = session->Push(LegMotion(65536), Stop(), replies);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("SolveClip"));
  EXPECT_TRUE(replies.empty());
}

TEST(SolveSession, StopsWhenTold) {
  auto session = OpenLeg();
  Stop stop;
  stop.Cancel();
  Session::Replies replies;
  EXPECT_EQ(session->Push(LegMotion(60000), stop, replies).code(),
            absl::StatusCode::kCancelled);
  EXPECT_LT(session->frames_done(), 60000);
}

TEST(Session, RefusesWhatItDoesNotServe) {
  v1::Setup setup = LegSetup();
  setup.set_mode(static_cast<v1::Mode>(77));
  EXPECT_EQ(FieldOf(Session::Open(setup, Limits(), CallShape::kUnary).status()), "setup.mode");
}

}  // namespace
}  // namespace ikstream
