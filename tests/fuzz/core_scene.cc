// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "fuzz/core_scene.h"

#include <algorithm>

namespace ikstream::fuzz {
namespace {

constexpr float kScales[] = {1, 1, 1, 100, 0.01f, 1000, 1e-4f, 1e5f};
constexpr int kMostJoints = 24, kMostFrames = 20;

Joint DecodeJoint(Bytes& bytes, int index, float scale) {
  Joint joint;
  const int kind = bytes.U8();
  // A chain downwards mostly; else a tree; rarely a parent that cannot be.
  joint.parent = index - 1;
  if (kind >= 160) joint.parent = bytes.Range(0, std::max(0, index - 1));
  if (index == 0) joint.parent = -1;
  if (kind == 255) joint.parent = bytes.Range(-2, kMostJoints);
  if (kind % 4 == 0)
    joint.offset = Vec3f{0, kind % 8 == 0 ? -1.0f : 0.5f, 0} * scale;
  else if (kind % 16 != 1)
    joint.offset = bytes.Vector() * scale;
  if (kind % 4 == 3) joint.rest = bytes.Turn();
  if (kind % 8 == 5) joint.tip = bytes.Vector() * scale;
  if (kind == 254) joint.offset.x = bytes.Any();
  return joint;
}

JointLimit DecodeLimit(Bytes& bytes) {
  const int kind = bytes.Range(0, 11);
  if (kind < 4) return {};
  const auto angle = [&](float most) { return most * bytes.Share(); };
  if (kind < 7) {
    HingeLimit limit{bytes.Vector(), angle(3.2f), 0};
    limit.max = limit.min + std::abs(angle(3.2f));
    if (kind == 4) limit.axis = {1, 0, 0};
    return limit;
  }
  if (kind < 10) {
    SwingTwistLimit limit;
    if (kind == 7) limit.twist_axis = bytes.Vector();
    if (kind == 8) limit.swing_axis = bytes.Vector();
    limit.swing_x = std::abs(angle(3.1415926f));
    limit.swing_y = bytes.Coin() ? limit.swing_x : std::abs(angle(3.1415926f));
    limit.twist_min = angle(3.1415926f);
    limit.twist_max = std::min(3.1415926f, limit.twist_min + std::abs(angle(6)));
    return limit;
  }
  const Vec3f min = bytes.Vector() * 3.0f, width = bytes.Vector() * 3.0f;
  return EulerLimit{min, min + Vec3f{std::abs(width.x), std::abs(width.y), std::abs(width.z)}};
}

// What only one solver knows; what it refuses mostly goes.
void DecodeOwnFields(Bytes& bytes, ChainSpec& chain) {
  const bool aim = chain.solver == "aim", body = chain.solver == "body";
  if (!aim && !body) return;
  if (bytes.Rarely(16)) return;
  chain.soft_reach.reset();
  if (aim) {
    chain.pole.kind = PoleKind::kNone;
    chain.keep_end_rotation = false;
    if (bytes.Coin()) chain.aim_axis = bytes.Vector();
    return;
  }
  chain.group.assign(1, bytes.Coin() ? 'a' : 'b');
  chain.effector_weight = std::max(0.01f, std::abs(bytes.Share()));
  chain.closeness = std::abs(bytes.Share());
}

ChainSpec DecodeChain(Bytes& bytes, int joints, float scale) {
  ChainSpec chain;
  const auto solvers = Solvers();
  chain.solver = solvers[static_cast<size_t>(bytes.U8()) % solvers.size()].name;
  chain.root_joint = bytes.Rarely(4) ? bytes.Range(0, joints - 1) : 0;
  chain.end_joint = joints - 1 - (bytes.Rarely(4) ? bytes.Range(0, joints - 1) : 0);
  const int options = bytes.U8();
  if (options & 1) chain.tip_offset = bytes.Vector() * scale;
  if (options & 2) {
    chain.pole.kind = bytes.Coin() ? PoleKind::kPoint : PoleKind::kDirection;
    chain.pole.value = bytes.Vector() * (2 * scale);
    chain.pole.weight = std::abs(bytes.Share());
  }
  if (options & 4) chain.keep_end_rotation = true;
  if (options & 8) chain.rotation_weight = std::abs(bytes.Share());
  if ((options & 48) == 48) {
    SoftReach soft;
    soft.cap = std::max(0.01f, std::abs(bytes.Share()));
    soft.zone = std::max(1e-6f, soft.cap * std::abs(bytes.Share()));
    chain.soft_reach = soft;
  }
  if (options & 64) chain.tolerance = scale * std::abs(bytes.Share()) * 0.1f;
  if (options & 128) chain.max_iterations = bytes.Range(0, 48);
  chain.priority = bytes.Range(0, 2);
  DecodeOwnFields(bytes, chain);
  return chain;
}

void Put(std::vector<float>& out, Vec3f v) { out.insert(out.end(), {v.x, v.y, v.z}); }
void Put(std::vector<float>& out, Quatf q) { out.insert(out.end(), {q.x, q.y, q.z, q.w}); }

// A whole track, one value, or none.
template <class Next>
std::vector<float> DecodeTrack(Bytes& bytes, int frames, const Next& next) {
  std::vector<float> track;
  const int kind = bytes.Range(0, 3);
  const int count = kind == 0 ? 0 : kind == 1 ? 1 : frames;
  for (int f = 0; f < count; ++f) next(track);
  return track;
}

ChainTracks DecodeTracks(Bytes& bytes, const Chain& chain, const CoreScene& scene) {
  ChainTracks tracks;
  const float reach = chain.length;
  const Vec3f root = LoadVec3(scene.roots.data());
  tracks.positions = DecodeTrack(bytes, scene.frames, [&](std::vector<float>& out) {
    const int kind = bytes.U8();
    Vec3f at = bytes.Vector() * reach;
    if (kind >= 192) at = at * 3.0f;
    if (kind >= 224) at = at * 1e-6f;
    if (kind >= 240) at = Vec3f{0, -reach * bytes.Uniform(0, 1.2f), 0};
    Put(out, root + at);
  });
  tracks.rotations = DecodeTrack(bytes, bytes.Rarely(3) ? scene.frames : 0,
                                 [&](std::vector<float>& out) { Put(out, bytes.Turn()); });
  tracks.weights =
      DecodeTrack(bytes, bytes.Rarely(3) ? scene.frames : 0, [&](std::vector<float>& out) {
        out.push_back(std::clamp(bytes.Uniform(-0.5f, 1.5f), 0.0f, 1.0f));
      });
  tracks.poles =
      DecodeTrack(bytes, bytes.Rarely(3) ? scene.frames : 0,
                  [&](std::vector<float>& out) { Put(out, root + bytes.Vector() * reach); });
  return tracks;
}

}  // namespace

RigSpec DecodeRig(Bytes& bytes) {
  RigSpec spec;
  const float scale = kScales[bytes.U8() % std::size(kScales)];
  const int joints = bytes.Range(1, kMostJoints);
  const int options = bytes.U8();
  for (int i = 0; i < joints; ++i) {
    spec.joints.push_back(DecodeJoint(bytes, i, scale));
    if (options & 1) spec.limits.push_back(DecodeLimit(bytes));
    if ((options & 6) == 6) spec.stiffness.push_back(bytes.Uniform(0.01f, 10));
    if ((options & 24) == 24 && bytes.Coin()) spec.translated_joints.push_back(i);
  }
  const int chains = (options & 96) == 96 ? bytes.Range(1, 4) : 1;
  for (int i = 0; i < chains; ++i) spec.chains.push_back(DecodeChain(bytes, joints, scale));
  spec.up = options & 128 ? UpAxis::kZ : UpAxis::kY;
  spec.frames_per_second = 30;
  return spec;
}

CoreScene DecodeMotion(Bytes& bytes, const Rig& rig) {
  CoreScene scene;
  scene.frames = bytes.Range(1, kMostFrames);
  float size = 0;
  for (const Chain& chain : rig.chains()) size = std::max(size, chain.length);
  const Vec3f root = bytes.Rarely(4) ? bytes.Vector() * (10 * size) : Vec3f{};
  const int joints = rig.skeleton().size();
  std::vector<Quatf> pose;
  for (const Joint& joint : rig.skeleton().joints()) pose.push_back(joint.rest);
  for (int f = 0; f < scene.frames; ++f) {
    Put(scene.roots, root);
    // Some joints move from frame to frame; now and then all change their signs.
    for (int moves = f == 0 ? joints : bytes.Range(0, 3); moves > 0; --moves) {
      const auto j = static_cast<size_t>(f == 0 ? joints - moves : bytes.Range(0, joints - 1));
      pose[j] = Normalized(pose[j] * bytes.Turn());
    }
    const bool flip = bytes.Rarely(8);
    for (Quatf& q : pose) Put(scene.rotations, q = flip ? -q : q);
    for (int joint : rig.translated_joints())
      Put(scene.translations, rig.skeleton().joint(joint).offset * (1 + 0.25f * bytes.Share()));
  }
  for (const Chain& chain : rig.chains())
    scene.chains.push_back(DecodeTracks(bytes, chain, scene));
  return scene;
}

namespace {

Track TrackOf(const std::vector<float>& values, int size, int frames, int first) {
  if (values.empty()) return {};
  const int stride =
      frames > 1 && values.size() == static_cast<size_t>(size) * frames ? size : 0;
  return {values.data() + stride * first, stride};
}

}  // namespace

ChainTargets TargetsOf(const ChainTracks& tracks, int frames, int first) {
  return {TrackOf(tracks.positions, 3, frames, first),
          TrackOf(tracks.rotations, 4, frames, first),
          TrackOf(tracks.weights, 1, frames, first), TrackOf(tracks.poles, 3, frames, first)};
}

MotionView MotionOf(const CoreScene& scene, const Rig& rig, int first, int count) {
  const auto moved = static_cast<int>(rig.translated_joints().size());
  return {count, scene.roots.data() + 3 * first,
          scene.rotations.data() + 4 * rig.skeleton().size() * first,
          moved == 0 ? nullptr : scene.translations.data() + 3 * moved * first};
}

}  // namespace ikstream::fuzz
