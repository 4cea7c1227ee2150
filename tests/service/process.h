// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace ikstream::testing {

// A daemon over the fake engine as a process of its own, on free ports.
class Daemon {
 public:
  // Adds --listen, --metrics-listen and --ports-file in front of `args`, which win.
  explicit Daemon(const std::vector<std::string>& args = {});
  ~Daemon();  // kills it if it still runs
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  // False: it ended, or 20 s passed, before it served.
  bool WaitUntilServing();
  int grpc_port() const { return grpc_port_; }
  int metrics_port() const { return metrics_port_; }

  void Signal(int signal) const;
  // The exit code; -1 where a signal ended it; -2 after 20 s.
  int Wait();
  // What it wrote to stderr so far.
  std::string Log() const;

 private:
  int pid_ = -1;
  std::string ports_file_, log_file_;
  int grpc_port_ = 0, metrics_port_ = 0;
  bool reaped_ = false;
  int exit_code_ = -2;
};

}  // namespace ikstream::testing
