// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cli/clean_run.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/clip_ground.h"
#include "cli/console.h"
#include "cli/files.h"
#include "cli/json.h"
#include "cli/progress.h"
#include "cli/quality_table.h"
#include "cli/report.h"

namespace ikstream::cli {
namespace {

namespace fs = std::filesystem;

// A server has its own workers and queue; a few clips under way keep it busy.
constexpr int kJobsOverNetwork = 4;
// Lines of the table at the end.
constexpr std::size_t kWorstClips = 20;

absl::Status MakeFolderOf(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  std::error_code error;
  if (!folder.empty()) fs::create_directories(folder, error);
  return error ? FileError(absl::StrCat(folder.string(), ": ", error.message()))
               : absl::OkStatus();
}

// The state of a run over many clips, shared by its threads.
class Run {
 public:
  Run(const Context& context, client::Engine& engine, const ClipRequest& request,
      const std::vector<CleanJob>& jobs, const std::string& version,
      const CleanRunOptions& options)
      : context_(context),
        engine_(engine),
        request_(request),
        jobs_(jobs),
        version_(version),
        options_(options),
        progress_(!options.quiet) {}

  ExitCode Execute() {
    progress_.AddTotal(static_cast<std::int64_t>(jobs_.size()));
    std::vector<std::thread> threads;
    threads.reserve(Threads());
    for (int i = 0; i < Threads(); ++i) threads.emplace_back([this]() { Work(); });
    for (std::thread& thread : threads) thread.join();
    return Conclude();
  }

 private:
  int Threads() const {
    const int fitting =
        engine_.name() == "in-process"
            ? static_cast<int>(std::max(std::thread::hardware_concurrency(), 1u))
            : kJobsOverNetwork;
    const int wanted = options_.jobs > 0 ? options_.jobs : fitting;
    return std::min(wanted, static_cast<int>(jobs_.size()));
  }

  void Work() {
    while (!context_.cancellation->cancelled()) {
      const std::size_t next = next_++;
      if (next >= jobs_.size()) return;
      Settle(jobs_[next], CleanOne(jobs_[next]));
    }
  }

  // Nothing where the clip is done already.
  absl::StatusOr<std::optional<CleanReport>> CleanOne(const CleanJob& job) {
    const auto own = WithGroundBeside(request_, job.input);
    if (!own.ok()) return own.status();
    if (!options_.force) {
      auto done = IsJobDone(*own, job, version_, options_.in_place);
      if (!done.ok()) return done.status();
      if (*done) return std::nullopt;
    }
    if (absl::Status status = MakeFolderOf(job.output); !status.ok()) return status;
    PassContext pass = Pass(context_, engine_, job.input, options_, progress_);
    pass.progress = nullptr;  // the bar counts clips
    return CleanClip(pass, *own, job, version_);
  }

  void Settle(const CleanJob& job, const absl::StatusOr<std::optional<CleanReport>>& result) {
    const bool interrupted = !result.ok() && context_.cancellation->cancelled();
    std::string line;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      codes_.push_back(ExitCodeFor(result.status()));
      if (!result.ok() && !interrupted) {
        failures_.push_back(Describe(job.input, result.status()));
      }
      if (result.ok() && !result->has_value()) ++skipped_;
      if (result.ok() && result->has_value()) {
        ++cleaned_;
        const v1::QualityReport& quality = (*result)->quality();
        figures_.push_back({job.input, Badness(quality), QualityLine(quality)});
      }
      line = absl::StrCat(codes_.size(), " of ", jobs_.size(), " clips");
    }
    Tell(job, result, interrupted);
    progress_.SetText(line);
    progress_.Add(1);
  }

  void Tell(const CleanJob& job, const absl::StatusOr<std::optional<CleanReport>>& result,
            bool interrupted) {
    if (!result.ok()) {
      if (!interrupted) Fail(job.input, result.status());
      return;
    }
    if (!result->has_value()) {
      if (!options_.quiet) Note(absl::StrCat(job.input, ": done already, skipped"));
      return;
    }
    const CleanReport& report = **result;
    if (!options_.quiet) NoteReport(report);
    if (options_.json) {
      KeepPrintError(Print(ToJson(report, JsonStyle::kOneLine, /*zeros=*/true)));
    } else if (!options_.quiet) {
      KeepPrintError(Print(absl::StrCat(job.input, ": ", QualityLine(report.quality()), "\n")));
    }
  }

  void KeepPrintError(const absl::Status& status) {
    std::lock_guard<std::mutex> lock(mutex_);
    printed_.Update(status);
  }

  ExitCode Conclude() {
    if (context_.cancellation->cancelled()) {
      Note(absl::StrFormat("ikstream: interrupted: %d of %d clips cleaned, %d done before",
                           cleaned_, jobs_.size(), skipped_));
      return kInterrupted;
    }
    std::sort(failures_.begin(), failures_.end());
    if (!options_.quiet && !options_.json && figures_.size() > 1)
      Note(WorstClips(std::move(figures_), kWorstClips));
    if (!options_.quiet || !failures_.empty()) {
      Note(absl::StrFormat("ikstream: %d clips: %d cleaned, %d done before, %d failed",
                           jobs_.size(), cleaned_, skipped_, failures_.size()));
    }
    for (const std::string& failure : failures_) Note(absl::StrCat("  failed: ", failure));
    return printed_.ok() ? ExitCodeForAll(codes_) : Fail("", printed_);
  }

  const Context& context_;
  client::Engine& engine_;
  const ClipRequest& request_;
  const std::vector<CleanJob>& jobs_;
  const std::string& version_;
  const CleanRunOptions& options_;
  Progress progress_;
  std::atomic<std::size_t> next_{0};

  std::mutex mutex_;
  std::vector<ExitCode> codes_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::string> failures_ ABSL_GUARDED_BY(mutex_);
  std::vector<ClipFigures> figures_ ABSL_GUARDED_BY(mutex_);
  int cleaned_ ABSL_GUARDED_BY(mutex_) = 0;
  int skipped_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Status printed_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

absl::StatusOr<bool> IsJobDone(const ClipRequest& request, const CleanJob& job,
                               const std::string& version, bool in_place) {
  auto input = Sha256OfFile(job.input);
  if (!input.ok()) return input.status();
  std::string plan;
  if (!job.plan.empty()) {
    auto hash = Sha256OfFile(job.plan);
    if (!hash.ok()) return hash.status();
    plan = *hash;
  }
  return IsDone(job.report, job.output, MakeKey(request, version, *input, plan), in_place);
}

ExitCode RunMany(const Context& context, client::Engine& engine, const ClipRequest& request,
                 const std::vector<CleanJob>& jobs, const std::string& version,
                 const CleanRunOptions& options) {
  return Run(context, engine, request, jobs, version, options).Execute();
}

}  // namespace ikstream::cli
