// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Options of ikstreamd. Each is defined once, in options.cc, and can be given as a flag, as an
// IKSTREAM_* variable or as a line of the config file; in this order of precedence.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include "service/options.h"

namespace ikstream {

struct Options {
  std::string listen = "127.0.0.1:50051";
  std::string metrics_listen = "127.0.0.1:9464";  // "off": none
  std::string ports_file;
  int workers = 0;  // 0: from the CPU quota
  int queue_capacity = 1024;
  ServiceOptions service;
  double max_call_seconds = 0;

  std::int64_t memory_quota_bytes = 1LL << 30;
  int max_concurrent_streams = 2048;  // of one connection, all methods
  double keepalive_seconds = 60;
  double keepalive_timeout_seconds = 20;
  double min_ping_interval_seconds = 30;
  double max_connection_age_seconds = 600;
  double max_connection_age_grace_seconds = 0;  // 0: as long as calls last
  bool reflection = true;
  bool channelz = false;

  double drain_propagation_seconds = 0;
  double drain_seconds = 25;

  std::string tls_cert, tls_key, tls_client_ca;  // PEM files
  std::string token_file;

  std::string log_level = "info";
  std::string log_format = "text";

  // What to do instead of serving.
  bool check_config = false;
  bool health_check = false;
};

// Reads options from the command line, the environment and the config file, checks them, and
// loads the token. Returns the exit code where the process is to end here: after --help or
// --version (on `out`), or an error (on `err`).
std::optional<int> ReadOptions(int argc, const char* const* argv, const std::string& version,
                               Options& options, std::ostream& out, std::ostream& err);

}  // namespace ikstream
