// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Clients of grpc.health.v1 and of reflection. Debian installs no stubs for them; their
// messages here hold one field each and are read as well-known wrappers with the same bytes.
#pragma once

#include <memory>
#include <string>

#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/grpcpp.h"

namespace ikstream::testing {

constexpr int kServing = 1;
constexpr int kNotServing = 2;

// Health/Check: the status, or minus the gRPC code of the error.
int CheckHealth(const std::shared_ptr<grpc::Channel>& channel, const std::string& service);

// A call that is written once and read many times, of any method. Blocking.
class RawStream {
 public:
  RawStream(const std::shared_ptr<grpc::Channel>& channel, const std::string& method,
            const std::string& request);
  ~RawStream();
  // The next message's bytes; false: none follows.
  bool Read(std::string& bytes);
  void HalfClose();
  grpc::StatusCode Finish();

 private:
  bool Next();

  grpc::GenericStub stub_;
  grpc::CompletionQueue queue_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call_;
};

// Health/Watch of the service, to be read by NextStatus.
std::unique_ptr<RawStream> WatchHealth(const std::shared_ptr<grpc::Channel>& channel,
                                       const std::string& service);
// The next status; -1: the stream has ended.
int NextStatus(RawStream& watch);

}  // namespace ikstream::testing
