// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include <future>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cpp/engine.h"
#include "cpp/errors.h"
#include "cpp/remote_channel.h"
#include "google/protobuf/wrappers.pb.h"
#include "grpcpp/generic/generic_stub.h"
#include "ikstream/v1/service.grpc.pb.h"

namespace ikstream::client {
namespace {

// grpc.health.v1.HealthCheckRequest is one string as field 1 and its response one enum as
// field 1: on the wire, these two.
using HealthRequest = google::protobuf::StringValue;
using HealthResponse = google::protobuf::Int32Value;
using HealthStub = grpc::TemplatedGenericStub<HealthRequest, HealthResponse>;
constexpr int kServing = 1;

absl::Status HealthStatus(int state) {
  if (state == kServing) return absl::OkStatus();
  const char* const text = state == 2   ? "NOT_SERVING"
                           : state == 3 ? "SERVICE_UNKNOWN"
                                        : "UNKNOWN";
  return absl::UnavailableError(text);
}

class RemoteClip final : public ClipStream {
 public:
  using Call = grpc::ClientReaderWriter<v1::SolveStreamRequest, v1::SolveStreamResponse>;

  RemoteClip(std::unique_ptr<grpc::ClientContext> context, v1::IkService::Stub& stub,
             Cancellation& cancellation)
      : context_(std::move(context)),
        watch_(cancellation, [this]() { context_->TryCancel(); }),
        call_(stub.SolveStream(context_.get())) {}

  ~RemoteClip() override {
    if (finished_) return;
    context_->TryCancel();
    call_->Finish().ok();
  }

  absl::Status Start(const v1::Setup& setup) {
    v1::SolveStreamRequest request;
    *request.mutable_setup() = setup;
    call_->Write(request);  // where it fails, reading tells why
    auto first = Next();
    if (!first.ok()) return first.status();
    if (!first->has_value() || !(**first).has_ready()) {
      return absl::InternalError("the server's first reply is not ready");
    }
    ready_ = std::move(*(**first).mutable_ready());
    return absl::OkStatus();
  }

  const v1::StreamReady& ready() const override { return ready_; }
  bool Push(const v1::SolveStreamRequest& request) override { return call_->Write(request); }
  void HalfClose() override { call_->WritesDone(); }
  void Cancel() override { context_->TryCancel(); }

  absl::StatusOr<std::optional<Reply>> Next() override {
    Reply reply;
    if (!finished_ && call_->Read(&reply)) return reply;
    if (!finished_) status_ = FromGrpc(call_->Finish());
    finished_ = true;
    if (!status_.ok()) return status_;
    return std::nullopt;
  }

 private:
  const std::unique_ptr<grpc::ClientContext> context_;
  const Cancellation::Watch watch_;
  const std::unique_ptr<Call> call_;
  v1::StreamReady ready_;
  bool finished_ = false;  // of the reading thread
  absl::Status status_;
};

class RemoteEngine final : public Engine {
 public:
  RemoteEngine(RemoteOptions options, std::shared_ptr<grpc::Channel> channel)
      : options_(std::move(options)),
        channel_(std::move(channel)),
        stub_(v1::IkService::NewStub(channel_)),
        health_(channel_) {}

  absl::StatusOr<v1::GetServerInfoResponse> Info() override {
    v1::GetServerInfoResponse response;
    const auto context = NewContext(options_.call_timeout);
    absl::Status status = Named(FromGrpc(stub_->GetServerInfo(context.get(), {}, &response)));
    if (!status.ok()) return status;
    return response;
  }

  absl::StatusOr<v1::SolveResponse> Solve(const v1::SolveRequest& request) override {
    v1::SolveResponse response;
    const auto context = NewContext(options_.call_timeout);
    absl::Status status = Named(FromGrpc(stub_->Solve(context.get(), request, &response)));
    if (!status.ok()) return status;
    return response;
  }

  absl::StatusOr<v1::TraceResponse> Trace(const v1::TraceRequest& request) override {
    v1::TraceResponse response;
    const auto context = NewContext(options_.call_timeout);
    absl::Status status = Named(FromGrpc(stub_->Trace(context.get(), request, &response)));
    if (!status.ok()) return status;
    return response;
  }

  absl::Status Health() override {
    HealthRequest request;
    request.set_value(v1::IkService::service_full_name());
    HealthResponse response;
    const auto context = NewContext(options_.call_timeout);
    std::promise<grpc::Status> done;
    health_.UnaryCall(context.get(), "/grpc.health.v1.Health/Check", {}, &request, &response,
                      [&done](grpc::Status status) { done.set_value(std::move(status)); });
    const absl::Status status = Named(FromGrpc(done.get_future().get()));
    return status.ok() ? HealthStatus(response.value()) : status;
  }

  absl::StatusOr<std::unique_ptr<ClipStream>> OpenClip(const v1::Setup& setup,
                                                       Cancellation& cancellation) override {
    auto clip =
        std::make_unique<RemoteClip>(NewContext(options_.clip_timeout), *stub_, cancellation);
    if (absl::Status status = clip->Start(setup); !status.ok()) return Named(status);
    return clip;
  }

  bool Pause(absl::Duration longest, Cancellation& cancellation) override {
    return AwaitChannel(*channel_, longest, cancellation);
  }

  std::string name() const override { return options_.server; }

 private:
  std::unique_ptr<grpc::ClientContext> NewContext(absl::Duration timeout) const {
    auto context = std::make_unique<grpc::ClientContext>();
    if (timeout > absl::ZeroDuration()) {
      context->set_deadline(absl::ToChronoTime(absl::Now() + timeout));
    }
    if (!options_.token.empty()) {
      context->AddMetadata("authorization", absl::StrCat("Bearer ", options_.token));
    }
    return context;
  }

  // Says whom a call could not reach: gRPC's own text does not.
  absl::Status Named(const absl::Status& status) const {
    if (!absl::IsUnavailable(status) || !ErrorReason(status).empty()) return status;
    return absl::UnavailableError(
        absl::StrCat("no answer from ", options_.server, ": ", status.message()));
  }

  const RemoteOptions options_;
  const std::shared_ptr<grpc::Channel> channel_;
  const std::unique_ptr<v1::IkService::Stub> stub_;
  HealthStub health_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Engine>> MakeRemoteEngine(const RemoteOptions& options) {
  auto channel = OpenChannel(options);
  if (!channel.ok()) return channel.status();
  return std::make_unique<RemoteEngine>(options, *std::move(channel));
}

}  // namespace ikstream::client
