// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
// `ikstream health`: does the engine serve? For probes and scripts.
#include "absl/strings/str_cat.h"
#include "cli/command.h"
#include "cli/console.h"

namespace ikstream::cli {
namespace {

ExitCode Run(const Context& context) {
  auto engine = context.make_engine();
  if (!engine.ok()) return Fail("", engine.status());
  const absl::Status health = (*engine)->Health();
  if (!health.ok()) return Fail((*engine)->name(), health);
  const absl::Status printed = Print(absl::StrCat((*engine)->name(), " SERVING\n"));
  return printed.ok() ? kOk : Fail("", printed);
}

}  // namespace

Command AddHealth(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand("health", "Ask whether calls are served now");
  return {app, Run};
}

}  // namespace ikstream::cli
