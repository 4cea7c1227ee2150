// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
// `ikstream clean`: clips in, clean clips out.
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/clean_run.h"
#include "cli/clip_ground.h"
#include "cli/clip_list.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/json.h"
#include "cli/report.h"

namespace ikstream::cli {
namespace {

struct Options {
  ClipFlags clip;
  ClipListOptions list;
  CleanRunOptions run;
  std::string shard;
  std::string plan;
  std::string report;
  std::string plot;
  std::string format = "text";
  bool print_settings = false;
  bool dry_run = false;
};

void AddFileFlags(CLI::App& app, Options& options) {
  app.add_option("clips", options.list.inputs,
                 "Clips (.bvh), folders to search for clips, or text files with a path on each "
                 "line");
  app.add_option("-o,--output", options.list.output,
                 "Where the clean clip goes; - for stdout. For several clips a folder, below "
                 "which the tree of the inputs is kept");
  app.add_flag("--in-place", options.list.in_place, "Overwrite the clips");
  app.add_option("--plan", options.plan,
                 "Obey this plan instead of making one (`ikstream plan`). Without it "
                 "NAME.plan.json beside a clip is obeyed where there is one");
  app.add_option(
      "--report", options.report,
      "Write the report, as JSON. With several clips each has one beside its output, "
      "NAME.report.json");
  app.add_option("--plot", options.plot,
                 "Draw the feet's height and speed before and after, as SVG; for one clip");
}

void AddRunFlags(CLI::App& app, Options& options) {
  const std::string group = "Running";
  app.add_option("--jobs", options.run.jobs,
                 "Clips at once; 0: one per core, or 4 with a server")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str()
      ->group(group);
  app.add_option("--shard", options.shard,
                 "I/N: only every N-th of the sorted clips, from the I-th on, I from 0")
      ->group(group);
  app.add_option("--retries", options.run.retries,
                 "How often a clip is started over when the server goes away or is full")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str()
      ->group(group);
  app.add_flag("--force", options.run.force, "Clean again what is done already")->group(group);
  app.add_flag("--dry-run", options.dry_run, "Tell what would be done, do nothing")
      ->group(group);
  app.add_flag("--print-settings", options.print_settings,
               "Print the settings that would be in force, as JSON, and end")
      ->group(group);
  app.add_flag("-q,--quiet", options.run.quiet, "Print errors only")->group(group);
  app.add_option("--format", options.format,
                 "text, or json: the report, for several clips one line each")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str()
      ->group(group);
}

absl::Status SetJobFiles(const Options& options, ClipList& list) {
  const bool one = list.single;
  if (!one && !(options.report.empty() && options.plot.empty() && options.plan.empty())) {
    return UsageError(
        "--plan, --report and --plot are for one clip; several have "
        "NAME.plan.json and NAME.report.json");
  }
  for (CleanJob& job : list.jobs) {
    job.plan = options.plan;
    if (job.plan.empty() && !options.clip.no_sidecars) {
      job.plan = FileBeside(job.input, "plan");
      job.plan_beside = !job.plan.empty();
    }
    job.report = one ? options.report : ReportPath(job.output);
    job.plot = options.plot;
    if (!job.plan.empty() && !options.clip.contacts.empty()) {
      return UsageError(absl::StrCat("--contacts: ", job.input, " is cleaned by the plan ",
                                     job.plan, ", which holds its contacts; edit those"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<ClipList> MakeJobs(Options options) {
  if (!options.shard.empty()) {
    auto shard = ParseShard(options.shard);
    if (!shard.ok()) return shard.status();
    options.list.shard = *shard;
  }
  auto list = ListClips(options.list);
  if (!list.ok()) return list.status();
  if (absl::Status status = SetJobFiles(options, *list); !status.ok()) return status;
  return list;
}

ExitCode PrintSettings(client::Engine& engine, const ClipRequest& request) {
  auto info = engine.Info();
  if (!info.ok()) return Fail("", info.status());
  v1::CleanupSettings settings = info->cleanup_defaults();
  settings.MergeFrom(request.settings);
  const absl::Status printed = Print(ToJson(settings, JsonStyle::kPretty));
  return printed.ok() ? kOk : Fail("", printed);
}

// One clip by itself is always cleaned; of several those that are done are left.
ExitCode DryRun(const ClipList& list, const ClipRequest& request, const std::string& version,
                const Options& options) {
  std::vector<ExitCode> codes = {kOk};
  for (const CleanJob& job : list.jobs) {
    std::string line = absl::StrCat(job.input, " -> ", job.output);
    if (!job.plan.empty()) absl::StrAppend(&line, " by the plan ", job.plan);
    const auto own = WithGroundBeside(request, job.input);
    if (!own.ok()) codes.push_back(Fail(job.input, own.status()));
    if (own.ok() && !own->obeyed.empty())
      absl::StrAppend(&line, " on ", absl::StrJoin(own->obeyed, ", "));
    if (own.ok() && !list.single && !options.run.force) {
      const auto done = IsJobDone(*own, job, version, options.list.in_place);
      if (!done.ok()) codes.push_back(Fail(job.input, done.status()));
      if (done.ok() && *done) line += ": done already, would be skipped";
    }
    const absl::Status printed = Print(line + "\n");
    if (!printed.ok()) return Fail("", printed);
  }
  return ExitCodeForAll(codes);
}

ExitCode Run(const Context& context, const Options& options) {
  auto request = Resolve(options.clip);
  if (!request.ok()) return Fail("", request.status());
  auto engine = context.make_engine();
  if (!engine.ok()) return Fail("", engine.status());
  if (options.print_settings) return PrintSettings(**engine, *request);
  auto list = MakeJobs(options);
  if (!list.ok()) return Fail("", list.status());
  auto info = (*engine)->Info();
  if (!info.ok()) return Fail("", info.status());
  if (options.dry_run) return DryRun(*list, *request, info->version(), options);
  CleanRunOptions run = options.run;
  run.json = options.format == "json";
  run.in_place = options.list.in_place;
  if (list->single) {
    return RunSingle(context, **engine, *request, list->jobs[0], info->version(), run);
  }
  return RunMany(context, **engine, *request, list->jobs, info->version(), run);
}

}  // namespace

Command AddClean(CLI::App& parent) {
  auto options = std::make_shared<Options>();
  CLI::App* app = parent.add_subcommand(
      "clean", "Clean clips: feet stand where they are planted, and nothing else changes");
  AddFileFlags(*app, *options);
  AddRunFlags(*app, *options);
  AddClipFlags(*app, options->clip);
  return {app, [options](const Context& context) { return Run(context, *options); },
          /*long_running=*/true};
}

}  // namespace ikstream::cli
