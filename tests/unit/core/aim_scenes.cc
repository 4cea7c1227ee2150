// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "unit/core/aim_scenes.h"

#include <algorithm>
#include <cmath>

#include "unit/core/reference.h"

namespace ikstream {

RigSpec Head() {
  RigSpec spec;
  spec.joints = {{"chest", -1, {}, {}, {}},
                 {"neck", 0, {0, 0.2f, 0.02f}, {}, {}},
                 {"head", 1, {0, 0.1f, 0.01f}, {}, {}},
                 {"eye", 2, {0.03f, 0.08f, 0.12f}, {}, {}},
                 {"lens", 3, {0, 0, 0.01f}, {}, {}}};
  ChainSpec chain;
  chain.root_joint = 1;
  chain.end_joint = 3;
  chain.solver = "aim";
  chain.aim_axis = Vec3f{0, 0, 2};
  spec.chains.push_back(chain);
  return spec;
}

Scene MakeHeadScene() {
  Scene scene = MakeScene(Head());
  scene.Add(std::vector<Quatf>(5));
  return scene;
}

RayView RayOf(const Scene& scene, const std::vector<float>& rotations, int frame) {
  const Chain& chain = scene.rig->chains()[0];
  const ModelPose pose = PoseOf(scene, rotations, frame);
  RayView ray{EndOf(scene, rotations, frame),
              Rotate(pose.rotations[chain.spec.end_joint], Cast<double>(chain.aim_axis)), 0, 0};
  if (scene.positions.empty()) return ray;
  const int stride = scene.positions.size() == 3 ? 0 : 3;
  const Vec3d u = Cast<double>(LoadVec3(scene.positions.data() + stride * frame)) - ray.origin;
  const double across = Length(Cross(ray.axis, u)), along = Dot(ray.axis, u);
  ray.angle = std::atan2(across, along);
  ray.miss = along > 0 ? across : Length(u);
  return ray;
}

double WorstOutsideAim(const Scene& scene, const Solved& solved, int frame) {
  const Chain& chain = scene.rig->chains()[0];
  double worst = 0;
  for (int j : chain.turned) {
    const Quatf rest = scene.rig->skeleton().joint(j).rest;
    Vec3f bone{};
    for (int child : scene.rig->skeleton().children(j))
      bone = scene.rig->skeleton().joint(child).offset;
    worst = std::max(worst, Outside(scene.rig->limit(j), Cast<double>(rest), Cast<double>(bone),
                                    Cast<double>(solved.At(scene, frame, j))));
  }
  return worst;
}

}  // namespace ikstream
