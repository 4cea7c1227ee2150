// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Where feet are over a clip, before and after, for plots.
#pragma once

#include <string>
#include <vector>

#include "cli/clip_file.h"
#include "core/math.h"
#include "core/skeleton.h"
#include "cpp/bvh/clip.h"
#include "cpp/bvh/edit.h"

namespace ikstream::cli {

// The point of a foot that is planted: its toe joint, else its ankle joint. Rig units.
struct FootTrack {
  std::string name;
  int joint = 0;
  std::vector<Vec3f> before;
  std::vector<Vec3f> after;
};

class FootTracks {
 public:
  // `clip` outlives it.
  static absl::StatusOr<FootTracks> Create(const ClipFile& clip);

  // Starts over, with these feet.
  void Begin(const google::protobuf::RepeatedPtrField<v1::Foot>& feet);
  // The next frames: the source's, and what is changed in them.
  void Add(bvh::Clip source, const bvh::Edits& edits);

  const std::vector<FootTrack>& feet() const { return feet_; }

 private:
  FootTracks(const ClipFile& clip, Skeleton skeleton);
  void Append(const bvh::Clip& frames, std::vector<Vec3f> FootTrack::*series);

  const ClipFile* clip_;
  Skeleton skeleton_;
  std::vector<FootTrack> feet_;
};

}  // namespace ikstream::cli
