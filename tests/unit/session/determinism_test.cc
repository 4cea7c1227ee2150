// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The same request gives the same bits: whatever the number of workers, the size of the
// batches, what else runs at the time, and where in a batch a frame stands.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <future>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/math.h"
#include "pool/pool.h"
#include "session/session.h"
#include "unit/convert/builders.h"
#include "unit/session/calls.h"

namespace ikstream {
namespace {

using testing::FramesOf;
using testing::MakeJoint;
using testing::SliceOf;

constexpr int kJoints = 8;
constexpr int kFrames = 150;

class Numbers {
 public:
  explicit Numbers(unsigned seed) : random_(seed) {}
  float Next() { return static_cast<float>(random_() >> 8) / 8388608.0f - 1; }  // -1..1
  Quatf Turn(float size) {
    const float x = size * Next(), y = size * Next();
    return Normalized(Quatf{x, y, size * Next(), 1});
  }

 private:
  std::mt19937 random_;
};

// A trunk with two limbs: chains of three solvers, limits, a pole, a rotation target kept.
v1::Setup ChainSetup() {
  v1::Setup setup;
  setup.set_frames_per_second(30);
  v1::Rig& rig = *setup.mutable_rig();
  for (int j = 0; j < kJoints; ++j)
    *rig.mutable_skeleton()->add_joints() =
        MakeJoint("", j == 5 ? 1 : j - 1, {0.1f, j == 0 ? 0.0f : -0.4f, 0.05f});
  const struct {
    int root, end;
    const char* solver;
  } chains[] = {{1, 4, "auto"}, {5, 7, "two_bone"}, {0, 7, "ccd"}, {0, 4, "jacobian"}};
  for (const auto& c : chains) {
    v1::Chain& chain = *rig.add_chains();
    chain.set_root_joint(c.root), chain.set_end_joint(c.end), chain.set_solver(c.solver);
  }
  rig.mutable_chains(0)->mutable_pole()->set_kind(v1::Pole::KIND_DIRECTION);
  rig.mutable_chains(0)->mutable_pole()->mutable_value()->set_z(1);
  rig.mutable_chains(1)->set_keep_end_rotation(true);
  v1::JointLimit& hinge = *rig.add_limits();
  hinge.set_joint(2);
  hinge.mutable_hinge()->mutable_axis()->set_x(1);
  hinge.mutable_hinge()->set_min_rad(-0.5f), hinge.mutable_hinge()->set_max_rad(2);
  return setup;
}

// The same with all that is carried from frame to frame, and frames that wait for others.
v1::Setup TimedSetup() {
  v1::Setup setup = ChainSetup();
  v1::Rig& rig = *setup.mutable_rig();
  for (v1::Chain& chain : *rig.mutable_chains()) chain.set_angular_velocities(true);
  v1::Temporal& temporal = *rig.mutable_chains(0)->mutable_temporal();
  temporal.set_target_half_life_seconds(0.1f);
  temporal.set_one_euro_min_cutoff_hz(3);
  temporal.set_one_euro_beta_hz(0.1f);
  temporal.set_weight_rise_per_second(4);
  temporal.set_weight_fall_per_second(9);
  rig.mutable_chains(1)->set_solve_every(3);
  rig.mutable_chains(2)->set_solve_every(5);
  rig.mutable_chains(2)->set_between(v1::Chain::BETWEEN_HOLD_EASED);
  rig.mutable_chains(3)->set_solve_every(2);
  return setup;
}

v1::Motion ChainMotion(unsigned seed, int frames) {
  Numbers numbers(seed);
  v1::Motion motion;
  for (int f = 0; f < frames; ++f) {
    for (int k = 0; k < 3; ++k) motion.add_root_positions(numbers.Next());
    for (int j = 0; j < kJoints; ++j) {
      const Quatf q = numbers.Turn(0.3f);
      for (float v : {q.x, q.y, q.z, q.w}) motion.add_local_rotations(v);
    }
  }
  for (int c = 0; c < 4; ++c) {
    v1::TargetTrack& track = *motion.add_targets();
    track.set_chain(c);
    for (int i = 0; i < 3 * frames; ++i)
      track.add_positions(motion.root_positions(i) + numbers.Next());
    for (int f = 0; f < frames; ++f) track.add_weights(f % 5 == c ? 0.4f : 1.0f);
  }
  return motion;
}

// One call whose messages are tasks of a strand, as the service runs it.
class PooledCall {
 public:
  PooledCall(Pool& pool, const v1::Setup& setup, const v1::Motion& motion, int batch)
      : strand_(pool.NewStrand(Pool::Priority::kBulk)) {
    auto session = Session::Open(setup, Limits(), CallShape::kStream);
    EXPECT_TRUE(session.ok()) << session.status();
    session_ = *std::move(session);
    const int frames = FramesOf(motion);
    for (int f = 0; f < frames; f += batch)
      Submit([this, part = SliceOf(motion, f, std::min(frames, f + batch))] {
        EXPECT_TRUE(session_->Push(part, Stop(), replies_).ok());
      });
    Submit([this] {
      EXPECT_TRUE(session_->Finish(Stop(), replies_).ok());
      done_.set_value();
    });
  }

