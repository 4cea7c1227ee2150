// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "fuzz/core_scene.h"

#include <algorithm>

namespace ikstream::fuzz {
namespace {

// More than the widest registers hold, twice where they are narrow.
constexpr int kMostFrames = 20;

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

Track TrackOf(const std::vector<float>& values, int size, int frames, int first) {
  if (values.empty()) return {};
  const int stride =
      frames > 1 && values.size() == static_cast<size_t>(size) * frames ? size : 0;
  return {values.data() + stride * first, stride};
}

}  // namespace

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
