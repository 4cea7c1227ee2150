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

// Lets this much time pass; less where the channel is or gets out of reach, and is back. False
// where `cancellation` cut it short. Waits on the channel, not asleep: gRPC sees that a
// connection was made or refused only while a thread waits for something of its channel, else
// each 5 s.
bool AwaitChannel(grpc::Channel& channel, absl::Duration longest,
                  const Cancellation& cancellation);

// The same code and text, UNAVAILABLE where the connection broke off; the details become
// payloads (errors.h).
absl::Status FromGrpc(const grpc::Status& status);

}  // namespace ikstream::client
