// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// What does not go through the lanes' driver (aim, body, planar chains, colliders) at one lane,
// at four and at the full width: the answer to a frame is the same to the bit.
#include <vector>

#include "core/lanes/targets.h"

#define HWY_COMPILE_ONLY_STATIC 1
#include "core/lanes/collider_driver-inl.h"
#include "core/lanes/planar_driver-inl.h"
#include "core/solvers/aim-inl.h"
#include "core/solvers/body-inl.h"
#include "gtest/gtest.h"
#include "unit/core/body_scenes.h"
#include "unit/core/contract_scenes.h"
#include "unit/core/lane_work.h"

namespace ikstream {
namespace HWY_NAMESPACE {
namespace {

using OneLane = hn::CappedTag<float, 1>;
using FourLanes = hn::CappedTag<float, 4>;
using FullWidth = hn::ScalableTag<float>;

constexpr int kFrames = 23;  // no multiple of a width: the last columns stay idle

// `run` takes a tag of a width and returns LaneAnswers.
template <class Run>
void ExpectWidthsAgree(const Run& run) {
  const LaneAnswers want = run(OneLane());
  ExpectSameBits(run(FourLanes()), want, "four lanes");
  ExpectSameBits(run(FullWidth()), want, "full width");
}

TEST(LaneWidthTest, Aim) {
  for (int i = 0; i < 12; ++i) {
    const Scene scene = ContractScene({"aim", Kind::kSpace}, i, i % 2 == 1, kFrames, 3);
    ExpectWidthsAgree([&](auto d) {
      ChainWork work(scene);
      SolveAim<decltype(d)>(work.job, work.space);
      return work.answers;
    });
  }
}

TEST(LaneWidthTest, PlanarChains) {
  for (int seed = 0; seed < 20; ++seed)
    for (PlanarMethod method : {PlanarMethod::kTwoBone, PlanarMethod::kFabrik,
                                PlanarMethod::kCcd, PlanarMethod::kJacobian}) {
      const bool two = method == PlanarMethod::kTwoBone;
      const Scene scene = ContractScene({two ? "two_bone" : "auto", Kind::kPlane}, seed,
                                        seed % 2 == 1, kFrames, 3);
      ExpectWidthsAgree([&](auto d) {
        ChainWork work(scene);
        RunPlanar<Lane<decltype(d), 1>>(method, work.job, work.space);
        return work.answers;
      });
    }
}

TEST(LaneWidthTest, Colliders) {
  for (int seed = 0; seed < 20; ++seed) {
    const Scene scene =
        ContractScene({"auto", Kind::kColliders}, seed, seed % 2 == 1, kFrames, 3);
    ExpectWidthsAgree([&](auto d) {
      using L = Lane<decltype(d), 1>;
      ChainWork work(scene);
      std::vector<float> depths(kFrames, 1e9f), errors(kFrames, 1e9f);
      std::vector<std::int32_t> iterations(kFrames), states(kFrames);
      const ColliderScores scores{work.job.frames.data(), depths.data(), errors.data(),
                                  iterations.data(), states.data()};
      for (const ColliderStart& start :
           {ColliderStart{true, 0, 0, 0}, ColliderStart{true, 1, 0.7f, 3}})
        RunColliderStart<L>(work.job, start, scores, work.space);
      RunColliderMeasure<L>(work.job, work.space);
      return work.answers;
    });
  }
}

template <class D>
LaneAnswers RunBody(const BodyScene& scene) {
  const BodyGroup& group = scene.rig->groups()[0];
  const MotionView motion{kFrames, scene.roots.data(), scene.rotations.data(), nullptr};
  std::vector<ChainTargets> targets;
  for (const auto& tracks : scene.tracks) {
    targets.push_back({{tracks.positions.data(), 3}, {}, {}, {}});
    if (!tracks.goals.empty()) targets.back().rotations = {tracks.goals.data(), 4};
  }
  std::vector<BodyItem> items;
  for (int f = 0; f < kFrames; ++f) items.push_back({f, f % 4 == 3 ? 0x15u : 0x1fu});
  LaneAnswers answers{std::vector<float>(4 * group.turned.size() * kFrames),
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

TEST(LaneWidthTest, Body) {
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
    ExpectWidthsAgree([&](auto d) { return RunBody<decltype(d)>(scene); });
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace ikstream
