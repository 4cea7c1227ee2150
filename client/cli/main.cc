// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
// `ikstream`: the command line of ikstream.
#include <unistd.h>

#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/engine_options.h"
#include "cli/interrupt.h"

namespace ikstream::cli {
namespace {

constexpr char kAbout[] =
    "Inverse kinematics: cleans motion-capture clips, plans contacts, solves requests.\n"
    "Solves in this process unless --server names a service; the answers are the same.\n"
    "`ikstream COMMAND --help` tells a command's options.";

void Describe(CLI::App& app) {
  app.set_version_flag("--version", absl::StrCat("ikstream ", IKSTREAM_VERSION));
  app.set_help_all_flag("--help-all", "Print the help of all commands and exit");
  app.require_subcommand(1);
  app.fallthrough();
  app.footer(absl::StrCat("\n", ExitCodeHelp()));
}

ExitCode Run(int argc, char** argv) {
  CLI::App app(kAbout, "ikstream");
  Describe(app);
  EngineOptions engine_options;
  engine_options.AddTo(app);
  const std::vector<Command> commands = {AddClean(app), AddPlan(app), AddSolve(app),
                                         AddTrace(app), AddInfo(app), AddHealth(app)};
  for (const Command& command : commands) command.app->footer(app.get_footer());
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kOk : kUsage;
  }
  // Never destroyed: the thread that waits for signals uses it until the end.
  static client::Cancellation& cancellation = *new client::Cancellation;
  CancelOnSignals(cancellation);
  const Context context{[&engine_options]() { return engine_options.Make(); }, &cancellation};
  for (const Command& command : commands) {
    if (!command.app->parsed()) continue;
    // What writes only at its end may be left at any time.
    std::optional<client::Cancellation::Watch> leave;
    if (!command.long_running) leave.emplace(cancellation, []() { _exit(kInterrupted); });
    return command.run(context);
  }
  return kUsage;
}

}  // namespace
}  // namespace ikstream::cli

int main(int argc, char** argv) { return ikstream::cli::Run(argc, argv); }