  // The answered motion's bytes: rotations, statuses, iterations, residuals.
  std::string Bytes() {
    done_.get_future().wait();
    return JoinReplies(std::move(replies_)).motion().SerializeAsString();
  }

 private:
  template <class Work>
  void Submit(Work work) {
    const bool taken =
        strand_->Submit([work](const Pool::Turn&) { work(); }, Pool::Admit::kAlways);
    EXPECT_TRUE(taken);
  }

  std::shared_ptr<Pool::Strand> strand_;
  std::unique_ptr<Session> session_;
  Session::Replies replies_;
  std::promise<void> done_;
};

void ExpectSameWhateverTheLoad(const v1::Setup& setup) {
  const v1::Motion motion = ChainMotion(1, kFrames), other = ChainMotion(2, kFrames);
  std::string want;
  {
    Pool pool({.workers = 1});
    want = PooledCall(pool, setup, motion, kFrames).Bytes();
  }
  ASSERT_GT(want.size(), kFrames * 100u);
  for (int workers : {1, 2, 5})
    for (int batch : {1, 7, 64, kFrames}) {
      Pool pool({.workers = workers});
      std::vector<std::unique_ptr<PooledCall>> calls;
      for (int i = 0; i < 6; ++i)
        calls.push_back(std::make_unique<PooledCall>(pool, setup, i % 2 == 0 ? motion : other,
                                                     batch + i % 3));
      for (size_t i = 0; i < calls.size(); ++i) {
        const std::string got = calls[i]->Bytes();
        EXPECT_EQ(got == want, i % 2 == 0) << workers << " workers, batches of " << batch;
      }
    }
}

TEST(DeterminismTest, WorkersBatchesAndLoadChangeNothing) {
  ExpectSameWhateverTheLoad(ChainSetup());
}

TEST(DeterminismTest, NorDoTheyWhereFramesDependOnOthers) {
  ExpectSameWhateverTheLoad(TimedSetup());
}

// A frame alone, and the same frame at every place of a batch. The sign of an answer follows
// the frame before, so q and -q are one answer here; poles and weights remember too.
TEST(DeterminismTest, TheLaneAFrameFallsIntoChangesNothing) {
  v1::Setup setup = ChainSetup();
  setup.mutable_rig()->mutable_chains(0)->clear_pole();
  v1::Motion motion = ChainMotion(3, 40);
  for (v1::TargetTrack& track : *motion.mutable_targets()) track.clear_weights();
  const auto answer = [&](int begin, int end) {
    auto session = Session::Open(setup, Limits(), CallShape::kUnary);
    Session::Replies replies;
    EXPECT_TRUE((*session)->Push(SliceOf(motion, begin, end), Stop(), replies).ok());
    EXPECT_TRUE((*session)->Finish(Stop(), replies).ok());
    return JoinReplies(std::move(replies)).motion();
  };
  const v1::MotionResult whole = answer(0, 40);
  const int row = whole.local_rotations_size() / 40;
  ASSERT_GE(row, 4 * 6);
  for (int f = 0; f < 40; ++f) {
    const v1::MotionResult one = answer(f, f + 1);
    for (int i = 0; i < row; i += 4) {
      Quatf a = LoadQuat(whole.local_rotations().data() + row * f + i);
      const Quatf b = LoadQuat(one.local_rotations().data() + i);
      if (Dot(a, b) < 0) a = -a;
      EXPECT_EQ(a, b) << f << " " << i;
    }
    for (int c = 0; c < 4; ++c) {
      EXPECT_EQ(whole.chains(c).iterations(f), one.chains(c).iterations(0));
      EXPECT_EQ(whole.chains(c).residuals(f), one.chains(c).residuals(0));
    }
  }
}

}  // namespace
}  // namespace ikstream
