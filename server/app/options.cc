// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "app/options.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <ostream>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "app/address.h"

namespace ikstream {
namespace {

constexpr int kUsage = 2;

std::string EnvironmentName(std::string flag) {
  std::transform(flag.begin(), flag.end(), flag.begin(), [](unsigned char c) {
    return c == '-' ? '_' : static_cast<char>(std::toupper(c));
  });
  return "IKSTREAM_" + flag;
}

// Defines options: the flag's name makes the names of the variable and of the config line.
class Definer {
 public:
  explicit Definer(CLI::App& app) : app_(app) {}

  template <typename T>
  CLI::Option* Add(const std::string& name, T& value, const std::string& text) {
    return Common(name, app_.add_option("--" + name, value, text)->capture_default_str());
  }
  CLI::Option* AddFlag(const std::string& name, bool& value, const std::string& text) {
    return Common(name, app_.add_flag("--" + name + ",!--no-" + name, value, text));
  }

 private:
  CLI::Option* Common(const std::string& name, CLI::Option* option) {
    return option->envname(EnvironmentName(name))
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  }

  CLI::App& app_;
};

void DefineServing(Definer& define, Options& o) {
  define.Add("listen", o.listen,
             "Where calls are served: HOST:PORT (port 0: a free one) or unix:PATH");
  define.Add("metrics-listen", o.metrics_listen,
             "Where /metrics, /healthz and /readyz are served: HOST:PORT, or off");
  define.Add("ports-file", o.ports_file,
             "Write the ports in use to this file once calls are served");
  define.Add("workers", o.workers, "Worker threads; 0: as many as the CPU quota allows")
      ->check(CLI::Range(0, 4096));
  define
      .Add("queue-capacity", o.queue_capacity,
           "Pieces of work that may wait when a call begins")
      ->check(CLI::Range(1, 1'000'000));
  define.Add("max-streams", o.service.max_streams, "Streams at once")
      ->check(CLI::Range(1, 1'000'000));
  define
      .Add("batches-in-flight", o.service.batches_in_flight,
           "Unsolved batches of a stream before reading pauses")
      ->check(CLI::Range(1, 1024));
  define
      .Add("max-output-bytes", o.service.max_output_bytes,
           "Answers of a stream not taken by the client before reading pauses")
      ->check(CLI::Range(std::int64_t{1} << 16, std::int64_t{1} << 34));
  define
      .Add("max-call-seconds", o.max_call_seconds,
           "The most a Solve, SolveClip or Trace may take; 0: what the client allows")
      ->check(CLI::Range(0.0, 86400.0));
}

void DefineLimits(Definer& define, Options& o) {
  Limits& limits = o.service.limits;
  define.Add("max-message-bytes", limits.max_message_bytes, "Bytes of a received message")
      ->check(CLI::Range(std::int64_t{1} << 16, (std::int64_t{1} << 31) - 1));
  define.Add("max-joints", limits.max_joints, "Joints of a skeleton")
      ->check(CLI::Range(1, 65536));
  define.Add("max-chains", limits.max_chains, "Chains of a rig")->check(CLI::Range(1, 65536));
  define.Add("max-batch-frames", limits.max_batch_frames, "Frames of a batch")
      ->check(CLI::Range(1, 1 << 24));
  define.Add("max-iterations", limits.max_iterations, "Iterations of a solve")
      ->check(CLI::Range(1, 1'000'000));
  define.Add("max-colliders", limits.max_colliders, "Colliders of a rig")
      ->check(CLI::Range(0, 1'000'000));
  define.Add("max-feet", limits.max_feet, "Feet of a rig")->check(CLI::Range(0, 4096));
  define
      .Add("max-terrain-vertices", limits.max_terrain_vertices,
           "Vertices or cells of a terrain")
      ->check(CLI::Range(0, 1 << 28));
  define.Add("max-plan-frames", limits.max_plan_frames, "Frames of a clip in mode PLAN")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 32));
}

void DefineTransport(Definer& define, Options& o) {
  const CLI::Range seconds(0.0, 1e6);
  define
      .Add("memory-quota-bytes", o.memory_quota_bytes, "Memory that gRPC may use for messages")
      ->check(CLI::Range(std::int64_t{1} << 24, std::int64_t{1} << 40));
  define
      .Add("max-concurrent-streams", o.max_concurrent_streams,
           "Calls at once on one connection")
      ->check(CLI::Range(1, 1'000'000));
  define.Add("keepalive-seconds", o.keepalive_seconds, "Ping a silent client after this time")
      ->check(seconds);
  define
      .Add("keepalive-timeout-seconds", o.keepalive_timeout_seconds,
           "Close the connection if that ping is not answered within this time")
      ->check(seconds);
  define
      .Add("min-ping-interval-seconds", o.min_ping_interval_seconds,
           "Clients may ping no more often than this")
      ->check(seconds);
  define
      .Add("max-connection-age-seconds", o.max_connection_age_seconds,
           "Ask clients to reconnect after this time, so that new replicas get calls; 0: never")
      ->check(seconds);
  define
      .Add("max-connection-age-grace-seconds", o.max_connection_age_grace_seconds,
           "How long calls may go on after that; 0: as long as they last")
      ->check(seconds);
  define.AddFlag("reflection", o.reflection, "Serve gRPC reflection (on unless switched off)");
  define.AddFlag("channelz", o.channelz, "Serve channelz");
  define.Add("tls-cert", o.tls_cert, "PEM file with the server's certificate chain");
  define.Add("tls-key", o.tls_key, "PEM file with its private key");
  define.Add("tls-client-ca", o.tls_client_ca, "PEM file with the CA that clients must show");
  define.Add("token-file", o.token_file, "File with the bearer token that callers must send");
}

