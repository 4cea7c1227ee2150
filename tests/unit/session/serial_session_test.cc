// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// What is carried from frame to frame, and frames that wait for later ones: the cut into
// batches changes no bit, whatever the call.
#include <gmock/gmock.h>

#include <cmath>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "core/field_error.h"
#include "unit/convert/builders.h"
#include "unit/session/calls.h"

namespace ikstream {
namespace {

using testing::Call;
using testing::LegMotion;
using testing::LegSetup;
using testing::MakeJoint;
using testing::PoseOf;
using testing::SliceOf;

v1::Chain& ChainOf(v1::Setup& setup, int chain = 0) {
  return *setup.mutable_rig()->mutable_chains(chain);
}

// The leg, and a tail of three bones that starts at its hip.
v1::Setup LegAndTail() {
  v1::Setup setup = LegSetup();
  setup.set_frames_per_second(60);
  v1::Rig& rig = *setup.mutable_rig();
  for (int i = 0; i < 4; ++i)
    *rig.mutable_skeleton()->add_joints() = MakeJoint("", i == 0 ? 0 : 2 + i, {0, 0, -0.3f});
  v1::Chain& tail = *rig.add_chains();
  tail.set_root_joint(3);
  tail.set_end_joint(6);
  return setup;
}

v1::Motion Walk(int frames) {
  v1::Motion motion;
  v1::TargetTrack& leg = *motion.add_targets();
  v1::TargetTrack& tail = *motion.add_targets();
  tail.set_chain(1);
  for (int f = 0; f < frames; ++f) {
    const float a = 0.07f * static_cast<float>(f);
    for (float x : {0.02f * a, 0.0f, 0.0f}) motion.add_root_positions(x);
    for (int j = 0; j < 7; ++j)
      for (float x : {0.0f, 0.0f, 0.02f * std::sin(a + static_cast<float>(j)), 1.0f})
        motion.add_local_rotations(x);  // not of unit length: normalised copies are solved
    for (float x : {0.3f * std::sin(a), -0.85f, 0.2f}) leg.add_positions(x);
    leg.add_weights(f / 25 % 2 == 0 ? 1.0f : 0.0f);
    for (float x : {0.4f * std::cos(a), 0.2f, -0.6f}) tail.add_positions(x);
  }
  return motion;
}

// The answered rotations' bytes.
std::string Rotations(const v1::SolveResponse& out) {
  const auto& list = out.motion().local_rotations();
  return std::string(reinterpret_cast<const char*>(list.data()), sizeof(float) * list.size());
}

struct Case {
  const char* name;
  void (*change)(v1::Setup&);
  int lag;

