// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Ground that the caller measured under one point of a foot, for the frames of a batch. The
// plain form of ikstream.v1.FootSamples. Rig units, the space of root_positions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "terrain/terrain.h"

namespace ikstream {

// Each list holds values for one frame (for the whole batch) or for F frames. The caller keeps
// the memory.
struct SampleTrack {
  std::span<const float> positions;         // 3 per frame. Empty: no ground was measured
  std::span<const bool> hits;               // 1 per frame. Empty: all hit
  std::span<const float> normals;           // 3 per frame. Empty or zero: up
  std::span<const float> velocities;        // 3 per frame, rig units per second. Empty: rest
  std::span<const std::int32_t> platforms;  // 1 per frame: a platform's number, -1: none

  bool given() const { return !positions.empty() || !hits.empty(); }
};

// What was measured under the two points of one foot.
struct SampledFoot {
  SampleTrack heel, toe;

  bool given() const { return heel.given() || toe.given(); }
};

// `track` from frame `begin` on, `count` frames.
SampleTrack SliceOf(const SampleTrack& track, int begin, int count);

// OK, or INVALID_ARGUMENT naming `positions`, `normals[7]` and so on: sizes that fit neither
// one frame nor `frames`, platforms out of [-1, platform_count), values that are not finite in
// a frame that hit. Errors of one frame carry it (FrameOf), counted from `first_frame`. Zero
// normals are told in `warnings`, once with their count.
absl::Status CheckSamples(const SampleTrack& track, int frames, int platform_count,
                          std::int64_t first_frame, std::vector<TerrainWarning>& warnings);

// The ground of a frame; none where the sample missed. REQUIRES: CheckSamples found no fault.
std::optional<GroundHit> SampleAt(const SampleTrack& track, int frame, Vec3d up);

}  // namespace ikstream
