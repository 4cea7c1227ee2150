// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "service/service.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "service/auth.h"
#include "service/errors.h"
#include "service/session_run.h"
#include "service/stream_reactors.h"
#include "service/unary_reactor.h"

namespace ikstream {
namespace {

constexpr const char* kMethodNames[] = {"Solve", "SolveClip", "SolveStream", "Trace",
                                        "GetServerInfo"};

const char* NameOf(Method method) { return kMethodNames[static_cast<int>(method)]; }

// The client's deadline on the steady clock, and no later than `most` from now (0: as the
// client says).
Stop::Clock::time_point DeadlineOf(const grpc::ServerContextBase& context,
                                   std::chrono::milliseconds most) {
  using std::chrono::system_clock;
  const auto now = Stop::Clock::now();
  const auto latest = most.count() > 0 ? now + most : Stop::Clock::time_point::max();
  const auto deadline = context.deadline();
  // gRPC says "none" with a time so far away that adding to it would overflow.
  if (deadline - system_clock::now() > std::chrono::hours(24 * 365)) return latest;
  return std::min(latest, now + std::chrono::duration_cast<Stop::Clock::duration>(
                                    deadline - system_clock::now()));
}

}  // namespace

IkService::IkService(const Parts& parts, Engine engine, ServiceOptions options)
    : pool_(parts.pool),
      metrics_(parts.metrics),
      calls_(parts.calls),
      engine_(std::move(engine)),
      options_(std::move(options)),
      info_(engine_.describe(options_.limits)) {
  info_.mutable_limits()->set_max_streams(options_.max_streams);
  info_.set_workers(pool_.options().workers);
}

grpc::ServerUnaryReactor* IkService::RunUnary(Context& context, const Unary& call,
                                              UnaryCall::Work work) {
  auto* reactor = new UnaryReactor(context, NameOf(call.method));
  CallMetrics metrics(metrics_, call.method);
  metrics.Received(static_cast<std::int64_t>(call.request.ByteSizeLong()));
  auto measured = [work = std::move(work), &response = call.response](const Stop& stop,
                                                                      CallMetrics& observed) {
    absl::Status status = work(stop, observed);
    if (status.ok()) observed.Sent(static_cast<std::int64_t>(response.ByteSizeLong()));
    return status;
  };
  const auto priority =
      call.priority == v1::PRIORITY_BULK ? PriorityClass::kBulk : PriorityClass::kInteractive;
  auto machine = std::make_shared<UnaryCall>(
      pool_, priority, metrics, DeadlineOf(context, options_.max_call_time),
      std::move(measured), [reactor](const absl::Status& status) { reactor->End(status); });
  Calls::Pass pass;
  absl::Status status = CheckBearer(context, options_.bearer_token);
  if (status.ok()) status = calls_.Enter(pass);
  reactor->Begin(machine, std::move(pass));
  if (status.ok()) {
    machine->Start();
  } else {
    machine->Refuse(status);
  }
  return reactor;
}

template <typename Reactor>
Reactor* IkService::RunStream(Context& context, Method method, CallShape shape,
                              const std::function<void(StreamMachine&)>& start) {
  auto* reactor = new Reactor(context, NameOf(method));
  const bool whole = shape == CallShape::kClip;
  auto machine = std::make_shared<StreamMachine>(
      StreamMachine::Parts{*reactor, pool_, engine_, options_}, shape,
      CallMetrics(metrics_, method),
      DeadlineOf(context, whole ? options_.max_call_time : std::chrono::milliseconds(0)));
  Calls::Pass pass;
  absl::Status status = CheckBearer(context, options_.bearer_token);
  if (status.ok()) status = calls_.EnterStream(machine, pass);
  reactor->Begin(machine, std::move(pass));
  if (status.ok()) {
    start(*machine);
  } else {
    machine->Refuse(status);
  }
  return reactor;
}

grpc::ServerUnaryReactor* IkService::Solve(Context* context, const v1::SolveRequest* request,
                                           v1::SolveResponse* response) {
  return RunUnary(*context, {Method::kSolve, request->setup().priority(), *request, *response},
                  [this, request, response](const Stop& stop, CallMetrics& metrics) {
                    SessionRun run(engine_, options_, CallShape::kUnary, metrics);
                    Session::Replies replies;
                    absl::Status status =
                        run.Whole(request->setup(), request->motion(), stop, replies);
                    if (status.ok()) *response = JoinReplies(std::move(replies));
                    return status;
                  });
}

grpc::ServerWriteReactor<v1::SolveClipResponse>* IkService::SolveClip(
    Context* context, const v1::SolveClipRequest* request) {
  return RunStream<SolveClipReactor>(*context, Method::kSolveClip, CallShape::kClip,
                                     [request](StreamMachine& machine) {
                                       machine.StartWhole(request->setup(), request->motion());
                                     });
}

grpc::ServerBidiReactor<v1::SolveStreamRequest, v1::SolveStreamResponse>*
IkService::SolveStream(Context* context) {
  return RunStream<SolveStreamReactor>(*context, Method::kSolveStream, CallShape::kStream,
                                       [](StreamMachine& machine) { machine.Start(); });
}

grpc::ServerUnaryReactor* IkService::Trace(Context* context, const v1::TraceRequest* request,
                                           v1::TraceResponse* response) {
  return RunUnary(*context, {Method::kTrace, request->setup().priority(), *request, *response},
                  [this, request, response](const Stop& stop, CallMetrics&) -> absl::Status {
                    if (!engine_.trace)
                      return absl::UnimplementedError("this server does not serve Trace");
                    auto traced = engine_.trace(*request, options_.limits, stop);
                    if (!traced.ok()) return traced.status();
                    *response = *std::move(traced);
                    return absl::OkStatus();
                  });
}

grpc::ServerUnaryReactor* IkService::GetServerInfo(Context* context,
                                                   const v1::GetServerInfoRequest* request,
                                                   v1::GetServerInfoResponse* response) {
  // A copy of what never changes: answered here, also where the queue is full.
  CallMetrics metrics(metrics_, Method::kGetServerInfo);
  const absl::Status status = CheckBearer(*context, options_.bearer_token);
  if (status.ok()) *response = info_;
  metrics.Received(static_cast<std::int64_t>(request->ByteSizeLong()));
  metrics.Sent(static_cast<std::int64_t>(response->ByteSizeLong()));
  CountEnd(status, metrics);
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(EndOfCall(status, NameOf(Method::kGetServerInfo), *context));
  return reactor;
}

}  // namespace ikstream
