// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// A subcommand: what it adds to the command line, and what it does.
#pragma once

#include <functional>
#include <memory>

#include "CLI/CLI.hpp"
#include "cli/exit_code.h"
#include "cpp/cancellation.h"
#include "cpp/engine.h"

namespace ikstream::cli {

// What commands get from the program.
struct Context {
  std::function<absl::StatusOr<std::unique_ptr<client::Engine>>()> make_engine;
  client::Cancellation* cancellation = nullptr;
};

struct Command {
  CLI::App* app = nullptr;
  std::function<ExitCode(const Context&)> run;
  // Ends by Context::cancellation when interrupted; other commands are just left.
  bool long_running = false;
};

Command AddInfo(CLI::App& parent);
Command AddHealth(CLI::App& parent);
Command AddSolve(CLI::App& parent);
Command AddTrace(CLI::App& parent);
Command AddClean(CLI::App& parent);
Command AddPlan(CLI::App& parent);

}  // namespace ikstream::cli
