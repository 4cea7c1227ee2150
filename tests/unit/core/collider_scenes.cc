// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "unit/core/collider_scenes.h"

#include <algorithm>
#include <cmath>

namespace ikstream {
namespace {

double PointDistance(Vec3d p, Vec3d a, Vec3d b) {
  const Vec3d v = b - a;
  const double size = Dot(v, v);
  const double t = size > 0 ? std::clamp(Dot(p - a, v) / size, 0.0, 1.0) : 0;
  return Length(p - (a + v * t));
}

bool Ignores(const Rig& rig, const Collider& collider) {
  const auto& list = collider.ignored_by;
  if (std::find(list.begin(), list.end(), 0) != list.end()) return true;
  const auto& own = rig.chains()[0].turned;
  return std::find(own.begin(), own.end(), collider.joint) != own.end();
}

}  // namespace

// The distance of a point on the one to the other is convex: a ternary search finds the least.
double SegmentDistance(Vec3d p, Vec3d q, Vec3d a, Vec3d b) {
  double low = 0, high = 1;
  for (int i = 0; i < 80; ++i) {
    const double one = low + (high - low) / 3, two = high - (high - low) / 3;
    if (PointDistance(p + (q - p) * one, a, b) < PointDistance(p + (q - p) * two, a, b))
      high = two;
    else
      low = one;
  }
  return PointDistance(p + (q - p) * ((low + high) / 2), a, b);
}

double DepthOf(const Scene& scene, const std::vector<float>& rotations, int frame) {
  const ModelPose pose = PoseOf(scene, rotations, frame);
  const Chain& chain = scene.rig->chains()[0];
  double depth = 0;
  for (size_t k = 0; k < chain.driven.size(); ++k) {
    const auto j = static_cast<size_t>(chain.driven[k]);
    const Vec3d p = pose.positions[j];
    const Vec3d q = p + Rotate(pose.rotations[j], Cast<double>(chain.bones[k]));
    for (const Collider& collider : scene.rig->colliders()) {
      if (Ignores(*scene.rig, collider)) continue;
      const auto c = static_cast<size_t>(collider.joint);
      const auto at = [&](Vec3f v) {
        return pose.positions[c] + Rotate(pose.rotations[c], Cast<double>(v));
      };
      const double distance =
          SegmentDistance(p, q, at(collider.a), at(collider.b.value_or(collider.a)));
      depth = std::max(depth, static_cast<double>(collider.radius) + collider.skin - distance);
    }
  }
  return depth;
}

RigSpec RandomColliderChain(Random& random, int bones, const std::string& solver, bool limits) {
  RigSpec chain = RandomChain(random, bones, solver, limits);
  RigSpec spec;
  spec.joints.push_back({"base", -1, {}, {}, {}});
  for (Joint joint : chain.joints) {
    ++joint.parent;
    spec.joints.push_back(joint);
  }
  spec.joints[1].offset = RandomUnit(random) * 0.3f;
  spec.limits.resize(spec.joints.size());
  std::copy(chain.limits.begin(), chain.limits.end(), spec.limits.begin() + 1);
  spec.chains = chain.chains;
  spec.chains[0].root_joint = 1;
  spec.chains[0].end_joint = bones + 1;
  float length = 0;
  for (int i = 2; i <= bones + 1; ++i) length += Length(spec.joints[i].offset);
  const int count = 1 + static_cast<int>(random() % 5);
  while (static_cast<int>(spec.colliders.size()) < count) {
    Collider collider;
    collider.radius = length * Uniform(random, 0.06f, 0.25f);
    collider.skin = random() % 2 == 0 ? 0 : 0.02f * length;
    const Vec3f root = spec.joints[1].offset;
    collider.a = root + RandomUnit(random) * (length * Uniform(random, 0.3f, 0.8f));
    if (random() % 2 == 0) collider.b = collider.a + RandomUnit(random) * (0.4f * length);
    const double distance = PointDistance(Cast<double>(root), Cast<double>(collider.a),
                                          Cast<double>(collider.b.value_or(collider.a)));
    if (distance > collider.radius + collider.skin + 0.02f * length)
      spec.colliders.push_back(collider);
  }
  return spec;
}

std::vector<Quatf> FreePose(Random& random, const Scene& scene, Quatf base, Vec3f root,
                            float max_angle, int tries) {
  for (int i = 0; i < tries; ++i) {
    Scene one{scene.rig, {}, {}, {}, {}, {}, {}};
    std::vector<Quatf> pose = RandomPose(random, *scene.rig, max_angle);
    pose[0] = base;
    one.Add(pose, root);
    if (DepthOf(one, one.rotations, 0) == 0) return pose;
  }
  return {};
}

}  // namespace ikstream
