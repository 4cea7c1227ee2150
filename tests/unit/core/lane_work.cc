// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "unit/core/lane_work.h"

#include <bit>
#include <cstring>
#include <numeric>

#include "core/colliders.h"
#include "gtest/gtest.h"

namespace ikstream {
namespace {

bool SameBits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}
bool SameBits(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

}  // namespace

void ExpectSameBits(const LaneAnswers& got, const LaneAnswers& want, const char* width) {
  SCOPED_TRACE(width);
  EXPECT_TRUE(SameBits(got.rotations, want.rotations));
  EXPECT_TRUE(SameBits(got.moves, want.moves));
  ASSERT_EQ(got.outcomes.size(), want.outcomes.size());
  for (size_t i = 0; i < want.outcomes.size(); ++i) {
    const FrameOutcome &a = got.outcomes[i], &b = want.outcomes[i];
    EXPECT_EQ(a.status, b.status) << i;
    EXPECT_EQ(a.changed, b.changed) << i;
    EXPECT_EQ(a.iterations, b.iterations) << i;
    EXPECT_TRUE(SameBits(a.residual, b.residual)) << i;
    EXPECT_TRUE(SameBits(a.residual_angle, b.residual_angle)) << i;
    EXPECT_TRUE(SameBits(a.depth, b.depth)) << i;
  }
}

ChainWork::ChainWork(const Scene& scene, const std::vector<float>& bends) : bends_(bends) {
  const Chain& chain = scene.rig->chains()[0];
  const auto count = static_cast<size_t>(scene.frames());
  motion_ = {scene.frames(), scene.roots.data(), scene.rotations.data(), nullptr};
  if (!scene.positions.empty()) targets_.positions = {scene.positions.data(), 3};
  if (!scene.goals.empty()) targets_.rotations = {scene.goals.data(), 4};
  frames_.resize(count);
  std::iota(frames_.begin(), frames_.end(), 0);
  answers.rotations.resize(4 * chain.turned.size() * count);
  answers.outcomes.resize(count);
  job.chain = &chain;
  job.motion = &motion_;
  job.pose = scene.rotations.data();
  job.joints = scene.joints();
  job.start = job.before = {job.pose, 4 * job.joints, chain.pose_offsets.data()};
  job.targets = &targets_;
  job.frames = frames_;
  job.max_iterations = 40;
  job.solved = answers.rotations.data();
  job.outcomes = answers.outcomes.data();
  if (!bends_.empty()) job.bends = bends_.data();
  if (chain.colliders.empty()) return;
  colliders_.resize(6 * chain.colliders.size() * count);
  ColliderTrack(*scene.rig, chain).Place(motion_, scene.rotations.data(), colliders_.data());
  job.colliders = colliders_.data();
}

}  // namespace ikstream
