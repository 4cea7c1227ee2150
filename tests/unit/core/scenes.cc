// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "unit/core/scenes.h"

#include <algorithm>
#include <utility>

#include "gtest/gtest.h"
#include "unit/core/reference.h"

namespace ikstream {

float Uniform(Random& random, float low, float high) {
  return low + (high - low) * static_cast<float>(random() >> 8) * (1.0f / 16777216.0f);
}

Vec3f RandomUnit(Random& random) {
  for (;;) {
    const Vec3f v{Uniform(random, -1, 1), Uniform(random, -1, 1), Uniform(random, -1, 1)};
    if (Length(v) > 0.01f && Length(v) < 1) return v / Length(v);
  }
}

Quatf RandomTurn(Random& random, float max_angle) {
  return FromAxisAngle(RandomUnit(random), Uniform(random, 0, max_angle));
}

void Scene::Add(const std::vector<Quatf>& pose, Vec3f root) {
  roots.insert(roots.end(), {root.x, root.y, root.z});
  for (const Quatf& q : pose) rotations.insert(rotations.end(), {q.x, q.y, q.z, q.w});
}

Quatf Solved::At(const Scene& scene, int frame, int joint) const {
  return LoadQuat(rotations.data() + 4 * (scene.joints() * frame + joint));
}

namespace {

Track MakeTrack(const std::vector<float>& v, int size, int frames, int first) {
  if (v.empty()) return {};
  const int stride = static_cast<int>(v.size()) == size * frames ? size : 0;
  return {v.data() + stride * first, stride};
}

}  // namespace

Solved Solve(const Scene& scene, int batch) {
  const int frames = scene.frames(), joints = scene.joints();
  if (batch == 0) batch = frames;
  Solved out;
  out.rotations.resize(scene.rotations.size());
  out.statuses.resize(frames);
  out.iterations.resize(frames);
  out.residuals.resize(frames);
  out.angles.resize(frames);
  Solver solver(scene.rig);
  const size_t chains = scene.rig->chains().size();
  for (int first = 0; first < frames; first += batch) {
    const MotionView motion{std::min(batch, frames - first), scene.roots.data() + 3 * first,
                            scene.rotations.data() + 4 * joints * first, nullptr};
    std::vector<ChainTargets> targets(chains);
    targets[0] = {
        MakeTrack(scene.positions, 3, frames, first), MakeTrack(scene.goals, 4, frames, first),
        MakeTrack(scene.weights, 1, frames, first), MakeTrack(scene.poles, 3, frames, first)};
    std::vector<ChainResults> results(chains);
    results[0] = {out.statuses.data() + first, out.iterations.data() + first,
                  out.residuals.data() + first, out.angles.data() + first};
    solver.Solve(motion, targets, out.rotations.data() + 4 * joints * first, results);
  }
  return out;
}

ModelPose PoseOf(const Scene& scene, const std::vector<float>& rotations, int frame) {
  ModelPose pose;
  ForwardKinematics(
      scene.rig->skeleton(),
      {scene.roots.data() + 3 * frame, rotations.data() + 4 * scene.joints() * frame, nullptr},
      {}, pose);
  return pose;
}

Vec3d EndOf(const Scene& scene, const std::vector<float>& rotations, int frame) {
  const ModelPose pose = PoseOf(scene, rotations, frame);
  const ChainSpec& spec = scene.rig->chains()[0].spec;
  Vec3d end = pose.positions[spec.end_joint];
  if (spec.tip_offset)
    end += Rotate(pose.rotations[spec.end_joint], Cast<double>(*spec.tip_offset));
  return end;
}

double ErrorOf(const Scene& scene, const std::vector<float>& rotations, int frame) {
  const int stride = scene.positions.size() == 3 ? 0 : 3;
  return Length(EndOf(scene, rotations, frame) -
                Cast<double>(LoadVec3(scene.positions.data() + stride * frame)));
}

RigSpec StraightChain(int bones, float length, const std::string& solver) {
  RigSpec spec;
  for (int i = 0; i <= bones; ++i)
    spec.joints.push_back({"", i - 1, i == 0 ? Vec3f{} : Vec3f{0, -length, 0}, {}, {}});
  ChainSpec chain;
  chain.end_joint = bones;
  chain.solver = solver;
  spec.chains.push_back(chain);
  return spec;
}

RigSpec Leg(const std::string& solver, bool hinge) {
  RigSpec spec = StraightChain(2, 0.5f, solver);
  spec.chains[0].pole = {PoleKind::kDirection, {0, 0, 1}, 1};
  spec.limits.resize(3);
  if (hinge) spec.limits[1] = HingeLimit{{1, 0, 0}, 0, 2.617994f};
  return spec;
}

Scene MakeScene(RigSpec spec) {
  auto rig = Rig::Create(std::move(spec));
  EXPECT_TRUE(rig.ok()) << rig.status();
  Scene scene;
  scene.rig = std::make_shared<const Rig>(*std::move(rig));
  return scene;
}

JointLimit RandomLimit(Random& random, int kind) {
  if (kind == 0)
    return HingeLimit{RandomUnit(random), Uniform(random, -2, -0.3f), Uniform(random, 0.3f, 2)};
  if (kind == 1) {
    const float cone = Uniform(random, 0.4f, 1.5f);
    return SwingTwistLimit{{}, {}, cone, cone, -1, 1};
  }
  if (kind == 2)
    return SwingTwistLimit{{},
                           {},
                           Uniform(random, 0.3f, 1.5f),
                           Uniform(random, 0.3f, 1.5f),
                           Uniform(random, -1, -0.2f),
                           Uniform(random, 0.2f, 1)};
  return EulerLimit{{-0.8f, -0.7f, -1}, {0.9f, 1, Uniform(random, 0.3f, 1.2f)}};
}

RigSpec RandomChain(Random& random, int bones, const std::string& solver, bool limits) {
  RigSpec spec = StraightChain(bones, 1, solver);
  spec.limits.resize(bones + 1);
  for (int i = 0; i <= bones; ++i) {
    if (i > 0) spec.joints[i].offset = RandomUnit(random) * Uniform(random, 0.3f, 1.5f);
    spec.joints[i].rest = RandomTurn(random, 1);
    if (limits && i < bones)
      spec.limits[i] = RandomLimit(random, static_cast<int>(random() % 4));
  }
  return spec;
}

std::vector<Quatf> RandomPose(Random& random, const Rig& rig, float max_angle) {
  std::vector<Quatf> pose;
  for (int i = 0; i < rig.skeleton().size(); ++i) {
    const Joint& joint = rig.skeleton().joint(i);
    const auto children = rig.skeleton().children(i);
    const Vec3d bone = children.empty()
                           ? Vec3d{0, 1, 0}
                           : Cast<double>(rig.skeleton().joint(children[0]).offset);
    const JointLimit& limit = rig.limit(i);
    const auto* hinge = std::get_if<HingeLimit>(&limit);
    Quatf q = joint.rest;
    for (int tries = 0; tries < 50; ++tries) {
      const Quatf turn = hinge != nullptr
                             ? FromAxisAngle(NormalizedOr(hinge->axis, {}),
                                             Uniform(random, std::max(hinge->min, -max_angle),
                                                     std::min(hinge->max, max_angle)))
                             : RandomTurn(random, max_angle);
      const Quatf next = Normalized(joint.rest * turn);
      if (Outside(limit, Cast<double>(joint.rest), bone, Cast<double>(next)) > 1e-5) continue;
      q = next;
      break;
    }
    pose.push_back(q);
  }
  return pose;
}

}  // namespace ikstream
