// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
// `ikstream trace`: how solvers come to their answers on one frame.
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/files.h"
#include "cli/json.h"

namespace ikstream::cli {
namespace {

struct Options {
  std::string request;
  std::string output = "-";
  std::vector<std::string> solvers;
  bool compact = false;
  bool csv = false;
};

// A line for each iteration; iteration 0 is the pose to start from.
std::string ToCsv(const v1::TraceResponse& response) {
  std::string text = "solver,iteration,error,clamped_joints\n";
  for (const v1::SolverTrace& trace : response.traces())
    for (int i = 0; i < trace.errors_size(); ++i)
      absl::StrAppend(&text, trace.solver(), ",", i, ",", trace.errors(i), ",", trace.clamps(i),
                      "\n");
  return text;
}

ExitCode Run(const Context& context, const Options& options) {
  v1::TraceRequest request;
  if (absl::Status status = ReadJson(options.request, request); !status.ok()) {
    return Fail("", status);
  }
  for (const std::string& solver : options.solvers) request.add_solvers(solver);
  auto engine = context.make_engine();
  if (!engine.ok()) return Fail("", engine.status());
  const auto response = (*engine)->Trace(request);
  if (!response.ok()) return Fail(options.request, response.status());
  const JsonStyle style = options.compact ? JsonStyle::kOneLine : JsonStyle::kPretty;
  const absl::Status written =
      WriteText(options.output, options.csv ? ToCsv(*response) : ToJson(*response, style));
  return written.ok() ? kOk : Fail("", written);
}

}  // namespace

Command AddTrace(CLI::App& parent) {
  auto options = std::make_shared<Options>();
  CLI::App* app = parent.add_subcommand(
      "trace",
      "Follow solvers on one frame: ikstream.v1.TraceRequest in, TraceResponse out, as JSON");
  app->add_option("request", options->request, "The request's file; - for stdin")->required();
  app->add_option("-o,--output", options->output, "Where the answer goes; - for stdout")
      ->capture_default_str();
  app->add_option("--solver", options->solvers,
                  "A solver to follow, beside those of the request; may be repeated");
  app->add_flag("--csv", options->csv, "Write error and clamped joints by iteration, as CSV");
  app->add_flag("--compact", options->compact, "Write JSON on one line");
  return {app, [options](const Context& context) { return Run(context, *options); }};
}

}  // namespace ikstream::cli
