// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Cleans one clip: reads, plans, cleans, writes, reports.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "cli/clip_options.h"
#include "cli/plan_pass.h"
#include "ikstream/cli/report.pb.h"

namespace ikstream::cli {

// One clip of a run. Empty paths: not wanted.
struct CleanJob {
  std::string input;
  std::string output;
  std::string plan;    // obeyed instead of planning
  std::string report;  // written after the output
  std::string plot;
  bool plan_beside = false;  // the plan was not named: it lies beside the input
};

// Two passes over each frame: what PassContext::progress counts.
inline constexpr int kPasses = 2;

// Nothing appears at the job's paths unless it is whole. `request`: of this clip, with the
// ground beside it (clip_ground.h). `version` is the engine's.
absl::StatusOr<CleanReport> CleanClip(const PassContext& context, const ClipRequest& request,
                                      const CleanJob& job, const std::string& version);

// The clip, its setup and the frames that a call is about: what `plan` and `clean` share.
struct PreparedClip {
  ClipFile clip;
  v1::Setup setup;
  Span span;
};
absl::StatusOr<PreparedClip> Prepare(const PassContext& context, const ClipRequest& request,
                                     const std::string& path);

}  // namespace ikstream::cli
