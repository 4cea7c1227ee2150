// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Opens a gRPC channel as this client wants it, and turns gRPC's errors into ours. Internal to
// the client library.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "cpp/engine.h"
#include "grpcpp/grpcpp.h"

namespace ikstream::client {

// Balanced, kept alive, with retries for unary calls. Connects lazily.
absl::StatusOr<std::shared_ptr<grpc::Channel>> OpenChannel(const RemoteOptions& options);

// The same code and text; the details become payloads (errors.h).
absl::Status FromGrpc(const grpc::Status& status);

}  // namespace ikstream::client
