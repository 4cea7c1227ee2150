// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Which frames of a clip a call is about, and which neighbours it sees as context.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "cli/clip_file.h"
#include "cli/clip_options.h"

namespace ikstream::cli {

// Frames [begin, end) of the file are answered. Before and after them the engine sees `lead_in`
// and `lead_out` frames: the neighbours in the file or, in a loop, those from its other end.
struct Span {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t lead_in = 0;
  std::int64_t lead_out = 0;
  bool loop = false;

  std::int64_t frames() const { return end - begin; }
};

// `lag`: how many neighbours the engine looks at. OUT_OF_RANGE where --frames leaves the clip.
absl::StatusOr<Span> MakeSpan(const ClipFile& clip, const ClipRequest& request,
                              std::int64_t lag);

// A loop's period: its last frame may repeat the first one, and its root may travel.
struct LoopStep {
  std::int64_t frames = 0;      // from one frame to the same one of the next round
  double shift[3] = {0, 0, 0};  // of the root, per round
};
LoopStep MeasureLoop(const ClipFile& clip);

}  // namespace ikstream::cli