void DefineProcess(Definer& define, Options& o) {
  const CLI::Range seconds(0.0, 86400.0);
  define
      .Add("drain-propagation-seconds", o.drain_propagation_seconds,
           "After SIGTERM, keep serving this long while NOT_SERVING spreads")
      ->check(seconds);
  define.Add("drain-seconds", o.drain_seconds, "Then wait this long for calls to end")
      ->check(seconds);
  define.Add("log-level", o.log_level, "Least level that is logged")
      ->check(CLI::IsMember({"trace", "debug", "info", "warning", "error", "off"}));
  define.Add("log-format", o.log_format, "Form of log lines on stderr")
      ->check(CLI::IsMember({"text", "json"}));
}

void Define(CLI::App& app, Options& options, const std::string& version) {
  app.set_version_flag("--version", "ikstreamd " + version);
  app.add_flag("--check-config", options.check_config, "Check the options and exit")
      ->configurable(false);
  app.add_flag("--healthcheck", options.health_check,
               "Ask the server at --listen for its health; exit 0 if it serves, else 1")
      ->configurable(false);
  app.set_config("--config", "", "Config file: lines `name = value`, names as the flags'")
      ->envname("IKSTREAM_CONFIG")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.allow_config_extras(CLI::config_extras_mode::error);
  Definer define(app);
  DefineServing(define, options);
  DefineLimits(define, options);
  DefineTransport(define, options);
  DefineProcess(define, options);
}

// CLI11 lets the config file win over the environment. Variables are put before the flags
// instead: the last one counts, and both win over the file.
std::vector<std::string> WithEnvironment(const CLI::App& app, int argc,
                                         const char* const* argv) {
  std::vector<std::string> args;
  for (const CLI::Option* option : app.get_options()) {
    const std::string& name = option->get_envname();
    const char* value = name.empty() ? nullptr : std::getenv(name.c_str());
    if (value != nullptr) args.push_back("--" + option->get_single_name() + "=" + value);
  }
  args.insert(args.end(), argv + std::min(argc, 1), argv + argc);
  std::reverse(args.begin(), args.end());  // as CLI11 takes them
  return args;
}

absl::Status CheckFile(const char* flag, const std::string& path) {
  if (path.empty() || std::ifstream(path).good()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("--", flag, ": cannot read ", path));
}

absl::Status LoadToken(Options& options) {
  if (options.token_file.empty()) return absl::OkStatus();
  std::ifstream file(options.token_file);
  std::string token{std::istreambuf_iterator<char>(file), {}};
  absl::StripAsciiWhitespace(&token);
  if (token.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--token-file: ", options.token_file, " is empty or cannot be read"));
  }
  options.service.bearer_token = token;
  return absl::OkStatus();
}

absl::Status Check(Options& options) {
  Address address;
  absl::Status status = ParseAddress(options.listen, address);
  if (!status.ok())
    return absl::InvalidArgumentError("--listen: " + std::string(status.message()));
  if (options.metrics_listen != "off") {
    status = ParseAddress(options.metrics_listen, address);
    if (status.ok() && !address.unix_path.empty()) {
      status = absl::InvalidArgumentError("a unix socket cannot serve HTTP here");
    }
    if (!status.ok()) {
      return absl::InvalidArgumentError("--metrics-listen: " + std::string(status.message()));
    }
  }
  if (options.tls_cert.empty() != options.tls_key.empty()) {
    return absl::InvalidArgumentError("--tls-cert and --tls-key go together");
  }
  if (!options.tls_client_ca.empty() && options.tls_cert.empty()) {
    return absl::InvalidArgumentError("--tls-client-ca needs --tls-cert and --tls-key");
  }
  status.Update(CheckFile("tls-cert", options.tls_cert));
  status.Update(CheckFile("tls-key", options.tls_key));
  status.Update(CheckFile("tls-client-ca", options.tls_client_ca));
  status.Update(LoadToken(options));
  return status;
}

}  // namespace

std::optional<int> ReadOptions(int argc, const char* const* argv, const std::string& version,
                               Options& options, std::ostream& out, std::ostream& err) {
  CLI::App app("ikstreamd: serves ikstream.v1.IkService, inverse kinematics over gRPC",
               "ikstreamd");
  Define(app, options, version);
  try {
    app.parse(WithEnvironment(app, argc, argv));
  } catch (const CLI::ParseError& error) {
    return app.exit(error, out, err) == 0 ? 0 : kUsage;
  }
  options.service.max_call_time =
      std::chrono::milliseconds(static_cast<std::int64_t>(options.max_call_seconds * 1e3));
  const absl::Status status = Check(options);
  if (status.ok()) return std::nullopt;
  err << "ikstreamd: " << status.message() << "\n";
  return kUsage;
}

}  // namespace ikstream
