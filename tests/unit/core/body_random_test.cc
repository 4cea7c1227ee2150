// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// What the solver "body" promises, on random trees: limits of every kind, joints of no length,
// translated joints, shared and nested chains, tips, priorities, rotation targets, and targets
// that make no sense.
#include <algorithm>
#include <cmath>

#include "gtest/gtest.h"
#include "unit/core/body_scenes.h"
#include "unit/core/reference.h"

namespace ikstream {
namespace {

constexpr int kFrames = 21;

JointLimit AnyLimit(Random& random) {
  JointLimit limit = RandomLimit(random, static_cast<int>(random() % 4));
  // Chains that share a joint need not agree on its bone.
  if (auto* cone = std::get_if<SwingTwistLimit>(&limit)) cone->twist_axis = RandomUnit(random);
  return limit;
}

void AddJoints(Random& random, RigSpec& spec, int count) {
  for (int i = 0; i < count; ++i) {
    Joint joint;
    joint.parent = i == 0 ? -1 : std::max(0, i - 1 - static_cast<int>(random() % 4));
    if (random() % 8 != 0) joint.offset = RandomUnit(random) * Uniform(random, 0.1f, 1);
    joint.rest = RandomTurn(random, 1);
    spec.joints.push_back(joint);
    spec.limits.push_back(random() % 3 == 0 ? JointLimit() : AnyLimit(random));
    spec.stiffness.push_back(random() % 4 == 0 ? Uniform(random, 0.5f, 4) : 1);
    if (i > 0 && random() % 6 == 0) spec.translated_joints.push_back(i);
  }
}

ChainSpec AnyChain(Random& random, const RigSpec& spec) {
  ChainSpec chain;
  chain.solver = "body";
  chain.group = "all";
  chain.end_joint = 1 + static_cast<int>(random() % (spec.joints.size() - 1));
  chain.root_joint = spec.joints[chain.end_joint].parent;
  while (spec.joints[chain.root_joint].parent >= 0 && random() % 4 != 0)
    chain.root_joint = spec.joints[chain.root_joint].parent;
  chain.tip_offset = RandomUnit(random) * 0.3f;
  const Vec3f offset = spec.joints[chain.end_joint].offset;
  if (random() % 2 == 0 && Length(offset) > 0) chain.tip_offset.reset();
  chain.priority = static_cast<int>(random() % 3);
  chain.effector_weight = Uniform(random, 0.3f, 3);
  chain.closeness = random() % 3 == 0 ? 0 : Uniform(random, 0, 1);
  chain.keep_end_rotation = random() % 5 == 0;
  chain.rotation_weight = random() % 3 == 0 ? 0.5f : 1;
  return chain;
}

Vec3f AnyTarget(Random& random, Vec3f root, int frame) {
  if (frame % 7 == 3) return root;  // all ends in one point
  if (frame % 7 == 5) return root + RandomUnit(random) * 1e4f;
  return root + RandomUnit(random) * Uniform(random, 0, 3);
}

BodyScene AnyScene(unsigned seed) {
  Random random(seed);
  RigSpec spec;
  AddJoints(random, spec, 4 + static_cast<int>(random() % 24));
  const int chains = 1 + static_cast<int>(random() % 6);
  for (int c = 0; c < chains; ++c) spec.chains.push_back(AnyChain(random, spec));
  BodyScene scene = MakeBodyScene(spec);
  for (int f = 0; f < kFrames; ++f) {
    const Vec3f root = RandomUnit(random) * 3;
    scene.Add(RandomPose(random, *scene.rig, f % 7 == 1 ? 0.0f : 1.2f), root);
    for (size_t i = 0; i < 3 * spec.translated_joints.size(); ++i)
      scene.translations.push_back(Uniform(random, -0.7f, 0.7f));
    for (auto& tracks : scene.tracks) {
      const Vec3f at = AnyTarget(random, root, f);
      tracks.positions.insert(tracks.positions.end(), {at.x, at.y, at.z});
      tracks.weights.push_back(f % 5 == 4 ? Uniform(random, 0, 1) : 1);
      const Quatf goal = RandomTurn(random, 3);
      if (seed % 3 == 1)
        tracks.goals.insert(tracks.goals.end(), {goal.x, goal.y, goal.z, goal.w});
    }
  }
  return scene;
}

bool IsWhole(const BodyScene& scene, int frame) { return scene.tracks[0].weights[frame] == 1; }

TEST(BodyRandomTest, ResidualsAndStatusesAreTrueAndLimitsHold) {
  for (unsigned seed = 0; seed < 150; ++seed) {
    const BodyScene scene = AnyScene(seed);
    const SolvedBody solved = SolveHumans(scene);
    for (int f = 0; f < kFrames; ++f) {
      if (IsWhole(scene, f)) {
        ASSERT_LE(WorstOutside(scene, solved, f), 1e-4) << seed << " " << f;
      }
      for (int c = 0; c < scene.chains(); ++c) {
        const SolvedBody::Chain& told = solved.chains[c];
        const double miss = MissOf(scene, solved, c, f);
        ASSERT_TRUE(std::isfinite(miss)) << seed << " " << f;
        ASSERT_NEAR(told.residuals[f], miss, 1e-4 + 2e-6 * miss)
            << seed << " " << f << " " << c;
        if (told.statuses[f] == SolveStatus::kConverged && IsWhole(scene, f)) {
          ASSERT_LE(miss, scene.rig->chains()[c].tolerance + 1e-4) << seed << " " << f;
        }
        ASSERT_LE(told.iterations[f], 16);
      }
    }
    for (size_t i = 0; i < solved.rotations.size(); i += 4)
      ASSERT_NEAR(Dot(LoadQuat(&solved.rotations[i]), LoadQuat(&solved.rotations[i])), 1, 1e-5);
  }
}

TEST(BodyRandomTest, JointsOfNoChainKeepTheirBits) {
  for (unsigned seed = 200; seed < 230; ++seed) {
    const BodyScene scene = AnyScene(seed);
    const SolvedBody solved = SolveHumans(scene);
    const auto driven = scene.rig->driven_joints();
    for (int j = 0; j < scene.joints(); ++j) {
      if (std::find(driven.begin(), driven.end(), j) != driven.end()) continue;
      for (int f = 0; f < kFrames; ++f)
        ASSERT_EQ(LoadQuat(&solved.rotations[4 * (scene.joints() * f + j)]),
                  LoadQuat(&scene.rotations[4 * (scene.joints() * f + j)]));
    }
    if (!scene.rig->moves_root()) {
      ASSERT_EQ(solved.roots, scene.roots);
    }
  }
}

TEST(BodyRandomTest, BatchesOfAnySizeGiveTheSameBits) {
  for (unsigned seed = 300; seed < 330; ++seed) {
    const BodyScene scene = AnyScene(seed);
    const SolvedBody whole = SolveHumans(scene);
    for (int batch : {1, 4, 20}) {
      const SolvedBody parts = SolveHumans(scene, batch);
      ASSERT_EQ(whole.rotations, parts.rotations) << seed << " " << batch;
      ASSERT_EQ(whole.roots, parts.roots);
      for (int c = 0; c < scene.chains(); ++c)
        ASSERT_EQ(whole.chains[c].statuses, parts.chains[c].statuses) << seed << " " << batch;
    }
  }
}

}  // namespace
}  // namespace ikstream
