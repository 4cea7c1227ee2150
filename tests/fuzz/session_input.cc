// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "fuzz/session_input.h"

#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"

namespace ikstream::fuzz {
namespace {

using google::protobuf::RepeatedField;

void Set(v1::Vec3& out, Vec3f v) { out.set_x(v.x), out.set_y(v.y), out.set_z(v.z); }

void AddJoint(v1::Skeleton& skeleton, const std::string& name, int parent, Vec3f offset) {
  v1::Joint& joint = *skeleton.add_joints();
  joint.set_name(name);
  if (parent != -1) joint.set_parent(parent);
  Set(*joint.mutable_offset(), offset);
}

// Half angles of the left leg's hip and knee; the other leg goes the other way.
struct Gait {
  float step, knee, slide, rate, sway;
};

void AddPose(const Gait& gait, int frame, v1::Motion& motion, int toes) {
  const float phase = static_cast<float>(frame) * gait.rate;
  const float swing = gait.step * std::sin(phase);
  motion.add_root_positions(gait.sway * std::sin(0.5f * phase));
  motion.add_root_positions(0.82f - 0.05f * gait.knee * std::cos(phase));
  motion.add_root_positions(gait.slide * static_cast<float>(frame));
  const auto turn = [&](float half) {
    for (float v : {std::sin(half), 0.0f, 0.0f, std::cos(half)}) motion.add_local_rotations(v);
  };
  turn(0);
  for (float side : {1.0f, -1.0f}) {
    const float bend = 0.1f + gait.knee * std::max(0.0f, side * std::cos(phase));
    turn(side * swing - bend / 2), turn(bend), turn(-bend / 2);
    for (int i = 0; i < toes; ++i) turn(0);
  }
}

void AddGround(Bytes& bytes, v1::Terrain& terrain) {
  const int kind = bytes.Range(0, 2);
  if (kind == 0) {
    Set(*terrain.add_planes()->mutable_normal(), {bytes.Share() * 0.3f, 1, 0});
  } else if (kind == 1) {
    v1::HeightField& field = *terrain.add_height_fields();
    Set(*field.mutable_origin(), {-2, 0, -2});
    field.set_count_i(5), field.set_count_j(5);
    field.set_cell_i(1), field.set_cell_j(1);
    for (int i = 0; i < 25; ++i) field.add_heights(0.05f * bytes.Share());
  } else {
    v1::TriangleMesh& mesh = *terrain.add_meshes();
    for (float v : {-5.0f, 0.0f, -5.0f, -5.0f, 0.0f, 5.0f, 5.0f, 0.1f, 5.0f, 5.0f, 0.0f, -5.0f})
      mesh.add_positions(v);
    for (int v : {0, 1, 2, 0, 2, 3}) mesh.add_triangles(v);
    if (bytes.Coin()) mesh.set_platform("lift");
  }
}

}  // namespace

CallInput DecodeClip(Bytes& bytes) {
  CallInput call;
  v1::Setup& setup = call.setup;
  setup.set_frames_per_second(bytes.Range(10, 60));
  v1::Rig& rig = *setup.mutable_rig();
  rig.set_find_feet(true);
  v1::Skeleton& s = *rig.mutable_skeleton();
  AddJoint(s, "Hips", -1, {0, 0.9f, 0});
  const int toes = bytes.Coin() ? 1 : 0;
  for (const char* side : {"Left", "Right"}) {
    const int hip = s.joints_size();
    AddJoint(s, absl::StrCat(side, "UpLeg"), 0, {side[0] == 'L' ? 0.1f : -0.1f, 0, 0});
    AddJoint(s, absl::StrCat(side, "Leg"), hip, {0, -0.42f, 0});
    AddJoint(s, absl::StrCat(side, "Foot"), hip + 1, {0, -0.40f, 0});
    if (toes) AddJoint(s, absl::StrCat(side, "Toe"), hip + 2, {0, -0.05f, 0.12f});
  }
  call.frames = bytes.Range(1, 90);
  const Gait gait{0.3f * bytes.Share(), 0.5f * std::abs(bytes.Share()), 0.03f * bytes.Share(),
                  0.3f * bytes.Share(), 0.05f * bytes.Share()};
  for (int f = 0; f < call.frames; ++f) AddPose(gait, f, call.motion, toes);
  if (bytes.Rarely(3)) AddGround(bytes, *rig.mutable_terrain());
  if (bytes.Rarely(4)) setup.set_lead_in(bytes.Range(0, 8));
  if (bytes.Rarely(4)) setup.set_lead_out(bytes.Range(0, 8));
  setup.set_frame_count(std::max(1, call.frames - setup.lead_in() - setup.lead_out()));
  return call;
}

namespace {

// Values of frames [first, first + count), where there are `size` values per frame.
template <class T>
void Cut(const RepeatedField<T>& in, int frames, int first, int count, RepeatedField<T>& out) {
  const int size = frames > 0 ? in.size() / frames : 0;
  if (size == 0 || in.size() != size * frames) {
    out = in;
    return;
  }
  out.Clear();
  out.Add(in.begin() + size * first, in.begin() + size * (first + count));
}

}  // namespace

v1::Motion Part(const v1::Motion& in, int frames, int first, int count) {
  v1::Motion out = in;
  const auto cut = [&](const RepeatedField<float>& from, RepeatedField<float>* to) {
    Cut(from, frames, first, count, *to);
  };
  cut(in.root_positions(), out.mutable_root_positions());
  cut(in.local_rotations(), out.mutable_local_rotations());
  cut(in.local_translations(), out.mutable_local_translations());
  for (int i = 0; i < in.targets_size(); ++i) {
    const v1::TargetTrack& from = in.targets(i);
    v1::TargetTrack& to = *out.mutable_targets(i);
    // A single value holds for every frame, unless there is one frame only.
    if (from.positions_size() != 3) cut(from.positions(), to.mutable_positions());
    if (from.rotations_size() != 4) cut(from.rotations(), to.mutable_rotations());
    if (from.weights_size() != 1) cut(from.weights(), to.mutable_weights());
    if (from.poles_size() != 3) cut(from.poles(), to.mutable_poles());
  }
  for (int i = 0; i < in.platforms_size(); ++i) {
    cut(in.platforms(i).positions(), out.mutable_platforms(i)->mutable_positions());
    cut(in.platforms(i).rotations(), out.mutable_platforms(i)->mutable_rotations());
  }
  return out;
}

}  // namespace ikstream::fuzz
