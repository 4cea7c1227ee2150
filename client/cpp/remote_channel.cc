// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cpp/remote_channel.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "google/rpc/status.pb.h"

namespace ikstream::client {
namespace {

// Calls are spread over all addresses of the name. Unary calls are made again where the server
// is away or full; a server that is not worth asking again says so by its pushback.
constexpr char kServiceConfig[] = R"({
  "loadBalancingConfig": [{"round_robin": {}}],
  "methodConfig": [{
    "name": [{"service": "ikstream.v1.IkService", "method": "Solve"},
             {"service": "ikstream.v1.IkService", "method": "Trace"},
             {"service": "ikstream.v1.IkService", "method": "GetServerInfo"}],
    "retryPolicy": {
      "maxAttempts": 5, "initialBackoff": "0.1s", "maxBackoff": "3s", "backoffMultiplier": 3,
      "retryableStatusCodes": ["UNAVAILABLE", "RESOURCE_EXHAUSTED"]
    }
  }],
  "retryThrottling": {"maxTokens": 20, "tokenRatio": 0.5}
})";

// The server refuses pings more often than each 30 s; routers forget a silent connection after
// some minutes.
constexpr int kKeepaliveMs = 60'000;
constexpr int kKeepaliveTimeoutMs = 20'000;
// A server that is back is found within a second.
constexpr int kFirstReconnectBackoffMs = 100;
constexpr int kMaxReconnectBackoffMs = 800;
// Of one attempt to connect, which an address without a machine would hold for 20 s.
constexpr int kConnectTimeoutMs = 5'000;
// A replica that comes back elsewhere has another address: its name is asked again.
constexpr int kMinTimeBetweenResolutionsMs = 2'000;

// How often a wait looks whether it is cancelled.
constexpr absl::Duration kLook = absl::Milliseconds(50);

absl::StatusOr<std::string> ReadPem(const std::string& path) {
  if (path.empty()) return std::string();
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  if (file.bad() || text.empty()) {
    return absl::NotFoundError(absl::StrCat(path, ": cannot be read, or is empty"));
  }
  return text;
}

absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> Credentials(
    const RemoteOptions& options) {
  if (!options.tls) return grpc::InsecureChannelCredentials();
  grpc::SslCredentialsOptions ssl;
  const std::pair<const std::string*, std::string*> files[] = {
      {&options.tls_ca_file, &ssl.pem_root_certs},
      {&options.tls_certificate_file, &ssl.pem_cert_chain},
      {&options.tls_key_file, &ssl.pem_private_key}};
  for (const auto& [path, pem] : files) {
    auto text = ReadPem(*path);
    if (!text.ok()) return text.status();
    *pem = *std::move(text);
  }
  return grpc::SslCredentials(ssl);
}

// A proxy whose replica dies in the middle of an answer resets the stream, which gRPC calls
// INTERNAL as if the server had said so. A server's own words come with trailers and are
// others.
absl::StatusCode CodeOf(const grpc::Status& status) {
  const bool reset = status.error_code() == grpc::StatusCode::INTERNAL &&
                     status.error_message().rfind("Received RST_STREAM", 0) == 0;
  return reset ? absl::StatusCode::kUnavailable
               : static_cast<absl::StatusCode>(status.error_code());
}

absl::Status CheckOptions(const RemoteOptions& options) {
  if (options.server.empty()) return absl::InvalidArgumentError("no server is named");
  if (options.tls_certificate_file.empty() != options.tls_key_file.empty()) {
    return absl::InvalidArgumentError("a client certificate and its key belong together");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::shared_ptr<grpc::Channel>> OpenChannel(const RemoteOptions& options) {
  if (absl::Status status = CheckOptions(options); !status.ok()) return status;
  auto credentials = Credentials(options);
  if (!credentials.ok()) return credentials.status();
  grpc::ChannelArguments args;
  args.SetServiceConfigJSON(kServiceConfig);
  args.SetInt(GRPC_ARG_ENABLE_RETRIES, 1);
  args.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
  args.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs);
  args.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kFirstReconnectBackoffMs);
  args.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kMaxReconnectBackoffMs);
  args.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kConnectTimeoutMs);
  args.SetInt(GRPC_ARG_DNS_MIN_TIME_BETWEEN_RESOLUTIONS_MS, kMinTimeBetweenResolutionsMs);
  args.SetMaxReceiveMessageSize(options.max_message_bytes);
  args.SetMaxSendMessageSize(options.max_message_bytes);
  if (!options.tls_server_name.empty()) {
    args.SetSslTargetNameOverride(options.tls_server_name);
  }
  return grpc::CreateCustomChannel(options.server, *credentials, args);
}

bool AwaitChannel(grpc::Channel& channel, absl::Duration longest,
                  const Cancellation& cancellation) {
  const absl::Time end = absl::Now() + longest;
  bool away = false;
  for (absl::Time now = absl::Now(); now < end; now = absl::Now()) {
    if (cancellation.cancelled()) return false;
    const grpc_connectivity_state state = channel.GetState(/*try_to_connect=*/true);
    if (away && state == GRPC_CHANNEL_READY) return true;
    away = away || state != GRPC_CHANNEL_READY;
    channel.WaitForStateChange(state, absl::ToChronoTime(std::min(end, now + kLook)));
  }
  return !cancellation.cancelled();
}

absl::Status FromGrpc(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  absl::Status out(CodeOf(status), status.error_message());
  google::rpc::Status details;
  if (details.ParseFromString(status.error_details())) {
    for (const auto& any : details.details()) {
      out.SetPayload(any.type_url(), absl::Cord(any.value()));
    }
  }
  return out;
}

}  // namespace ikstream::client
