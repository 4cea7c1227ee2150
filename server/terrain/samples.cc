// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "terrain/samples.h"

#include "absl/strings/str_cat.h"
#include "core/field_error.h"

namespace ikstream {
namespace {

// Where the values of a frame start; one frame's values stand for all.
size_t At(size_t size, size_t width, int frame) {
  return size == width ? 0 : width * static_cast<size_t>(frame);
}

absl::Status CheckSize(absl::string_view field, size_t size, size_t width, int frames,
                       bool may_be_empty) {
  const size_t all = width * static_cast<size_t>(frames);
  if (size == width || size == all || (size == 0 && may_be_empty)) return absl::OkStatus();
  return FieldError(field, absl::StrCat("holds ", size, " values: ", width, " (for all) or ",
                                        all, " (", frames, " frames) are needed"));
}

absl::Status CheckSizes(const SampleTrack& track, int frames) {
  const bool none_hit = track.positions.empty() && track.hits.size() == 1 && !track.hits[0];
  for (const absl::Status& status :
       {CheckSize("hits", track.hits.size(), 1, frames, true),
        CheckSize("positions", track.positions.size(), 3, frames, none_hit),
        CheckSize("normals", track.normals.size(), 3, frames, true),
        CheckSize("velocities", track.velocities.size(), 3, frames, true),
        CheckSize("platforms", track.platforms.size(), 1, frames, true)})
    if (!status.ok()) return status;
  return absl::OkStatus();
}

bool HitAt(const SampleTrack& track, int frame) {
  if (track.positions.empty()) return false;
  return track.hits.empty() || track.hits[At(track.hits.size(), 1, frame)];
}

absl::Status CheckFinite(absl::string_view field, std::span<const float> values, int frame) {
  if (values.empty()) return absl::OkStatus();
  const size_t at = At(values.size(), 3, frame);
  for (size_t k = at; k < at + 3; ++k)
    if (!std::isfinite(values[k]))
      return FieldError(absl::StrCat(field, "[", k, "]"), "is not finite");
  return absl::OkStatus();
}

absl::Status CheckPlatform(const SampleTrack& track, int frame, int count) {
  if (track.platforms.empty()) return absl::OkStatus();
  const size_t at = At(track.platforms.size(), 1, frame);
  const std::int32_t platform = track.platforms[at];
  if (platform >= -1 && platform < count) return absl::OkStatus();
  return FieldError(absl::StrCat("platforms[", at, "]"),
                    absl::StrCat(platform, " is out of range [-1, ", count, ")"));
}

absl::Status CheckFrame(const SampleTrack& track, int frame, int platform_count) {
  for (const absl::Status& status : {CheckFinite("positions", track.positions, frame),
                                     CheckFinite("normals", track.normals, frame),
                                     CheckFinite("velocities", track.velocities, frame),
                                     CheckPlatform(track, frame, platform_count)})
    if (!status.ok()) return status;
  return absl::OkStatus();
}

Vec3d Load(std::span<const float> values, int frame) {
  return ikstream::Cast<double>(LoadVec3(values.data() + At(values.size(), 3, frame)));
}

// The values of frames [begin, begin + count); one frame's values stand for all.
template <class T>
std::span<const T> Part(std::span<const T> values, size_t width, int begin, int count) {
  if (values.size() <= width) return values;
  return values.subspan(width * static_cast<size_t>(begin), width * static_cast<size_t>(count));
}

bool HasDirection(Vec3d v) { return Length(v) > 1e-20; }

}  // namespace

absl::Status CheckSamples(const SampleTrack& track, int frames, int platform_count,
                          std::int64_t first_frame, std::vector<TerrainWarning>& warnings) {
  if (!track.given()) return absl::OkStatus();
  if (absl::Status status = CheckSizes(track, frames); !status.ok()) return status;
  TerrainWarning zero{"normals", "is zero: up is taken", -1, 0};
  for (int frame = 0; frame < frames; ++frame) {
    if (!HitAt(track, frame)) continue;
    if (absl::Status status = CheckFrame(track, frame, platform_count); !status.ok())
      return AtFrame(status, first_frame + frame);
    if (track.normals.empty() || HasDirection(Load(track.normals, frame))) continue;
    if (zero.count++ == 0) zero.frame = first_frame + frame;
  }
  if (zero.count > 0) warnings.push_back(zero);
  return absl::OkStatus();
}

SampleTrack SliceOf(const SampleTrack& track, int begin, int count) {
  return {Part(track.positions, 3, begin, count), Part(track.hits, 1, begin, count),
          Part(track.normals, 3, begin, count), Part(track.velocities, 3, begin, count),
          Part(track.platforms, 1, begin, count)};
}

std::optional<GroundHit> SampleAt(const SampleTrack& track, int frame, Vec3d up) {
  if (!HitAt(track, frame)) return std::nullopt;
  GroundHit hit{Load(track.positions, frame), up, -1, {}};
  if (!track.normals.empty()) hit.normal = NormalizedOr(Load(track.normals, frame), up);
  if (!track.velocities.empty()) hit.velocity = Load(track.velocities, frame);
  if (!track.platforms.empty())
    hit.platform = track.platforms[At(track.platforms.size(), 1, frame)];
  return hit;
}

}  // namespace ikstream
