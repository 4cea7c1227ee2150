// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
// `ikstream plan`: a clip's floor, contacts and anchors, to be read or edited.
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/clean_clip.h"
#include "cli/clip_ground.h"
#include "cli/clip_notes.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/files.h"
#include "cli/json.h"
#include "cli/progress.h"

namespace ikstream::cli {
namespace {

struct Options {
  ClipFlags clip;
  std::string input;
  std::string output = "-";
  std::string plan;
  bool quiet = false;
};

absl::StatusOr<PlanResult> Plan(const Context& context, const Options& options) {
  auto request = Resolve(options.clip);
  if (!request.ok()) return request.status();
  auto engine = context.make_engine();
  if (!engine.ok()) return engine.status();
  Progress progress(!options.quiet);
  progress.SetText(options.input);
  PassContext pass;
  pass.engine = engine->get();
  pass.cancellation = context.cancellation;
  pass.progress = [&progress](std::int64_t frames) { progress.Add(frames); };
  auto own = WithGroundBeside(*std::move(request), options.input);
  if (!own.ok()) return own.status();
  if (!options.quiet) NoteObeyed(options.input, {own->obeyed.begin(), own->obeyed.end()});
  auto ready = Prepare(pass, *own, options.input);
  if (!ready.ok()) return ready.status();
  progress.AddTotal(ready->clip.frames);
  if (!options.plan.empty()) {
    auto earlier = ReadPlan(options.plan);
    if (!earlier.ok()) return earlier.status();
    *ready->setup.mutable_plan() = *std::move(earlier);
  }
  return MakePlan(pass, ready->clip, ready->setup, ready->span);
}

ExitCode Run(const Context& context, const Options& options) {
  const auto result = Plan(context, options);
  if (!result.ok()) return Fail(options.input, result.status());
  if (!options.quiet) {
    NoteWarnings(options.input, result->summary.warnings());
    for (const std::string& note : result->plan.notes()) Note(note);
  }
  const absl::Status written =
      WriteText(options.output, ToJson(result->plan, JsonStyle::kPretty));
  return written.ok() ? kOk : Fail("", written);
}

}  // namespace

Command AddPlan(CLI::App& parent) {
  auto options = std::make_shared<Options>();
  CLI::App* app = parent.add_subcommand(
      "plan", "Print a clip's floor, contacts and anchors as JSON, for `clean --plan`");
  app->add_option("clip", options->input, "The clip (.bvh)")->required();
  app->add_option("-o,--output", options->output, "Where the plan goes; - for stdout")
      ->capture_default_str();
  app->add_option("--plan", options->plan,
                  "An earlier plan: its locked intervals are kept as they are");
  app->add_flag("-q,--quiet", options->quiet, "Print errors only");
  AddClipFlags(*app, options->clip);
  return {app, [options](const Context& context) { return Run(context, *options); },
          /*long_running=*/true};
}

}  // namespace ikstream::cli
