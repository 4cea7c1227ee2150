// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// A run of `ikstream clean` over its clips: some at a time, none stopped by another's failure.
#pragma once

#include <string>
#include <vector>

#include "cli/clean_clip.h"
#include "cli/command.h"
#include "cli/progress.h"

namespace ikstream::cli {

struct CleanRunOptions {
  int jobs = 0;  // clips at once; 0: as many as fit the engine
  bool force = false;
  bool in_place = false;
  bool quiet = false;
  bool json = false;
  int retries = 8;
};

// What the passes over a clip need; retries are told on the error stream.
PassContext Pass(const Context& context, client::Engine& engine, const std::string& clip,
                 const CleanRunOptions& options, Progress& progress);

// What was obeyed beside the clip, and what was odd.
void NoteReport(const CleanReport& report);

// Whether the report beside a clip's output says that it was cleaned just so, and neither the
// clip, its plan nor the result was touched since.
absl::StatusOr<bool> IsJobDone(const ClipRequest& request, const CleanJob& job,
                               const std::string& version, bool in_place);

// Skips what is done, cleans the rest, prints a line (or a JSON object) for each clip, and
// lists the failures at the end.
ExitCode RunMany(const Context& context, client::Engine& engine, const ClipRequest& request,
                 const std::vector<CleanJob>& jobs, const std::string& version,
                 const CleanRunOptions& options);

// One clip by itself: the whole table. Output "-" writes the clip to stdout, the table to
// stderr.
ExitCode RunSingle(const Context& context, client::Engine& engine, const ClipRequest& request,
                   CleanJob job, const std::string& version, const CleanRunOptions& options);

}  // namespace ikstream::cli
