// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// gRPC's side of the streaming calls: they carry messages between gRPC and a StreamMachine and
// decide nothing. They delete themselves when gRPC is done with them.
#pragma once

#include <memory>
#include <utility>

#include "grpcpp/grpcpp.h"
#include "ikstream/v1/service.grpc.pb.h"
#include "service/calls.h"
#include "service/status.h"
#include "service/stream_machine.h"

namespace ikstream {

// What both have in common. gRPC never runs a reaction inside the call that caused it, as
// StreamTransport asks.
template <typename Base>
class StreamReactor : public Base, public StreamTransport {
 public:
  StreamReactor(grpc::CallbackServerContext& context, const char* method)
      : context_(context), method_(method) {}

  void Begin(std::shared_ptr<StreamMachine> machine, Calls::Pass pass) {
    machine_ = std::move(machine);
    pass_ = std::move(pass);
  }

  void Finish(const absl::Status& status) override {
    Base::Finish(EndOfCall(status, method_, context_));
  }
  void OnWriteDone(bool ok) override { machine_->OnWritten(ok); }
  void OnCancel() override { machine_->OnCancel(); }
  void OnDone() override { delete this; }

 protected:
  std::shared_ptr<StreamMachine> machine_;

 private:
  grpc::CallbackServerContext& context_;
  const char* const method_;
  Calls::Pass pass_;
};

class SolveStreamReactor final
    : public StreamReactor<
          grpc::ServerBidiReactor<v1::SolveStreamRequest, v1::SolveStreamResponse>> {
 public:
  using StreamReactor::StreamReactor;
  void Read() override { StartRead(&request_); }
  void Write(Session::Reply reply) override;
  void OnReadDone(bool ok) override;

 private:
  v1::SolveStreamRequest request_;
  v1::SolveStreamResponse response_;
};

class SolveClipReactor final
    : public StreamReactor<grpc::ServerWriteReactor<v1::SolveClipResponse>> {
 public:
  using StreamReactor::StreamReactor;
  void Read() override {}  // never asked: the machine begins with the whole call
  void Write(Session::Reply reply) override;

 private:
  v1::SolveClipResponse response_;
};

}  // namespace ikstream
