// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "app/grpc_server.h"

#include <fstream>
#include <iterator>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "grpcpp/ext/channelz_service_plugin.h"
#include "grpcpp/ext/proto_server_reflection_plugin.h"
#include "grpcpp/health_check_service_interface.h"
#include "grpcpp/resource_quota.h"

namespace ikstream {
namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

int Milliseconds(double seconds) {
  constexpr double kMost = std::numeric_limits<int>::max();
  return static_cast<int>(std::min(seconds * 1e3, kMost));
}

std::shared_ptr<grpc::ServerCredentials> Credentials(const Options& options) {
  if (options.tls_cert.empty()) return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions tls(
      options.tls_client_ca.empty()
          ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
          : GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  tls.pem_key_cert_pairs = {{ReadFile(options.tls_key), ReadFile(options.tls_cert)}};
  if (!options.tls_client_ca.empty()) tls.pem_root_certs = ReadFile(options.tls_client_ca);
  return grpc::SslServerCredentials(tls);
}

void SetConnections(const Options& options, grpc::ServerBuilder& builder) {
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, options.max_concurrent_streams);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS,
                             Milliseconds(options.keepalive_seconds));
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS,
                             Milliseconds(options.keepalive_timeout_seconds));
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                             Milliseconds(options.min_ping_interval_seconds));
  if (options.max_connection_age_seconds > 0) {
    builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_MS,
                               Milliseconds(options.max_connection_age_seconds));
  }
  if (options.max_connection_age_grace_seconds > 0) {
    builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_GRACE_MS,
                               Milliseconds(options.max_connection_age_grace_seconds));
  }
  // Else a second server on the same port would quietly get half of the connections.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
}

// These switches are the process's, not the builder's; they only ever go on.
void SetPlugins(const Options& options) {
  grpc::EnableDefaultHealthCheckService(true);
  if (options.reflection) grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  if (options.channelz) grpc::channelz::experimental::InitChannelzService();
}

}  // namespace

absl::StatusOr<std::unique_ptr<grpc::Server>> StartGrpc(const Options& options,
                                                        grpc::Service& service, int& port) {
  SetPlugins(options);
  grpc::ServerBuilder builder;
  builder.SetMaxReceiveMessageSize(static_cast<int>(options.service.limits.max_message_bytes));
  builder.SetMaxSendMessageSize(-1);  // answers are cut or refused before they are made
  builder.SetResourceQuota(grpc::ResourceQuota("ikstreamd")
                               .Resize(static_cast<std::size_t>(options.memory_quota_bytes)));
  SetConnections(options, builder);
  builder.AddListeningPort(options.listen, Credentials(options), &port);
  builder.RegisterService(&service);
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server != nullptr) return server;
  return absl::UnavailableError(absl::StrCat(
      "cannot serve calls on ", options.listen, ": the address is taken or not to be had",
      options.tls_cert.empty() ? ""
                               : ", or the TLS files do not hold a certificate and its key",
      " (choose another with --listen)"));
}

}  // namespace ikstream
