// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "app/run.h"

#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "app/health_check.h"
#include "app/log.h"
#include "app/options.h"
#include "app/server.h"
#include "spdlog/spdlog.h"

namespace ikstream {
namespace {

constexpr int kFailed = 1;
constexpr int kKilled = 3;

// Signals are waited for, not handled: blocked here before any thread starts, so in all of
// them.
sigset_t BlockSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  (void)std::signal(SIGPIPE, SIG_IGN);
  return signals;
}

int WaitForSignal(const sigset_t& signals) {
  int signal = 0;
  sigwait(&signals, &signal);
  return signal;
}

void ExitOnNextSignal(const sigset_t& signals) {
  std::thread([signals] {
    WaitForSignal(signals);
    spdlog::error("second signal: exiting at once");
    _exit(kKilled);
  }).detach();
}

// Whole or not at all, so that whoever waits for the file can read it once it is there.
bool WritePorts(const std::string& path, const Server& server) {
  const std::string draft = absl::StrCat(path, ".", getpid());
  {
    std::ofstream file(draft);
    file << "grpc_port=" << server.port() << "\nmetrics_port=" << server.metrics_port() << "\n";
    if (!file.flush()) return false;
  }
  return std::rename(draft.c_str(), path.c_str()) == 0;
}

void LogStart(const Options& options, const Server& server, const std::string& version) {
  spdlog::info("ikstreamd {} serves calls on {} (port {}), metrics on {} (port {}), {} workers",
               version, options.listen, server.port(), options.metrics_listen,
               server.metrics_port(), server.pool().options().workers);
  if (!options.token_file.empty() && options.tls_cert.empty()) {
    spdlog::warn("--token-file without TLS: the token travels in clear text");
  }
}

int Serve(const Options& options, const Engine& engine, const std::string& version) {
  const sigset_t signals = BlockSignals();
  auto server = Server::Start(options, engine);
  if (!server.ok()) {
    spdlog::error("{}", std::string(server.status().message()));
    return kFailed;
  }
  LogStart(options, **server, version);
  if (!options.ports_file.empty() && !WritePorts(options.ports_file, **server)) {
    spdlog::error("--ports-file: cannot write {}", options.ports_file);
    return kFailed;
  }
  const int signal = WaitForSignal(signals);
  spdlog::info("{}: draining", signal == SIGTERM ? "SIGTERM" : "SIGINT");
  ExitOnNextSignal(signals);
  (*server)->Drain();
  spdlog::info("drained");
  return 0;
}

int ReportHealth(const Options& options) {
  const absl::Status status = CheckHealth(options);
  if (status.ok()) return 0;
  std::cerr << "ikstreamd: " << status.message() << "\n";
  return kFailed;
}

}  // namespace

int RunServer(int argc, const char* const* argv, const Engine& engine) {
  Options options;
  const std::string version = engine.describe(options.service.limits).version();
  const auto exit_code = ReadOptions(argc, argv, version, options, std::cout, std::cerr);
  if (exit_code) return *exit_code;
  if (options.check_config) {
    std::cout << "the options are fine\n";
    return 0;
  }
  SetUpLog(options.log_level, options.log_format);
  return options.health_check ? ReportHealth(options) : Serve(options, engine, version);
}

}  // namespace ikstream
