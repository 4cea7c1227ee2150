// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "unit/terrain/place_fixtures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace ikstream::testing {
namespace {

Vec3f Scaled(Vec3d v, double scale) { return Cast<float>(v * scale); }

// The samples of one batch under one foot.
struct FootArrays {
  std::vector<float> heel, toe, normals, velocities;
  std::unique_ptr<bool[]> hits;
  std::vector<std::int32_t> platforms;

  SampleTrack Track(const std::vector<float>& positions) const {
    return {positions, {hits.get(), platforms.size()}, normals, velocities, platforms};
  }
};

Vec3d OnPlane(const TerrainHit& plane, Vec3d at, bool level) {
  const Vec3d normal = level ? Vec3d{0, 1, 0} : plane.normal;
  const double off = Dot(at - plane.point, normal) / normal.y;
  return std::abs(normal.y) > 1e-3 ? at - Vec3d{0, off, 0} : plane.point;
}

void Append(std::vector<float>& list, Vec3d v) {
  for (double x : {v.x, v.y, v.z}) list.push_back(static_cast<float>(x));
}

FootArrays Sample(const Clip& clip, const PlaceSetup& setup, int leg, int begin, int end) {
  const Body& body = *clip.body;
  FootArrays out;
  out.hits = std::make_unique<bool[]>(end - begin);
  for (int f = begin; f < end; ++f) {
    const auto plane = setup.ground(f, leg);
    const ModelPose pose = clip.Pose(f);
    const TerrainHit hit = plane.value_or(TerrainHit{{}, {0, 1, 0}, -1, {}});
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

}  // namespace

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

Placed Place(const Body& body, const Clip& clip, const PlaceSetup& setup) {
  auto placer = Placer::Create(body.spec);
  EXPECT_TRUE(placer.ok()) << placer.status();
  const int legs = body.shape().legs, frames = clip.frames;
  Placed out{&body, clip.roots, clip.rotations, std::vector<float>(frames), {}, {}, {}};
  out.weights.assign(legs, std::vector<float>(frames, -1));
  out.residuals = out.weights;
  out.contacts.assign(legs, std::vector<int>(frames));
  for (int begin = 0; begin < frames; begin += setup.batch) {
    const int end = std::min(frames, begin + std::min(setup.batch, frames));
    const auto contacts = std::make_unique<bool[]>(legs * (end - begin));
    std::vector<FootArrays> arrays;
    std::vector<PlaceFootInput> feet;
    std::vector<PlaceFootOutput> results;
    for (int leg = 0; leg < legs; ++leg) {
      if (setup.ground) arrays.push_back(Sample(clip, setup, leg, begin, end));
      results.push_back({&out.weights[leg][begin], &contacts[leg * (end - begin)],
                         &out.residuals[leg][begin]});
    }
    for (const FootArrays& a : arrays)
      feet.push_back({a.Track(a.heel), a.toe.empty() ? SampleTrack{} : a.Track(a.toe), {}});
    std::vector<std::vector<float>> places, turns;
    for (size_t p = 0; p < (setup.platforms.empty() ? 0 : setup.platforms[0].size()); ++p) {
      places.emplace_back();
      turns.emplace_back();
      for (int f = begin; f < end; ++f) {
        const RigidPose& pose = setup.platforms[f][p];
        Append(places[p], pose.position);
        for (double x : {pose.rotation.x, pose.rotation.y, pose.rotation.z, pose.rotation.w})
          turns[p].push_back(static_cast<float>(x));
      }
    }
    std::vector<PlatformTrack> platforms;
    for (size_t p = 0; p < places.size(); ++p)
      platforms.push_back({{places[p].data(), 3}, {turns[p].data(), 4}});
    const size_t at = 4 * static_cast<size_t>(begin) * body.joints();
    (*placer)->Place(
        {{end - begin, &clip.roots[3 * begin], &clip.rotations[at], nullptr}, platforms, feet},
        {&out.roots[3 * begin], nullptr, &out.rotations[at], &out.pelvis[begin], results});
    for (int leg = 0; leg < legs; ++leg)
      for (int f = begin; f < end; ++f)
        out.contacts[leg][f] = contacts[leg * (end - begin) + f - begin];
  }
  return out;
}

std::shared_ptr<const Terrain> Floor(double height, std::string platform) {
  return *Terrain::Create(
      PlaneTerrain({0, static_cast<float>(height), 0}, {0, 1, 0}, std::move(platform)),
      UpAxis::kY);
}

}  // namespace ikstream::testing
