// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// From bytes to a rig and its motion: valid, or wrong in one place now and then.
#pragma once

#include <vector>

#include "core/rig.h"
#include "core/solve.h"
#include "fuzz/bytes.h"

namespace ikstream::fuzz {

struct ChainTracks {
  std::vector<float> positions, rotations, weights, poles;  // empty: not given; one value; F
};

struct CoreScene {
  int frames = 0;
  std::vector<float> roots, rotations, translations;  // 3 F, 4 J F, 3 T F
  std::vector<ChainTracks> chains;
};

RigSpec DecodeRig(Bytes& bytes);
CoreScene DecodeMotion(Bytes& bytes, const Rig& rig);

// The tracks from frame `first` on.
ChainTargets TargetsOf(const ChainTracks& tracks, int frames, int first);
MotionView MotionOf(const CoreScene& scene, const Rig& rig, int first, int count);

}  // namespace ikstream::fuzz
