// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "motion/drift.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace ikstream {
namespace {

// How far each frame slid from the one before, and how many feet told it. Thirteen bytes a
// frame, since clips are long.
struct Steps {
  std::vector<Vec3f> slid;
  std::vector<std::uint8_t> known;
};

Steps StepsOf(std::span<const FootTrack> tracks, std::span<const DetectInput> inputs,
              std::span<const std::vector<Run>> standing) {
  Steps steps;
  steps.slid.resize(static_cast<size_t>(tracks.front().size()));
  steps.known.resize(steps.slid.size());
  for (size_t f = 0; f < tracks.size(); ++f) {
    const FootPoint point = tracks[f].shape().anchor_point();
    const Vec3d up = inputs[f].clip->up_vector();
    for (const Run& run : standing[f])
      for (std::int64_t i = run.begin + 1; i < run.end; ++i) {
        const Vec3d moved = tracks[f].Point(i, point) - tracks[f].Point(i - 1, point);
        Vec3f& slid = steps.slid[static_cast<size_t>(i)];
        slid = slid + Cast<float>(moved - up * Dot(moved, up));
        ++steps.known[static_cast<size_t>(i)];
      }
  }
  return steps;
}

// Fills the steps [begin, end), of which no foot told anything, from those beside them.
void Bridge(Steps& steps, size_t begin, size_t end) {
  const bool before = begin > 0 && steps.known[begin - 1] > 0, after = end < steps.slid.size();
  const Vec3f a = before ? steps.slid[begin - 1] : after ? steps.slid[end] : Vec3f{};
  const Vec3f b = after ? steps.slid[end] : a;
  const auto width = static_cast<float>(end - begin + 1);
  for (size_t i = begin; i < end; ++i)
    steps.slid[i] = a + (b - a) * (static_cast<float>(i - begin + 1) / width);
}

}  // namespace

std::vector<Vec3f> BodyDrift(std::span<const FootTrack> tracks,
                             std::span<const DetectInput> inputs,
                             std::span<const std::vector<Run>> standing) {
  Steps steps = StepsOf(tracks, inputs, standing);
  const size_t count = steps.slid.size();
  for (size_t i = 0; i < count; ++i)
    if (steps.known[i] > 1) steps.slid[i] = steps.slid[i] * (1.0f / steps.known[i]);
  for (size_t i = 0; i < count;) {
    size_t end = i;
    while (end < count && steps.known[end] == 0) ++end;
    if (end > i) Bridge(steps, i, end);
    i = std::max(end, i + 1);
  }
  // From steps to their sum, in place.
  const auto first = static_cast<size_t>(std::max<std::int64_t>(inputs.front().first, 0));
  Vec3d sum;
  for (size_t i = 0; i < count; ++i) {
    if (i > first) sum += Cast<double>(steps.slid[i]);
    steps.slid[i] = Cast<float>(sum);
  }
  return std::move(steps.slid);
}

}  // namespace ikstream
