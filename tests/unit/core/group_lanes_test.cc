// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// aim and body at one lane, at four and at the full width: the answer to a frame is the same to
// the bit. Within one target, the one that the compiler is set to.
#include <cstring>
#include <numeric>
#include <vector>

#include "core/lanes/targets.h"

#define HWY_COMPILE_ONLY_STATIC 1
#include "core/solvers/aim-inl.h"
#include "core/solvers/body-inl.h"
#include "gtest/gtest.h"
#include "unit/core/aim_scenes.h"
#include "unit/core/body_scenes.h"

namespace ikstream {
namespace HWY_NAMESPACE {
namespace {

using OneLane = hn::CappedTag<float, 1>;
using FourLanes = hn::CappedTag<float, 4>;
using FullWidth = hn::ScalableTag<float>;

constexpr int kFrames = 23;  // no multiple of a width: the last columns stay idle

struct Answers {
  std::vector<float> rotations, moves;
  std::vector<FrameOutcome> outcomes;
};

void ExpectSameBits(const Answers& got, const Answers& want, const char* width) {
  SCOPED_TRACE(width);
  EXPECT_EQ(got.rotations, want.rotations);
  EXPECT_EQ(got.moves, want.moves);
  for (size_t i = 0; i < want.outcomes.size(); ++i) {
    EXPECT_EQ(got.outcomes[i].status, want.outcomes[i].status);
    EXPECT_EQ(got.outcomes[i].changed, want.outcomes[i].changed);
    EXPECT_EQ(got.outcomes[i].iterations, want.outcomes[i].iterations);
    EXPECT_EQ(got.outcomes[i].residual, want.outcomes[i].residual);
    EXPECT_EQ(got.outcomes[i].residual_angle, want.outcomes[i].residual_angle);
  }
}

template <class D>
Answers RunAim(const Scene& scene) {
  const Chain& chain = scene.rig->chains()[0];
  const MotionView motion{kFrames, scene.roots.data(), scene.rotations.data(), nullptr};
  ChainTargets targets;
  targets.positions = {scene.positions.data(), 3};
  std::vector<std::int32_t> frames(kFrames);
  std::iota(frames.begin(), frames.end(), 0);
  Answers answers{std::vector<float>(4 * chain.turned.size() * kFrames),
                  {},
                  std::vector<FrameOutcome>(kFrames)};
  ChainJob job;
  job.chain = &chain;
  job.motion = &motion;
  job.pose = scene.rotations.data();
  job.joints = scene.joints();
  job.start = job.before = {job.pose, 4 * job.joints, chain.pose_offsets.data()};
  job.targets = &targets;
  job.frames = frames;
  job.solved = answers.rotations.data();
  job.outcomes = answers.outcomes.data();
  LaneSpace space;
  SolveAim<D>(job, space);
  return answers;
}

TEST(GroupLanesTest, Aim) {
  for (int i = 0; i < 12; ++i) {
    Random random(i);
    RigSpec spec = RandomChain(random, 2 + i % 5, "aim", i % 2 == 1);
    spec.chains[0].aim_axis = RandomUnit(random);
    Scene scene = MakeScene(spec);
    for (int f = 0; f < kFrames; ++f) {
      const Vec3f root = RandomUnit(random);
      scene.Add(RandomPose(random, *scene.rig, 1), root);
      scene.AddTarget(root + RandomUnit(random) * Uniform(random, 0, 8));
    }
    const Answers want = RunAim<OneLane>(scene);
    ExpectSameBits(RunAim<FourLanes>(scene), want, "four lanes");
    ExpectSameBits(RunAim<FullWidth>(scene), want, "full width");
  }
}

template <class D>
Answers RunBody(const BodyScene& scene) {
  const BodyGroup& group = scene.rig->groups()[0];
  const MotionView motion{kFrames, scene.roots.data(), scene.rotations.data(), nullptr};
  std::vector<ChainTargets> targets;
  for (const auto& tracks : scene.tracks) {
    targets.push_back({{tracks.positions.data(), 3}, {}, {}, {}});
    if (!tracks.goals.empty()) targets.back().rotations = {tracks.goals.data(), 4};
  }
  std::vector<BodyItem> items;
  for (int f = 0; f < kFrames; ++f) items.push_back({f, f % 4 == 3 ? 0x15u : 0x1fu});
  Answers answers{std::vector<float>(4 * group.turned.size() * kFrames),
                  std::vector<float>(3 * kFrames),
                  std::vector<FrameOutcome>(group.effectors.size() * kFrames)};
  BodyJob job;
  job.group = &group;
  job.rig = scene.rig.get();
  job.motion = &motion;
  job.pose = scene.rotations.data();
  job.targets = targets.data();
  job.items = items;
  job.solved = answers.rotations.data();
  job.moves = answers.moves.data();
  job.outcomes = answers.outcomes.data();
  LaneSpace space;
  SolveBody<D>(job, space);
  return answers;
}

TEST(GroupLanesTest, Body) {
  for (int i = 0; i < 8; ++i) {
    RigSpec spec = Human(i % 2 == 1);
    if (i % 4 >= 2) spec.chains[2].priority = 1;
    BodyScene scene = RandomHumans(kFrames, 30u + static_cast<unsigned>(i), spec);
    Random random(i);
    for (int f = 0; f < kFrames && i >= 4; ++f) {
      const Quatf goal = RandomTurn(random, 1);
      auto& to = scene.tracks[1].goals;
      to.insert(to.end(), {goal.x, goal.y, goal.z, goal.w});
    }
    const Answers want = RunBody<OneLane>(scene);
    ExpectSameBits(RunBody<FourLanes>(scene), want, "four lanes");
    ExpectSameBits(RunBody<FullWidth>(scene), want, "full width");
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace ikstream
