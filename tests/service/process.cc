// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "service/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <thread>

#include "gtest/gtest.h"

extern char** environ;

namespace ikstream::testing {
namespace {

constexpr auto kPatience = std::chrono::seconds(20);

std::string UniqueName(const char* what) {
  static int count = 0;
  return ::testing::TempDir() + "ikstreamd_" + std::to_string(getpid()) + "_" +
         std::to_string(count++) + "." + what;
}

}  // namespace

Daemon::Daemon(const std::vector<std::string>& args)
    : ports_file_(UniqueName("ports")), log_file_(UniqueName("log")) {
  std::vector<std::string> all = {IKSTREAM_FAKE_DAEMON, "--listen=127.0.0.1:0",
                                  "--metrics-listen=127.0.0.1:0",
                                  "--ports-file=" + ports_file_};
  all.insert(all.end(), args.begin(), args.end());
  std::vector<char*> argv;
  for (std::string& arg : all) argv.push_back(arg.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log_file_.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ) != 0) pid_ = -1;
  posix_spawn_file_actions_destroy(&actions);
}

Daemon::~Daemon() {
  if (!reaped_ && pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  std::remove(ports_file_.c_str());
  std::remove(log_file_.c_str());
}

bool Daemon::WaitUntilServing() {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < end) {
    std::ifstream file(ports_file_);
    std::string grpc, metrics;
    if (file >> grpc >> metrics) {
      grpc_port_ = std::stoi(grpc.substr(grpc.find('=') + 1));
      metrics_port_ = std::stoi(metrics.substr(metrics.find('=') + 1));
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

void Daemon::Signal(int signal) const { kill(pid_, signal); }

int Daemon::Wait() {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!reaped_ && std::chrono::steady_clock::now() < end) {
    int status = 0;
    reaped_ = waitpid(pid_, &status, WNOHANG) == pid_;
    if (reaped_) exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (!reaped_) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return exit_code_;
}

std::string Daemon::Log() const {
  std::ifstream file(log_file_);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace ikstream::testing
