// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Small messages for tests: a straight leg, hip (0,0,0), knee (0,-0.5,0), ankle (0,-1,0).
#pragma once

#include <array>

#include "ikstream/v1/service.pb.h"

namespace ikstream::testing {

inline v1::Joint MakeJoint(const char* name, int parent, std::array<float, 3> offset) {
  v1::Joint joint;
  joint.set_name(name);
  if (parent >= 0) joint.set_parent(parent);
  joint.mutable_offset()->set_x(offset[0]);
  joint.mutable_offset()->set_y(offset[1]);
  joint.mutable_offset()->set_z(offset[2]);
  return joint;
}

inline v1::Setup LegSetup() {
  v1::Setup setup;
  v1::Rig& rig = *setup.mutable_rig();
  *rig.mutable_skeleton()->add_joints() = MakeJoint("hip", -1, {0, 0, 0});
  *rig.mutable_skeleton()->add_joints() = MakeJoint("knee", 0, {0, -0.5f, 0});
  *rig.mutable_skeleton()->add_joints() = MakeJoint("ankle", 1, {0, -0.5f, 0});
  v1::Chain& chain = *rig.add_chains();
  chain.set_name("leg");
  chain.set_root_joint(0);
  chain.set_end_joint(2);
  chain.mutable_pole()->set_kind(v1::Pole::KIND_DIRECTION);
  chain.mutable_pole()->mutable_value()->set_z(1);
  return setup;
}

// Frames of the straight leg, all with the same target where one is given.
inline v1::Motion LegMotion(int frames, std::array<float, 3> target = {0, -0.8f, 0}) {
  v1::Motion motion;
  for (int f = 0; f < frames; ++f) {
    for (int k = 0; k < 3; ++k) motion.add_root_positions(0);
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 4; ++k) motion.add_local_rotations(k == 3 ? 1.0f : 0.0f);
  }
  v1::TargetTrack& track = *motion.add_targets();
  for (float v : target) track.add_positions(v);
  return motion;
}

}  // namespace ikstream::testing
