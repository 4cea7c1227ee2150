// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The same Place() as unit/terrain/place_by_placer.cc, by messages of a SolveStream: the cases
// of foot placement are compiled a second time, for the wire.
#include <gtest/gtest.h>

#include <algorithm>
#include <variant>

#include "session/session.h"
#include "unit/session/place_call.h"

namespace ikstream::testing {
namespace {

v1::Vec3 Wire(Vec3f v) {
  v1::Vec3 out;
  out.set_x(v.x), out.set_y(v.y), out.set_z(v.z);
  return out;
}

void Add(google::protobuf::RepeatedField<float>& to, const std::vector<float>& from) {
  to.Add(from.begin(), from.end());
}

void AddTerrain(const TerrainSpec& spec, v1::Terrain& out) {
  for (const auto& plane : spec.planes) {
    v1::Plane& to = *out.add_planes();
    *to.mutable_point() = Wire(plane.point);
    *to.mutable_normal() = Wire(plane.normal);
    to.set_platform(plane.platform);
  }
  for (const auto& mesh : spec.meshes) {
    v1::TriangleMesh& to = *out.add_meshes();
    Add(*to.mutable_positions(), mesh.positions);
    to.mutable_triangles()->Add(mesh.triangles.begin(), mesh.triangles.end());
    to.set_platform(mesh.platform);
  }
}

void AddFoot(const PlaceFoot& foot, v1::Foot& out) {
  out.set_hip_joint(foot.hip_joint);
  out.set_ankle_joint(foot.ankle_joint);
  if (foot.knee_joint) out.set_knee_joint(*foot.knee_joint);
  if (foot.toe_joint) out.set_toe_joint(*foot.toe_joint);
  out.set_solver(foot.solver);
  out.set_sole_radius_m(foot.sole_radius_m);
}

void AddLimits(const RigSpec& spec, v1::Rig& out) {
  for (std::size_t j = 0; j < spec.limits.size(); ++j) {
    const auto* hinge = std::get_if<HingeLimit>(&spec.limits[j]);
    if (hinge == nullptr) continue;
    v1::JointLimit& to = *out.add_limits();
    to.set_joint(static_cast<int>(j));
    *to.mutable_hinge()->mutable_axis() = Wire(hinge->axis);
    to.mutable_hinge()->set_min_rad(hinge->min);
    to.mutable_hinge()->set_max_rad(hinge->max);
  }
}

void AddSamples(const FootArrays& from, const std::vector<float>& positions, int foot,
                v1::FootSamples::Point point, v1::Motion& out) {
  v1::FootSamples& to = *out.add_samples();
  to.set_foot(foot);
  to.set_point(point);
  Add(*to.mutable_positions(), positions);
  Add(*to.mutable_normals(), from.normals);
  Add(*to.mutable_velocities(), from.velocities);
  to.mutable_hits()->Add(from.hits.get(), from.hits.get() + from.platforms.size());
  to.mutable_platforms()->Add(from.platforms.begin(), from.platforms.end());
}

// Puts a reply's frames into `out`. `joints`: those of local_rotations.
void Take(const v1::MotionResult& in, const std::vector<int>& joints, Placed& out) {
  const auto count = static_cast<std::size_t>(out.body->joints());
  const auto first = static_cast<std::size_t>(in.first_frame());
  std::copy(in.root_positions().begin(), in.root_positions().end(), &out.roots[3 * first]);
  for (int f = 0; f < in.frame_count(); ++f)
    for (std::size_t k = 0; k < joints.size(); ++k)
      std::copy_n(in.local_rotations().data() + 4 * (f * joints.size() + k), 4,
                  &out.rotations[4 * ((first + f) * count + joints[k])]);
  for (int leg = 0; leg < in.feet_size(); ++leg) {
    const v1::FootResult& foot = in.feet(leg);
    std::copy(foot.weights().begin(), foot.weights().end(), &out.weights[leg][first]);
    std::copy(foot.residuals().begin(), foot.residuals().end(), &out.residuals[leg][first]);
    std::copy(foot.contacts().begin(), foot.contacts().end(), &out.contacts[leg][first]);
    if (leg == 0)
      std::copy(foot.pelvis_offsets().begin(), foot.pelvis_offsets().end(), &out.pelvis[first]);
  }
}

}  // namespace

v1::Setup PlaceSetupFor(const Body& body) {
  v1::Setup setup;
  setup.set_mode(v1::MODE_PLACE);
  setup.set_frames_per_second(body.spec.frames_per_second);
  v1::Rig& rig = *setup.mutable_rig();
  for (const Joint& joint : body.spec.rig.joints) {
    v1::Joint& to = *rig.mutable_skeleton()->add_joints();
    to.set_name(joint.name);
    if (joint.parent >= 0) to.set_parent(joint.parent);
    *to.mutable_offset() = Wire(joint.offset);
    if (joint.tip) *to.mutable_tip() = Wire(*joint.tip);
  }
  rig.set_up(body.spec.rig.up == UpAxis::kZ ? v1::UP_AXIS_Z : v1::UP_AXIS_Y);
  if (body.spec.units_per_metre)
    rig.set_units_per_metre(static_cast<float>(*body.spec.units_per_metre));
  for (const PlaceFoot& foot : body.spec.feet) AddFoot(foot, *rig.add_feet());
  AddLimits(body.spec.rig, rig);
  if (body.ground) AddTerrain(*body.ground, *rig.mutable_terrain());
  const PlaceSettings usual;
  if (body.spec.settings.max_tilt != usual.max_tilt)
    setup.mutable_cleanup()->mutable_sole()->set_max_tilt_rad(
        static_cast<float>(body.spec.settings.max_tilt));
  return setup;
}

v1::Motion PlaceMotionFor(const Body& body, const Clip& clip, const PlaceSetup& setup,
                          int begin, int end) {
  v1::Motion motion;
  const auto slice = [&](const std::vector<float>& from, int width, auto& to) {
    to.Add(from.begin() + width * begin, from.begin() + width * end);
  };
  slice(clip.roots, 3, *motion.mutable_root_positions());
  slice(clip.rotations, 4 * body.joints(), *motion.mutable_local_rotations());
  const std::size_t platforms = setup.platforms.empty() ? 0 : setup.platforms[0].size();
  for (std::size_t p = 0; p < platforms; ++p) {
    v1::PlatformTrack& track = *motion.add_platforms();
    track.set_id(p == 0 ? "ferry" : "other");
    for (int f = begin; f < end; ++f) {
      const RigidPose& pose = setup.platforms[f][p];
      for (double x : {pose.position.x, pose.position.y, pose.position.z})
        track.add_positions(static_cast<float>(x));
      for (double x : {pose.rotation.x, pose.rotation.y, pose.rotation.z, pose.rotation.w})
        track.add_rotations(static_cast<float>(x));
    }
  }
  for (int leg = 0; setup.ground && leg < body.shape().legs; ++leg) {
    const FootArrays arrays = Sample(clip, setup, leg, begin, end);
    AddSamples(arrays, arrays.heel, leg, v1::FootSamples::POINT_HEEL, motion);
    if (!arrays.toe.empty())
      AddSamples(arrays, arrays.toe, leg, v1::FootSamples::POINT_TOE, motion);
  }
  return motion;
}

Placed Place(const Body& body, const Clip& clip, const PlaceSetup& setup) {
  const int legs = body.shape().legs, frames = clip.frames;
  Placed out{&body, clip.roots, clip.rotations, std::vector<float>(frames), {}, {}, {}};
  out.weights.assign(legs, std::vector<float>(frames, -1));
  out.residuals = out.weights;
  out.contacts.assign(legs, std::vector<int>(frames));
  auto session = Session::Open(PlaceSetupFor(body), Limits{}, CallShape::kStream);
  EXPECT_TRUE(session.ok()) << session.status();
  if (!session.ok()) return out;
  const auto& told = (*session)->ready().driven_joints();
  const std::vector<int> joints(told.begin(), told.end());
  const Stop never;
  Session::Replies replies;
  for (int begin = 0; begin < frames; begin += setup.batch) {
    const int end = std::min(frames, begin + std::min(setup.batch, frames));
    const auto status =
        (*session)->Push(PlaceMotionFor(body, clip, setup, begin, end), never, replies);
    EXPECT_TRUE(status.ok()) << status;
  }
  EXPECT_TRUE((*session)->Finish(never, replies).ok());
  std::int64_t answered = 0;
  for (const Session::Reply& reply : replies) {
    if (!reply.has_motion()) continue;
    EXPECT_EQ(reply.motion().first_frame(), answered);
    answered += reply.motion().frame_count();
    Take(reply.motion(), joints, out);
  }
  EXPECT_EQ(answered, frames);
  return out;
}

}  // namespace ikstream::testing
