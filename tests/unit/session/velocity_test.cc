// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Angular velocities as they are answered: integrated, they lead from answer to answer.
#include <gmock/gmock.h>

#include <cmath>
#include <string>

#include "core/field_error.h"
#include "unit/convert/builders.h"
#include "unit/session/calls.h"

namespace ikstream {
namespace {

using testing::AnswerAt;
using testing::Call;
using testing::LegMotion;
using testing::LegSetup;

v1::Setup DrivenLeg() {
  v1::Setup setup = LegSetup();
  setup.set_frames_per_second(30);
  setup.mutable_rig()->mutable_chains(0)->set_angular_velocities(true);
  return setup;
}

v1::Motion Swing(int frames) {
  v1::Motion motion = LegMotion(frames);
  v1::TargetTrack& track = *motion.mutable_targets(0);
  track.clear_positions();
  for (int f = 0; f < frames; ++f) {
    const float a = 0.15f * static_cast<float>(f);
    for (float x : {0.4f * std::sin(a), -0.8f, 0.3f * std::cos(a)}) track.add_positions(x);
    track.add_weights(0.5f + 0.5f * std::cos(0.05f * static_cast<float>(f)));
  }
  return motion;
}

// They lead from answer to answer, of the driven leg at 30 frames a second.
void ExpectLeading(const v1::SolveResponse& out) {
  const v1::MotionResult& motion = out.motion();
  EXPECT_THAT(motion.angular_velocity_joints(), ::testing::ElementsAre(0, 1, 2));
  ASSERT_EQ(motion.angular_velocities_size(), 90 * 9);
  double fastest = 0;
  for (int f = 0; f < 90; ++f)
    for (int k = 0; k < 3; ++k) {
      const auto w = Cast<double>(LoadVec3(motion.angular_velocities().data() + 9 * f + 3 * k));
      fastest = std::max(fastest, Length(w));
      if (f == 0) {
        EXPECT_EQ(Length(w), 0);
        continue;
      }
      const double angle = Length(w) / 30;
      const Quatd turn = angle > 0 ? FromAxisAngle(w / Length(w), angle) : Quatd{};
      EXPECT_LE(AngleBetween(turn * AnswerAt(out, f - 1, k), AnswerAt(out, f, k)), 1e-3);
    }
  EXPECT_GT(fastest, 1);
}

TEST(AngularVelocities, LeadFromAnswerToAnswerAcrossBatches) {
  ExpectLeading(Call(DrivenLeg(), Swing(90), 7));
}

// Those of the answers, whatever smoothed them, and of frames between as of solved ones.
TEST(AngularVelocities, OfAnswersOverTime) {
  v1::Setup smoothed = DrivenLeg();
  v1::Temporal& temporal = *smoothed.mutable_rig()->mutable_chains(0)->mutable_temporal();
  temporal.set_target_half_life_seconds(0.1f);
  temporal.set_one_euro_min_cutoff_hz(4);
  temporal.set_weight_fall_per_second(0.5f);
  ExpectLeading(Call(smoothed, Swing(90), 7));
  for (auto between : {v1::Chain::BETWEEN_INTERPOLATE, v1::Chain::BETWEEN_HOLD_EASED}) {
    v1::Setup seldom = DrivenLeg();
    seldom.mutable_rig()->mutable_chains(0)->set_solve_every(4);
    seldom.mutable_rig()->mutable_chains(0)->set_between(between);
    ExpectLeading(Call(seldom, Swing(90), 7));
  }
}

// A joint that a later chain turns again moves as both have left it.
TEST(AngularVelocities, OfWhatTheLastChainLeft) {
  v1::Setup setup = DrivenLeg();
  v1::Chain& thigh = *setup.mutable_rig()->add_chains();
  thigh.set_end_joint(1);
  v1::Motion motion = Swing(90);
  v1::TargetTrack& track = *motion.add_targets();
  track.set_chain(1);
  for (int f = 0; f < 90; ++f)
    for (float x : {0.3f * std::cos(0.1f * static_cast<float>(f)), -0.4f, 0.1f})
      track.add_positions(x);
  ExpectLeading(Call(setup, motion, 7));
}

TEST(AngularVelocities, BatchSizeChangesNoBit) {
  const std::string whole = Call(DrivenLeg(), Swing(90)).motion().SerializeAsString();
  for (int batch : {1, 7, 89})
    EXPECT_EQ(Call(DrivenLeg(), Swing(90), batch).motion().SerializeAsString(), whole);
}

TEST(AngularVelocities, AJointOfTwoChainsIsAnsweredOnce) {
  v1::Setup setup = DrivenLeg();
  v1::Chain& thigh = *setup.mutable_rig()->add_chains();
  thigh.set_end_joint(1);
  thigh.set_angular_velocities(true);
  const v1::SolveResponse out = Call(setup, Swing(5));
  EXPECT_THAT(out.motion().angular_velocity_joints(), ::testing::ElementsAre(0, 1, 2));
  EXPECT_EQ(out.motion().angular_velocities_size(), 5 * 9);
}

TEST(AngularVelocities, NeedARate) {
  v1::Setup setup = DrivenLeg();
  for (double rate : {0.0, -1.0, static_cast<double>(NAN)}) {
    setup.set_frames_per_second(rate);
    const auto session = Session::Open(setup, Limits(), CallShape::kUnary);
    EXPECT_EQ(FieldOf(session.status()), "setup.frames_per_second") << rate;
  }
}

TEST(SoftReach, SlowsTheApproachOnTheWire) {  // K07
  v1::Setup setup = LegSetup();
  setup.mutable_rig()->mutable_chains(0)->mutable_soft_reach();
  v1::Motion motion = LegMotion(2, {0, -1, 0});
  v1::SolveResponse out = Call(setup, motion);
  EXPECT_EQ(out.motion().chains(0).statuses(0), v1::ChainResult::STATUS_CONVERGED);
  EXPECT_NEAR(out.motion().chains(0).residuals(0), 0.01 * std::exp(-1.0), 1e-4);
  setup.mutable_rig()->mutable_chains(0)->mutable_soft_reach()->set_cap(0.9f);
  out = Call(setup, motion);
  EXPECT_NEAR(out.motion().chains(0).residuals(0), 0.1, 1e-4);
}

}  // namespace
}  // namespace ikstream
