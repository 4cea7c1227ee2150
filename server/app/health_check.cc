// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "app/health_check.h"

#include <chrono>
#include <future>
#include <memory>

#include "absl/strings/str_cat.h"
#include "app/address.h"
#include "google/protobuf/wrappers.pb.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/grpcpp.h"
#include "grpcpp/security/tls_certificate_verifier.h"
#include "grpcpp/security/tls_credentials_options.h"
#include "ikstream/v1/service.grpc.pb.h"

namespace ikstream {
namespace {

// grpc.health.v1's messages hold one field each, number 1, and have the same bytes as these.
using HealthRequest = google::protobuf::StringValue;
using HealthResponse = google::protobuf::Int32Value;
constexpr int kServing = 1;

std::string Target(const Options& options, const Address& address) {
  if (!address.unix_path.empty()) return options.listen;
  if (address.host == "0.0.0.0") return absl::StrCat("127.0.0.1:", address.port);
  if (address.host == "::") return absl::StrCat("[::1]:", address.port);
  return options.listen;
}

std::shared_ptr<grpc::ChannelCredentials> Credentials(const Options& options) {
  if (options.tls_cert.empty()) return grpc::InsecureChannelCredentials();
  using grpc::experimental::FileWatcherCertificateProvider;
  grpc::experimental::TlsChannelCredentialsOptions tls;
  tls.set_verify_server_certs(false);
  tls.set_check_call_host(false);
  tls.set_certificate_verifier(std::make_shared<grpc::experimental::NoOpCertificateVerifier>());
  constexpr unsigned kRefreshSeconds = 3600;
  tls.set_certificate_provider(std::make_shared<FileWatcherCertificateProvider>(
      options.tls_key, options.tls_cert, kRefreshSeconds));
  tls.watch_identity_key_cert_pairs();
  return grpc::experimental::TlsCredentials(tls);
}

}  // namespace

absl::Status CheckHealth(const Options& options) {
  Address address;
  absl::Status parsed = ParseAddress(options.listen, address);
  if (!parsed.ok()) return parsed;
  const std::string target = Target(options, address);
  grpc::TemplatedGenericStub<HealthRequest, HealthResponse> stub(
      grpc::CreateChannel(target, Credentials(options)));
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(3));
  HealthRequest request;
  request.set_value(v1::IkService::service_full_name());
  HealthResponse response;
  std::promise<grpc::Status> done;
  stub.UnaryCall(&context, "/grpc.health.v1.Health/Check", {}, &request, &response,
                 [&done](const grpc::Status& status) { done.set_value(status); });
  const grpc::Status status = done.get_future().get();
  if (!status.ok()) {
    return absl::UnavailableError(absl::StrCat(target, ": ", status.error_message()));
  }
  if (response.value() == kServing) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(target, ": not serving"));
}

}  // namespace ikstream
