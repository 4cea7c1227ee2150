// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cli/span.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "cli/exit_code.h"

namespace ikstream::cli {
namespace {

// Rotations that differ by less count as the same pose of a loop: 0.5 degrees.
constexpr double kSamePoseRad = 0.0087;

bool SamePose(const ClipFile& clip, std::span<const double> a, std::span<const double> b) {
  for (const bvh::JointColumns& columns : clip.layout.joints) {
    const auto p = bvh::LocalRotation(columns, a);
    const auto q = bvh::LocalRotation(columns, b);
    if (bvh::AngleBetween({p[0], p[1], p[2], p[3]}, {q[0], q[1], q[2], q[3]}) > kSamePoseRad) {
      return false;
    }
  }
  return true;
}

}  // namespace

absl::StatusOr<Span> MakeSpan(const ClipFile& clip, const ClipRequest& request,
                              std::int64_t lag) {
  Span span{0, clip.frames, 0, 0, request.loop};
  if (request.frames) {
    span.begin = request.frames->begin;
    if (request.frames->end >= 0) span.end = request.frames->end;
    if (span.begin >= span.end || span.end > clip.frames) {
      return UsageError(absl::StrCat("--frames ", span.begin, ":", span.end, ": ", clip.path,
                                     " has frames 0:", clip.frames));
    }
    span.lead_in = std::min(span.begin, lag);
    span.lead_out = std::min(clip.frames - span.end, lag);
  }
  if (request.loop) {
    span.lead_in = std::min(lag, MeasureLoop(clip).frames);
    span.lead_out = span.lead_in;
  }
  return span;
}

LoopStep MeasureLoop(const ClipFile& clip) {
  const auto first = clip.head.row(0);
  const auto last = clip.tail.row(clip.tail.count() - 1);
  LoopStep step;
  const bool repeats = clip.frames > 1 && SamePose(clip, first, last);
  step.frames = repeats ? clip.frames - 1 : clip.frames;
  const auto position = [&](std::span<const double> row) {
    return bvh::LocalPosition(clip.header, clip.layout, 0, row);
  };
  for (int axis = 0; axis < 3; ++axis) {
    step.shift[axis] = position(last)[axis] - position(first)[axis];
    // The step from the last frame to the first of the next round is like the first step.
    if (!repeats && clip.head.count() > 1) {
      step.shift[axis] += position(clip.head.row(1))[axis] - position(first)[axis];
    }
  }
  return step;
}

}  // namespace ikstream::cli
