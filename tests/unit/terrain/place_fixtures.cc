// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "unit/terrain/place_fixtures.h"

#include <utility>

namespace ikstream::testing {
namespace {

Vec3f Scaled(Vec3d v, double scale) { return Cast<float>(v * scale); }

Vec3d OnPlane(const GroundHit& plane, Vec3d at, bool level) {
  const Vec3d normal = level ? Vec3d{0, 1, 0} : plane.normal;
  const double off = Dot(at - plane.point, normal) / normal.y;
  return std::abs(normal.y) > 1e-3 ? at - Vec3d{0, off, 0} : plane.point;
}

void Append(std::vector<float>& list, Vec3d v) {
  for (double x : {v.x, v.y, v.z}) list.push_back(static_cast<float>(x));
}

}  // namespace

FootArrays Sample(const Clip& clip, const PlaceSetup& setup, int leg, int begin, int end) {
  const Body& body = *clip.body;
  FootArrays out;
  out.hits = std::make_unique<bool[]>(end - begin);
  for (int f = begin; f < end; ++f) {
    const auto plane = setup.ground(f, leg);
    const ModelPose pose = clip.Pose(f);
    const GroundHit hit = plane.value_or(GroundHit{{}, {0, 1, 0}, -1, {}});
    out.hits[f - begin] = plane.has_value();
    Append(out.heel, OnPlane(hit, pose.positions[body.ankle(leg)], setup.level_points));
    if (body.shape().toes)
      Append(out.toe, OnPlane(hit, pose.positions[body.toe(leg)], setup.level_points));
    Append(out.normals, hit.normal);
    Append(out.velocities, hit.velocity);
    out.platforms.push_back(hit.platform);
  }
  return out;
}

Body::Body(BodyShape shape) : shape_(shape) {
  const double s = shape.scale, bone = leg_length() / 2 / s;
  spec.rig.joints.push_back({"pelvis", -1, {}, {}, {}});
  for (int leg = 0; leg < shape.legs; ++leg) {
    const double side = shape.legs == 1 ? 0 : leg == 0 ? 0.1 : -0.1;
    PlaceFoot foot;
    foot.hip_joint = joints();
    foot.ankle_joint = foot.hip_joint + 2;
    spec.rig.joints.push_back({"hip", 0, Scaled({side, 0, 0}, s), {}, {}});
    spec.rig.joints.push_back({"knee", foot.hip_joint, Scaled({0, -bone, 0}, s), {}, {}});
    spec.rig.joints.push_back({"ankle", foot.hip_joint + 1, Scaled({0, -bone, 0}, s), {}, {}});
    if (shape.toes) {
      foot.toe_joint = joints();
      spec.rig.joints.push_back({"toe",
                                 foot.ankle_joint,
                                 Scaled({0, kToeHeight - kAnkleHeight, 0.15}, s),
                                 {},
                                 Scaled({0, -kToeHeight, 0.06}, s)});
    }
    spec.feet.push_back(foot);
  }
  spec.frames_per_second = 30;
  spec.units_per_metre = s;
}

void Body::StandOn(TerrainSpec terrain) {
  spec.terrain = *Terrain::Create(terrain, spec.rig.up);
  ground = std::move(terrain);
}

ModelPose Body::Pose(const float* root, const float* rotations) const {
  ModelPose pose;
  ForwardKinematics(*Skeleton::Create(spec.rig.joints), {root, rotations, nullptr}, {}, pose);
  return pose;
}

Clip::Clip(const Body& of, int count) : body(&of), frames(count) {
  for (int f = 0; f < frames; ++f) {
    Append(roots, {0, body->shape().scale, 0});
    for (int j = 0; j < body->joints(); ++j)
      for (float x : {0.0f, 0.0f, 0.0f, 1.0f}) rotations.push_back(x);
  }
}

void Clip::SetRotation(int frame, int joint, Quatd rotation) {
  Store(Cast<float>(rotation), &rotations[4 * (frame * body->joints() + joint)]);
}

Quatd Clip::Rotation(int frame, int joint) const {
  return Cast<double>(LoadQuat(&rotations[4 * (frame * body->joints() + joint)]));
}

void Clip::Bend(int frame, int leg, double bend) {
  const Vec3d x{1, 0, 0};
  SetRotation(frame, body->hip(leg), FromAxisAngle(x, -bend));
  SetRotation(frame, body->knee(leg), FromAxisAngle(x, 2 * bend));
  SetRotation(frame, body->ankle(leg), FromAxisAngle(x, -bend));
}

ModelPose Clip::Pose(int frame) const {
  return body->Pose(&roots[3 * frame], &rotations[4 * frame * body->joints()]);
}

ModelPose Placed::Pose(int frame) const {
  return body->Pose(&roots[3 * frame], &rotations[4 * frame * body->joints()]);
}

TerrainSpec Floor(double height, std::string platform) {
  return PlaneTerrain({0, static_cast<float>(height), 0}, {0, 1, 0}, std::move(platform));
}

}  // namespace ikstream::testing
