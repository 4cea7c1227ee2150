// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
// `ikstream solve`: one request as JSON, one answer as JSON.
#include <memory>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/files.h"
#include "cli/json.h"

namespace ikstream::cli {
namespace {

struct Options {
  std::string request;
  std::string output = "-";
  bool compact = false;
  bool strict = false;
};

bool AllReached(const v1::Summary& summary) {
  for (const v1::ChainSummary& chain : summary.chains()) {
    for (int status = 0; status < chain.frames_by_status_size(); ++status) {
      const bool reached = status == v1::ChainResult::STATUS_CONVERGED ||
                           status == v1::ChainResult::STATUS_SKIPPED;
      if (!reached && chain.frames_by_status(status) > 0) return false;
    }
  }
  return true;
}

ExitCode Run(const Context& context, const Options& options) {
  v1::SolveRequest request;
  if (absl::Status status = ReadJson(options.request, request); !status.ok()) {
    return Fail("", status);
  }
  auto engine = context.make_engine();
  if (!engine.ok()) return Fail("", engine.status());
  const auto response = (*engine)->Solve(request);
  if (!response.ok()) return Fail(options.request, response.status());
  const JsonStyle style = options.compact ? JsonStyle::kOneLine : JsonStyle::kPretty;
  const absl::Status written = WriteText(options.output, ToJson(*response, style));
  if (!written.ok()) return Fail("", written);
  return options.strict && !AllReached(response->summary()) ? kSomeFailed : kOk;
}

}  // namespace

Command AddSolve(CLI::App& parent) {
  auto options = std::make_shared<Options>();
  CLI::App* app = parent.add_subcommand(
      "solve", "Solve one request: ikstream.v1.SolveRequest in, SolveResponse out, as JSON");
  app->add_option("request", options->request, "The request's file; - for stdin")->required();
  app->add_option("-o,--output", options->output, "Where the answer goes; - for stdout")
      ->capture_default_str();
  app->add_flag("--compact", options->compact, "Write the answer on one line");
  app->add_flag("--strict", options->strict,
                "End with code 1 if any target was not reached on any frame");
  return {app, [options](const Context& context) { return Run(context, *options); }};
}

}  // namespace ikstream::cli
