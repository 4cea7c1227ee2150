// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The solvers at one lane, at four and at the full width, with one register and with as many as
// they ask for: the answer to a frame is the same to the bit. This is within one target, the
// one that the compiler is set to; batch_test.cc compares targets, whose full widths differ.
#include <algorithm>
#include <vector>

#include "core/lanes/targets.h"

#define HWY_COMPILE_ONLY_STATIC 1
#include "core/solvers/ccd-inl.h"
#include "core/solvers/fabrik-inl.h"
#include "core/solvers/jacobian-inl.h"
#include "core/solvers/two_bone-inl.h"
#include "gtest/gtest.h"
#include "unit/core/lane_work.h"

namespace ikstream {
namespace HWY_NAMESPACE {
namespace {

constexpr int kChains = 24;
constexpr int kFrames = 23;  // no multiple of a width: the last columns stay idle

using OneLane = hn::CappedTag<float, 1>;
using FourLanes = hn::CappedTag<float, 4>;
using FullWidth = hn::ScalableTag<float>;
static_assert(Lane<OneLane>::kWidth == 1 && Lane<OneLane, 4>::kWidth == 4);

// A solver with another number of registers side by side.
template <class S, int K>
struct Grouped : S {
  static constexpr int kGroups = K;
};

struct Task {
  Scene scene;
  std::vector<float> bends;
};

// Every second chain has limits; poles, tips, rotation targets, soft reach and uneven stiffness
// come and go in other rhythms, so that all rows of a block are met.
RigSpec MakeChain(Random& random, int bones, int i) {
  const bool tip = i % 3 == 1;
  RigSpec spec = RandomChain(random, tip ? bones - 1 : bones, "auto", i % 2 == 1);
  ChainSpec& chain = spec.chains[0];
  if (tip) chain.tip_offset = RandomUnit(random) * 0.7f;
  if (i % 5 == 2) chain.soft_reach = SoftReach{0.98f, 0.1f};
  if (i % 7 == 3) chain.rotation_weight = 0.5f;
  if (i % 8 == 4) {
    for (size_t j = 0; j < spec.joints.size(); ++j)
      spec.stiffness.push_back(Uniform(random, 0.2f, 1));
  }
  return spec;
}

Task MakeTask(Random& random, int bones, int i) {
  Task task;
  task.scene = MakeScene(MakeChain(random, bones, i));
  Scene& scene = task.scene;
  const float reach = 1.1f * scene.rig->chains()[0].length;  // some targets are out of reach
  for (int f = 0; f < kFrames; ++f) {
    const Vec3f root = RandomUnit(random) * 3;
    scene.Add(RandomPose(random, *scene.rig, 1), root);
    scene.AddTarget(root + RandomUnit(random) * Uniform(random, 0, reach));
    const Quatf goal = RandomTurn(random, 3);
    if (i % 4 >= 2) scene.goals.insert(scene.goals.end(), {goal.x, goal.y, goal.z, goal.w});
    const Vec3f bend = RandomUnit(random);
    if (i % 6 < 3) task.bends.insert(task.bends.end(), {bend.x, bend.y, bend.z});
  }
  return task;
}

template <class S, class D>
LaneAnswers Run(const Task& task) {
  ChainWork work(task.scene, task.bends);
  RunLanes<S, D>(work.job, work.space);
  return work.answers;
}

// The residuals are those of the rotations, by forward kinematics in double precision.
void ExpectTrueResiduals(const Task& task, const LaneAnswers& answers) {
  const Scene& scene = task.scene;
  const Chain& chain = scene.rig->chains()[0];
  std::vector<float> pose = scene.rotations;
  const float* from = answers.rotations.data();
  for (int f = 0; f < kFrames; ++f)
    for (size_t k = 0; k < chain.turned.size(); ++k, from += 4)
      if (answers.outcomes[f].changed)
        std::copy_n(from, 4, pose.data() + 4 * scene.joints() * f + chain.pose_offsets[k]);
  for (int f = 0; f < kFrames; ++f)
    EXPECT_NEAR(answers.outcomes[f].residual, ErrorOf(scene, pose, f), 2e-5 * chain.length)
        << "frame " << f;
}

template <class S, class D>
void ExpectAtWidth(const Task& task, const LaneAnswers& want, const char* width) {
  ExpectSameBits(Run<Grouped<S, 1>, D>(task), want, width);
  ExpectSameBits(Run<Grouped<S, S::kGroups>, D>(task), want, width);
}

template <class S>
void ExpectWidthsAgree(int least_bones, int most_bones) {
  Random random(45);
  int converged = 0, changed = 0;
  for (int i = 0; i < kChains; ++i) {
    SCOPED_TRACE(testing::Message() << "chain " << i);
    const int bones = least_bones + i % (most_bones - least_bones + 1);
    const Task task = MakeTask(random, bones, i);
    const LaneAnswers want = Run<Grouped<S, 1>, OneLane>(task);
    ExpectTrueResiduals(task, want);
    ExpectAtWidth<S, OneLane>(task, want, "one lane");
    ExpectAtWidth<S, FourLanes>(task, want, "four lanes");
    ExpectAtWidth<S, FullWidth>(task, want, "full width");
    for (const FrameOutcome& outcome : want.outcomes) {
      converged += outcome.status == SolveStatus::kConverged;
      changed += outcome.changed;
    }
  }
  // Frames that do nothing would agree too.
  EXPECT_GE(changed, kChains * kFrames * 9 / 10);
  EXPECT_GE(converged, kChains * kFrames / 4);
}

TEST(LaneWidthTest, TwoBone) { ExpectWidthsAgree<TwoBone>(2, 2); }
TEST(LaneWidthTest, Fabrik) { ExpectWidthsAgree<Fabrik>(2, 7); }
TEST(LaneWidthTest, Ccd) { ExpectWidthsAgree<Ccd>(2, 7); }
TEST(LaneWidthTest, Jacobian) { ExpectWidthsAgree<Jacobian>(2, 7); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace ikstream
