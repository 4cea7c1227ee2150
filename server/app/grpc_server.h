// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "app/options.h"
#include "grpcpp/grpcpp.h"

namespace ikstream {

// A gRPC server with all our settings, serving `service`, health and, as asked, reflection and
// channelz at options.listen. `port` gets the port in use, 0 for a unix socket. Error:
// UNAVAILABLE where the address cannot be had, INVALID_ARGUMENT for TLS files that are not.
absl::StatusOr<std::unique_ptr<grpc::Server>> StartGrpc(const Options& options,
                                                        grpc::Service& service, int& port);

}  // namespace ikstream
