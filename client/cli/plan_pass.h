// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The first of the two passes over a clip: frames in, plan out.
#pragma once

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "cli/clip_file.h"
#include "cli/clip_options.h"
#include "cli/span.h"
#include "cpp/clip_call.h"

namespace ikstream::cli {

// What both passes need of the program.
struct PassContext {
  client::Engine* engine = nullptr;
  client::Cancellation* cancellation = nullptr;
  client::RetryPolicy retry;
  std::function<void(std::int64_t)> progress;  // frames sent; may be empty
};

// What the engine would do with a clip, asked without sending frames: its feet, and in mode
// CLEAN its lag.
absl::StatusOr<v1::StreamReady> Probe(const PassContext& context, v1::Mode mode,
                                      const v1::Setup& base);

struct PlanResult {
  v1::Plan plan;
  v1::Summary summary;
};

// Frames per batch for ClipCall: as many as fit a message, but in this process no more than
// stay in its caches.
int MostBatchFrames(const client::Engine& engine);

// Adds what a call about `span` needs to `base` (MakeSetup).
v1::Setup SetupFor(v1::Mode mode, const v1::Setup& base, const Span& span);

absl::StatusOr<PlanResult> MakePlan(const PassContext& context, const ClipFile& clip,
                                    const v1::Setup& base, const Span& span);

// A plan as people keep it: JSON from a file, made to fit together (plan_edit.h), which its
// notes tell.
absl::StatusOr<v1::Plan> ReadPlan(const std::string& path);

}  // namespace ikstream::cli
