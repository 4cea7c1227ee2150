// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Planar chains and colliders at one lane, at four and at the full width: the answer to a frame
// is the same to the bit.
#include <cstring>
#include <numeric>
#include <vector>

#include "core/lanes/targets.h"

#define HWY_COMPILE_ONLY_STATIC 1
#include "core/lanes/collider_driver-inl.h"
#include "core/lanes/planar_driver-inl.h"
#include "gtest/gtest.h"
#include "unit/core/contract_scenes.h"

namespace ikstream {
namespace HWY_NAMESPACE {
namespace {

constexpr int kFrames = 23;  // no multiple of a width: the last columns stay idle

using OneLane = Lane<hn::CappedTag<float, 1>, 1>;
using FourLanes = Lane<hn::CappedTag<float, 4>, 1>;
using FullWidth = Lane<hn::ScalableTag<float>, 1>;

// What a run reads and writes.
struct Work {
  explicit Work(const Scene& from) : scene(from), chain(from.rig->chains()[0]) {
    motion = {kFrames, scene.roots.data(), scene.rotations.data(), nullptr};
    targets.positions = {scene.positions.data(), 3};
    frames.resize(kFrames);
    std::iota(frames.begin(), frames.end(), 0);
    solved.resize(4 * chain.turned.size() * kFrames);
    outcomes.resize(kFrames);
    colliders.resize(6 * chain.colliders.size() * kFrames + 1);
    ColliderTrack(*scene.rig, chain).Place(motion, scene.rotations.data(), colliders.data());
    job.chain = &chain;
    job.motion = &motion;
    job.pose = scene.rotations.data();
    job.joints = scene.joints();
    job.start = job.before = {job.pose, 4 * job.joints, chain.pose_offsets.data()};
    job.targets = &targets;
    job.frames = frames;
    job.max_iterations = 40;
    job.colliders = colliders.data();
    job.solved = solved.data();
    job.outcomes = outcomes.data();
  }

  const Scene& scene;
  const Chain& chain;
  MotionView motion;
  ChainTargets targets;
  std::vector<std::int32_t> frames;
  std::vector<float> solved, colliders;
  std::vector<FrameOutcome> outcomes;
  ChainJob job;
  LaneSpace space;
};

template <class L>
std::vector<float> PlanarAnswers(const Scene& scene, PlanarMethod method) {
  Work work(scene);
  RunPlanar<L>(method, work.job, work.space);
  return work.solved;
}

template <class L>
std::vector<float> ColliderAnswers(const Scene& scene) {
  Work work(scene);
  std::vector<float> depths(kFrames, 1e9f), errors(kFrames, 1e9f);
  std::vector<std::int32_t> iterations(kFrames), states(kFrames);
  const ColliderScores scores{work.frames.data(), depths.data(), errors.data(),
                              iterations.data(), states.data()};
  for (const ColliderStart& start :
       {ColliderStart{true, 0, 0, 0}, ColliderStart{true, 1, 0.7f, 3}})
    RunColliderStart<L>(work.job, start, scores, work.space);
  RunColliderMeasure<L>(work.job, work.space);
  for (const FrameOutcome& outcome : work.outcomes) work.solved.push_back(outcome.depth);
  return work.solved;
}

bool SameBits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

TEST(ConstraintWidthTest, PlanarChains) {
  for (int seed = 0; seed < 20; ++seed)
    for (PlanarMethod method : {PlanarMethod::kTwoBone, PlanarMethod::kFabrik,
                                PlanarMethod::kCcd, PlanarMethod::kJacobian}) {
      const bool two = method == PlanarMethod::kTwoBone;
      const Scene scene = ContractScene({two ? "two_bone" : "auto", Kind::kPlane}, seed,
                                        seed % 2 == 1, kFrames, 3);
      const auto want = PlanarAnswers<OneLane>(scene, method);
      EXPECT_TRUE(SameBits(PlanarAnswers<FourLanes>(scene, method), want)) << seed;
      EXPECT_TRUE(SameBits(PlanarAnswers<FullWidth>(scene, method), want)) << seed;
    }
}

TEST(ConstraintWidthTest, Colliders) {
  for (int seed = 0; seed < 20; ++seed) {
    const Scene scene =
        ContractScene({"auto", Kind::kColliders}, seed, seed % 2 == 1, kFrames, 3);
    const auto want = ColliderAnswers<OneLane>(scene);
    EXPECT_TRUE(SameBits(ColliderAnswers<FourLanes>(scene), want)) << seed;
    EXPECT_TRUE(SameBits(ColliderAnswers<FullWidth>(scene), want)) << seed;
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace ikstream
