// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/clean_run.h"
#include "cli/clip_notes.h"
#include "cli/console.h"

namespace ikstream::cli {

PassContext Pass(const Context& context, client::Engine& engine, const std::string& clip,
                 const CleanRunOptions& options, Progress& progress) {
  PassContext pass;
  pass.engine = &engine;
  pass.cancellation = context.cancellation;
  pass.retry.max_attempts = options.retries + 1;
  pass.retry.on_retry = [clip, quiet = options.quiet](const absl::Status& status,
                                                      absl::Duration delay) {
    if (quiet) return;
    Note(absl::StrFormat("ikstream: %s: %s; starting it over in %.1f s", clip, Describe(status),
                         absl::ToDoubleSeconds(delay)));
  };
  pass.progress = [&progress](std::int64_t frames) { progress.Add(frames); };
  return pass;
}

void NoteReport(const CleanReport& report) {
  NoteObeyed(report.input(), report.sidecars());
  for (const std::string& warning : report.file_warnings())
    Note(absl::StrCat("ikstream: warning: ", warning));
  NoteWarnings(report.input(), report.warnings());
}

}  // namespace ikstream::cli
