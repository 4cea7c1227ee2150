// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "unit/core/body_scenes.h"

#include <algorithm>

#include "gtest/gtest.h"
#include "unit/core/reference.h"

namespace ikstream {
namespace {

struct Bone {
  const char* name;
  int parent;
  Vec3f offset;
};

constexpr Bone kBones[] = {{"pelvis", -1, {0, 0, 0}},
                           {"l_hip", 0, {0.09f, -0.05f, 0}},
                           {"l_knee", 1, {0, -0.42f, 0}},
                           {"l_ankle", 2, {0, -0.42f, 0}},
                           {"l_toe", 3, {0, -0.06f, 0.14f}},
                           {"r_hip", 0, {-0.09f, -0.05f, 0}},
                           {"r_knee", 5, {0, -0.42f, 0}},
                           {"r_ankle", 6, {0, -0.42f, 0}},
                           {"r_toe", 7, {0, -0.06f, 0.14f}},
                           {"spine1", 0, {0, 0.11f, 0}},
                           {"spine2", 9, {0, 0.13f, 0}},
                           {"spine3", 10, {0, 0.13f, 0}},
                           {"neck", 11, {0, 0.16f, 0}},
                           {"head", 12, {0, 0.11f, 0.02f}},
                           {"l_collar", 11, {0.07f, 0.12f, 0}},
                           {"l_shoulder", 14, {0.11f, 0, 0}},
                           {"l_elbow", 15, {0.27f, 0, 0}},
                           {"l_wrist", 16, {0.25f, 0, 0}},
                           {"r_collar", 11, {-0.07f, 0.12f, 0}},
                           {"r_shoulder", 18, {-0.11f, 0, 0}},
                           {"r_elbow", 19, {-0.27f, 0, 0}},
                           {"r_wrist", 20, {-0.25f, 0, 0}}};

JointLimit Cone(float x, float y, float twist) {
  return SwingTwistLimit{{}, {}, x, y, -twist, twist};
}

void AddLimits(RigSpec& spec) {
  spec.limits.resize(spec.joints.size());
  for (int hip : {1, 5}) spec.limits[hip] = Cone(1.6f, 0.8f, 0.7f);
  for (int knee : {2, 6}) spec.limits[knee] = HingeLimit{{1, 0, 0}, 0, 2.5f};
  for (int spine : {9, 10, 11}) spec.limits[spine] = Cone(0.5f, 0.5f, 0.4f);
  spec.limits[12] = EulerLimit{{-0.7f, -0.8f, -0.5f}, {0.7f, 0.8f, 0.5f}};
  for (int collar : {14, 18}) spec.limits[collar] = Cone(0.35f, 0.35f, 0.2f);
  for (int shoulder : {15, 19}) spec.limits[shoulder] = Cone(1.6f, 1.6f, 1.2f);
  spec.limits[16] = HingeLimit{{0, 1, 0}, -2.5f, 0};
  spec.limits[20] = HingeLimit{{0, 1, 0}, 0, 2.5f};
}

void AddChain(RigSpec& spec, const char* name, int root, int end) {
  ChainSpec chain;
  chain.name = name;
  chain.root_joint = root;
  chain.end_joint = end;
  chain.solver = "body";
  chain.group = "human";
  spec.chains.push_back(chain);
}

Track MakeTrack(const std::vector<float>& v, int size, int frames, int first) {
  if (v.empty()) return {};
  const int stride = static_cast<int>(v.size()) == size * frames ? size : 0;
  return {v.data() + stride * first, stride};
}

// Of one frame.
const float* TranslationsAt(const BodyScene& scene, const std::vector<float>& all, int frame) {
  if (all.empty()) return nullptr;
  return all.data() + 3 * scene.rig->translated_joints().size() * frame;
}

ModelPose Forward(const BodyScene& scene, const std::vector<float>& roots,
                  const std::vector<float>& rotations, const std::vector<float>& translations,
                  int frame) {
  ModelPose pose;
  ForwardKinematics(scene.rig->skeleton(),
                    {roots.data() + 3 * frame, rotations.data() + 4 * scene.joints() * frame,
                     TranslationsAt(scene, translations, frame)},
                    scene.rig->translated_joints(), pose);
  return pose;
}

}  // namespace

void BodyScene::Add(const std::vector<Quatf>& pose, Vec3f root) {
  roots.insert(roots.end(), {root.x, root.y, root.z});
  for (const Quatf& q : pose) rotations.insert(rotations.end(), {q.x, q.y, q.z, q.w});
}

RigSpec Human(bool limits) {
  RigSpec spec;
  for (const Bone& bone : kBones)
    spec.joints.push_back({bone.name, bone.parent, bone.offset, {}, {}});
  if (limits) AddLimits(spec);
  AddChain(spec, "head", 0, 13);
  AddChain(spec, "left hand", 14, 17);
  AddChain(spec, "right hand", 18, 21);
  AddChain(spec, "left foot", 1, 3);
  AddChain(spec, "right foot", 5, 7);
  return spec;
}

BodyScene MakeBodyScene(const RigSpec& spec) {
  auto rig = Rig::Create(spec);
  EXPECT_TRUE(rig.ok()) << rig.status();
  BodyScene scene;
  scene.rig = std::make_shared<const Rig>(*std::move(rig));
  scene.tracks.resize(scene.rig->chains().size());
  return scene;
}

BodyScene RandomHumans(int frames, unsigned seed, const RigSpec& spec, float angle) {
  Random random(seed);
  BodyScene scene = MakeBodyScene(spec);
  for (int f = 0; f < frames; ++f) {
    const Vec3f root = RandomUnit(random) * 2;
    BodyScene goal{scene.rig, {}, {}, {}, {}};
    goal.Add(RandomPose(random, *scene.rig, angle), root + RandomUnit(random) * 0.2f);
    const ModelPose pose = PoseOf(goal, goal.roots, goal.rotations, 0);
    for (int c = 0; c < scene.chains(); ++c) {
      const auto at = Cast<float>(EndOf(scene, pose, c));
      auto& to = scene.tracks[c].positions;
      to.insert(to.end(), {at.x, at.y, at.z});
      const auto q = Cast<float>(pose.rotations[scene.rig->chains()[c].spec.end_joint]);
      auto& known = scene.tracks[c].known;
      known.insert(known.end(), {q.x, q.y, q.z, q.w});
    }
    scene.Add(RandomPose(random, *scene.rig, angle), root);
  }
  return scene;
}

SolvedBody SolveHumans(const BodyScene& scene, int batch) {
  const int frames = scene.frames(), joints = scene.joints();
  if (batch == 0) batch = frames;
  SolvedBody out;
  out.rotations.resize(scene.rotations.size());
  out.roots.resize(scene.roots.size());
  out.translations = scene.translations;
  out.chains.resize(scene.chains());
  for (SolvedBody::Chain& chain : out.chains) {
    chain.statuses.resize(frames);
    chain.iterations.resize(frames);
    chain.residuals.resize(frames);
    chain.angles.resize(frames);
  }
  Solver solver(scene.rig);
  for (int first = 0; first < frames; first += batch) {
    const MotionView motion{std::min(batch, frames - first), scene.roots.data() + 3 * first,
                            scene.rotations.data() + 4 * joints * first,
                            TranslationsAt(scene, scene.translations, first)};
    std::vector<ChainTargets> targets;
    std::vector<ChainResults> results;
    for (int c = 0; c < scene.chains(); ++c) {
      const BodyScene::Tracks& t = scene.tracks[c];
      SolvedBody::Chain& to = out.chains[c];
      targets.push_back({MakeTrack(t.positions, 3, frames, first),
                         MakeTrack(t.goals, 4, frames, first),
                         MakeTrack(t.weights, 1, frames, first),
                         {}});
      results.push_back({to.statuses.data() + first, to.iterations.data() + first,
                         to.residuals.data() + first, to.angles.data() + first});
    }
    solver.Solve(
        motion, targets, out.rotations.data() + 4 * joints * first, results,
        out.roots.data() + 3 * first,
        out.translations.empty()
            ? nullptr
            : out.translations.data() + 3 * scene.rig->translated_joints().size() * first);
  }
  return out;
}

ModelPose PoseOf(const BodyScene& scene, const std::vector<float>& roots,
                 const std::vector<float>& rotations, int frame) {
  return Forward(scene, roots, rotations, scene.translations, frame);
}

ModelPose PoseOf(const BodyScene& scene, const SolvedBody& solved, int frame) {
  return Forward(scene, solved.roots, solved.rotations, solved.translations, frame);
}

Vec3d EndOf(const BodyScene& scene, const ModelPose& pose, int chain) {
  const ChainSpec& spec = scene.rig->chains()[chain].spec;
  const Vec3d tip = Cast<double>(spec.tip_offset.value_or(Vec3f{}));
  return pose.positions[spec.end_joint] + Rotate(pose.rotations[spec.end_joint], tip);
}

double MissOf(const BodyScene& scene, const SolvedBody& solved, int chain, int frame) {
  const auto& positions = scene.tracks[chain].positions;
  const int stride = positions.size() == 3 ? 0 : 3;
  return Length(EndOf(scene, PoseOf(scene, solved, frame), chain) -
                Cast<double>(LoadVec3(positions.data() + stride * frame)));
}

double WorstMiss(const BodyScene& scene, const SolvedBody& solved, int frame) {
  double worst = 0;
  for (int c = 0; c < scene.chains(); ++c)
    worst = std::max(worst, MissOf(scene, solved, c, frame));
  return worst;
}

double WorstOutside(const BodyScene& scene, const SolvedBody& solved, int frame) {
  double worst = 0;
  for (int j : scene.rig->driven_joints()) {
    const auto children = scene.rig->skeleton().children(j);
    if (children.empty()) continue;
    // The bone of a joint with several children is the chain's.
    int child = children.front();
    for (const Chain& chain : scene.rig->chains())
      for (size_t k = 0; k + 1 < chain.turned.size(); ++k)
        if (chain.turned[k] == j) child = chain.turned[k + 1];
    const Joint& joint = scene.rig->skeleton().joint(j);
    const Quatf q = LoadQuat(&solved.rotations[4 * (scene.joints() * frame + j)]);
    worst = std::max(worst, Outside(scene.rig->limit(j), Cast<double>(joint.rest),
                                    Cast<double>(scene.rig->skeleton().joint(child).offset),
                                    Cast<double>(q)));
  }
  return worst;
}

void ExpectTheSameInBatches(const BodyScene& scene, std::initializer_list<int> sizes) {
  const SolvedBody whole = SolveHumans(scene);
  for (int size : sizes) {
    const SolvedBody parts = SolveHumans(scene, size);
    ASSERT_EQ(whole.rotations, parts.rotations) << size;
    ASSERT_EQ(whole.roots, parts.roots) << size;
    for (int c = 0; c < scene.chains(); ++c) {
      ASSERT_EQ(whole.chains[c].statuses, parts.chains[c].statuses) << size;
      ASSERT_EQ(whole.chains[c].residuals, parts.chains[c].residuals) << size;
    }
  }
}

}  // namespace ikstream
