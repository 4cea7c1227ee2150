// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Where to solve: the options that name a server, shared by all commands.
#pragma once

#include <memory>

#include "CLI/CLI.hpp"
#include "cpp/engine.h"

namespace ikstream::cli {

class EngineOptions {
 public:
  // Adds --server and its kin to `app`. Their values land here: `this` outlives the parse.
  void AddTo(CLI::App& app);

  // The engine that was asked for: in this process unless a server is named.
  absl::StatusOr<std::unique_ptr<client::Engine>> Make() const;

 private:
  client::RemoteOptions remote_;
  double timeout_seconds_ = 60;
  double clip_timeout_seconds_ = 0;
  std::string token_file_;
};

}  // namespace ikstream::cli
