// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// ikstream.v1.IkService over gRPC's callback API. Nothing is solved in a callback: gRPC has few
// threads for them, and one that works starves all other calls.
#pragma once

#include <functional>

#include "grpcpp/grpcpp.h"
#include "ikstream/v1/service.grpc.pb.h"
#include "metrics/metrics.h"
#include "pool/pool.h"
#include "service/calls.h"
#include "service/engine.h"
#include "service/options.h"
#include "service/stream_machine.h"
#include "service/unary_call.h"

namespace ikstream {

// Thread-safe. What it is made of must outlive it, and it must outlive the gRPC server.
class IkService final : public v1::IkService::CallbackService {
 public:
  struct Parts {
    Pool& pool;
    Metrics& metrics;
    Calls& calls;
  };

  IkService(const Parts& parts, Engine engine, ServiceOptions options);

  using Context = grpc::CallbackServerContext;

  grpc::ServerUnaryReactor* Solve(Context* context, const v1::SolveRequest* request,
                                  v1::SolveResponse* response) override;
  grpc::ServerWriteReactor<v1::SolveClipResponse>* SolveClip(
      Context* context, const v1::SolveClipRequest* request) override;
  grpc::ServerBidiReactor<v1::SolveStreamRequest, v1::SolveStreamResponse>* SolveStream(
      Context* context) override;
  grpc::ServerUnaryReactor* Trace(Context* context, const v1::TraceRequest* request,
                                  v1::TraceResponse* response) override;
  grpc::ServerUnaryReactor* GetServerInfo(Context* context,
                                          const v1::GetServerInfoRequest* request,
                                          v1::GetServerInfoResponse* response) override;

 private:
  // A call with one answer whose `work` runs on the pool and fills `response`.
  struct Unary {
    Method method;
    v1::Priority priority;
    const google::protobuf::Message& request;
    const google::protobuf::Message& response;
  };
  grpc::ServerUnaryReactor* RunUnary(Context& context, const Unary& call, UnaryCall::Work work);

  // Makes the machine of a stream, lets it in, and calls `start` on it unless it was refused.
  template <typename Reactor>
  Reactor* RunStream(Context& context, Method method, CallShape shape,
                     const std::function<void(StreamMachine&)>& start);

  Pool& pool_;
  Metrics& metrics_;
  Calls& calls_;
  const Engine engine_;
  const ServiceOptions options_;
  v1::GetServerInfoResponse info_;  // made once
};

}  // namespace ikstream
