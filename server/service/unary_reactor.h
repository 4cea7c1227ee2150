// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#pragma once

#include <memory>
#include <utility>

#include "grpcpp/grpcpp.h"
#include "service/calls.h"
#include "service/status.h"
#include "service/unary_call.h"

namespace ikstream {

// gRPC's side of a call with one answer; deletes itself when gRPC is done with it.
class UnaryReactor final : public grpc::ServerUnaryReactor {
 public:
  UnaryReactor(grpc::CallbackServerContext& context, const char* method)
      : context_(context), method_(method) {}

  void Begin(std::shared_ptr<UnaryCall> call, Calls::Pass pass) {
    call_ = std::move(call);
    pass_ = std::move(pass);
  }

  void End(const absl::Status& status) { Finish(EndOfCall(status, method_, context_)); }
  void OnCancel() override { call_->Cancel(); }
  void OnDone() override { delete this; }

 private:
  grpc::CallbackServerContext& context_;
  const char* const method_;
  std::shared_ptr<UnaryCall> call_;
  Calls::Pass pass_;
};

}  // namespace ikstream