  friend void PrintTo(const Case& test, std::ostream* out) { *out << test.name; }
};

const Case kCases[] = {
    {"Interpolate", [](v1::Setup& s) { ChainOf(s).set_solve_every(4); }, 3},
    {"TwoRates",
     [](v1::Setup& s) {
       ChainOf(s, 0).set_solve_every(2);
       ChainOf(s, 1).set_solve_every(3);
     },
     5},
    {"HoldEased",
     [](v1::Setup& s) {
       ChainOf(s, 0).set_solve_every(4);
       ChainOf(s, 0).set_between(v1::Chain::BETWEEN_HOLD_EASED);
     },
     0},
    {"Temporal",
     [](v1::Setup& s) {
       v1::Temporal& t = *ChainOf(s).mutable_temporal();
       t.set_target_half_life_seconds(0.1f);
       t.set_one_euro_min_cutoff_hz(3);
       t.set_one_euro_beta_hz(0.2f);
       t.set_weight_rise_per_second(5);
       t.set_weight_fall_per_second(10);
     },
     0},
    {"AllAtOnce",
     [](v1::Setup& s) {
       ChainOf(s, 0).set_solve_every(3);
       ChainOf(s, 0).mutable_temporal()->set_weight_rise_per_second(5);
       ChainOf(s, 0).set_angular_velocities(true);
       ChainOf(s, 1).set_solve_every(5);
       ChainOf(s, 1).set_between(v1::Chain::BETWEEN_HOLD_EASED);
       ChainOf(s, 1).mutable_temporal()->set_target_half_life_seconds(0.1f);
     },
     2},
    {"Group",
     [](v1::Setup& s) {
       ChainOf(s, 0).clear_pole();
       for (int c : {0, 1}) {
         ChainOf(s, c).set_solver("body");
         ChainOf(s, c).set_group("all");
       }
       ChainOf(s, 0).set_solve_every(4);
       ChainOf(s, 0).mutable_temporal()->set_weight_rise_per_second(5);
       ChainOf(s, 0).mutable_temporal()->set_one_euro_min_cutoff_hz(3);
       ChainOf(s, 1).mutable_temporal()->set_target_half_life_seconds(0.1f);
     },
     3},
};

class SerialSession : public ::testing::TestWithParam<Case> {
 protected:
  v1::Setup Changed() const {
    v1::Setup setup = LegAndTail();
    GetParam().change(setup);
    return setup;
  }
};

TEST_P(SerialSession, BatchSizeAndShapeOfCallChangeNoBit) {
  for (int frames : {1, 2, 150, 2500}) {
    const v1::Motion motion = Walk(frames);
    const v1::SolveResponse unary = Call(Changed(), motion);
    ASSERT_EQ(unary.motion().frame_count(), frames);
    for (int batch : {1, 7, 64, 1000}) {
      if (frames > 1000 && batch < 64) continue;
      EXPECT_EQ(Call(Changed(), motion, batch).motion().SerializeAsString(),
                unary.motion().SerializeAsString())
          << frames << " in " << batch;
    }
  }
}

TEST_P(SerialSession, AnswersLagByWhatIsTold) {
  auto session = Session::Open(Changed(), Limits(), CallShape::kStream);
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_EQ((*session)->ready().lag_frames(), GetParam().lag);
  const v1::Motion motion = Walk(40);
  Session::Replies replies;
  for (int f = 0; f < 40; ++f) {
    ASSERT_TRUE((*session)->Push(SliceOf(motion, f, f + 1), Stop(), replies).ok());
    EXPECT_GE((*session)->frames_done(), f + 1 - GetParam().lag);
    if (f % (GetParam().lag + 1) == 0) {
      EXPECT_EQ((*session)->frames_done(), f + 1);
    }
  }
  ASSERT_TRUE((*session)->Finish(Stop(), replies).ok());
  EXPECT_EQ((*session)->frames_done(), 40);
}

// The lead-in counts from below 0: which frames are solved does not depend on it.
TEST_P(SerialSession, LeadInAndLeadOutAreCutAlike) {
  v1::Setup setup = Changed();
  setup.set_lead_in(5);
  setup.set_lead_out(6);
  setup.set_frame_count(50);
  const v1::Motion motion = Walk(61);
  const v1::SolveResponse unary = Call(setup, motion);
  ASSERT_EQ(unary.motion().frame_count(), 50);
  for (int batch : {1, 9, 61})
    EXPECT_EQ(Call(setup, motion, batch).motion().SerializeAsString(),
              unary.motion().SerializeAsString());
}

// Whole frames only, as the whole call has them; those that wait are not answered.
TEST_P(SerialSession, ACancelEndsAfterWholeFrames) {
  const v1::Motion motion = Walk(2000);
  const std::string whole = Rotations(Call(Changed(), motion));
  auto session = Session::Open(Changed(), Limits(), CallShape::kStream);
  ASSERT_TRUE(session.ok());
  Session::Replies replies;
  ASSERT_TRUE((*session)->Push(SliceOf(motion, 0, 50), Stop(), replies).ok());
  Stop stop;
  stop.Cancel();
  EXPECT_EQ((*session)->Push(SliceOf(motion, 50, 2000), stop, replies).code(),
            absl::StatusCode::kCancelled);
  const std::int64_t done = (*session)->frames_done();
  EXPECT_GE(done, 50 - GetParam().lag);
  EXPECT_LT(done, 1900);
  const v1::SolveResponse part = JoinReplies(std::move(replies));
  EXPECT_EQ(part.motion().frame_count(), done);
  EXPECT_EQ(Rotations(part), whole.substr(0, Rotations(part).size()));
}

INSTANTIATE_TEST_SUITE_P(All, SerialSession, ::testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(SolveEvery, TellsSolvedFramesAndTheErrorBetween) {
  v1::Setup setup = LegAndTail();
  setup.set_all_joints(true);
  ChainOf(setup, 1).set_solve_every(4);
  const v1::Motion motion = Walk(31);
  const v1::SolveResponse out = Call(setup, motion, 10);
  const v1::ChainResult& tail = out.motion().chains(1);
  for (int f = 0; f < 31; ++f) {
    const bool solved = f % 4 == 0 || f == 30;
    EXPECT_EQ(tail.statuses(f) == v1::ChainResult::STATUS_SKIPPED, !solved) << f;
    const Vec3f target = LoadVec3(motion.targets(1).positions().data() + 3 * f);
    const double error = Length(PoseOf(setup, out, f).positions[6] - Cast<double>(target));
    EXPECT_NEAR(tail.residuals(f), error, 2e-5) << f;
    // The leg, which turns the tail's parent, is let go at frame 25: from 24 to 28 the tail
    // knows nothing of that, and says by how much it misses.
    if (f > 24 && f < 28)
      EXPECT_GT(error, 0.1) << f;
    else
      EXPECT_LT(error, solved ? 1e-3 : 0.01) << f;
  }
}

// A stream whose leg is solved on each fourth frame, seven frames in.
class EveryFourth : public ::testing::Test {
 protected:
  void SetUp() override {
    v1::Setup setup = LegSetup();
    ChainOf(setup).set_solve_every(4);
    auto session = Session::Open(setup, Limits(), CallShape::kStream);
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = *std::move(session);
    ASSERT_TRUE(session_->Push(LegMotion(7), Stop(), replies_).ok());
  }

  std::unique_ptr<Session> session_;
  Session::Replies replies_;
};

TEST_F(EveryFourth, FramesThatWaitedAreAnsweredBeforeAnError) {
  v1::Motion bad = LegMotion(5);
  bad.set_root_positions(3 * 3, NAN);  // frame 10 of the call: 8 is the last solved before
  const absl::Status status = session_->Push(bad, Stop(), replies_);
  EXPECT_EQ(FrameOf(status), 10);
  EXPECT_EQ(session_->frames_done(), 9);
}

TEST_F(EveryFourth, OtherTracksEndWhatIsInterpolated) {
  v1::Motion other = LegMotion(6);
  other.clear_targets();
  ASSERT_TRUE(session_->Push(other, Stop(), replies_).ok());
  ASSERT_TRUE(session_->Finish(Stop(), replies_).ok());
  const v1::SolveResponse out = JoinReplies(std::move(replies_));
  ASSERT_EQ(out.motion().frame_count(), 13);
  std::vector<int> solved;
  for (int f = 0; f < 13; ++f)
    if (out.motion().chains(0).statuses(f) != v1::ChainResult::STATUS_SKIPPED)
      solved.push_back(f);
  EXPECT_THAT(solved, ::testing::ElementsAre(0, 4, 6, 8, 12));
}

}  // namespace
}  // namespace ikstream
