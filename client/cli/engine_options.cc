// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cli/engine_options.h"

#include "absl/strings/ascii.h"
#include "cli/exit_code.h"
#include "cli/files.h"

namespace ikstream::cli {

void EngineOptions::AddTo(CLI::App& app) {
  const std::string group = "Server";
  app.add_option("--server", remote_.server,
                 "Solve there instead of in this process: HOST:PORT or unix:PATH. Calls are "
                 "spread over all addresses of dns:///HOST:PORT or of ipv4:A:PORT,B:PORT")
      ->envname("IKSTREAM_SERVER")
      ->group(group);
  app.add_option("--timeout", timeout_seconds_, "Seconds for a single call; 0: no end")
      ->check(CLI::Range(0.0, 86400.0))
      ->capture_default_str()
      ->group(group);
  app.add_option("--clip-timeout", clip_timeout_seconds_,
                 "Seconds for one attempt at a clip; 0: no end")
      ->check(CLI::Range(0.0, 864000.0))
      ->capture_default_str()
      ->group(group);
  app.add_flag("--tls", remote_.tls, "Encrypt, and check the server's certificate")
      ->envname("IKSTREAM_TLS")
      ->group(group);
  app.add_option("--tls-ca", remote_.tls_ca_file,
                 "PEM file of the authorities to trust; without it the system's")
      ->group(group);
  app.add_option("--tls-cert", remote_.tls_certificate_file,
                 "PEM file of this client's certificate, for a server that asks for one")
      ->group(group);
  app.add_option("--tls-key", remote_.tls_key_file, "PEM file of that certificate's key")
      ->group(group);
  app.add_option("--tls-server-name", remote_.tls_server_name,
                 "The name in the server's certificate, if it is not the host's")
      ->group(group);
  app.add_option("--token-file", token_file_, "File with a token to send as `Bearer`")
      ->envname("IKSTREAM_TOKEN_FILE")
      ->group(group);
}

absl::StatusOr<std::unique_ptr<client::Engine>> EngineOptions::Make() const {
  if (remote_.server.empty()) return client::MakeInProcessEngine();
  client::RemoteOptions options = remote_;
  options.call_timeout = absl::Seconds(timeout_seconds_);
  options.clip_timeout = absl::Seconds(clip_timeout_seconds_);
  options.tls = remote_.tls || !remote_.tls_ca_file.empty() || !remote_.tls_key_file.empty();
  if (!token_file_.empty()) {
    auto token = ReadText(token_file_);
    if (!token.ok()) return token.status();
    options.token = std::string(absl::StripAsciiWhitespace(*token));
  }
  auto engine = client::MakeRemoteEngine(options);
  if (engine.status().code() == absl::StatusCode::kInvalidArgument) {
    return UsageError(std::string(engine.status().message()));
  }
  return engine;
}

}  // namespace ikstream::cli
