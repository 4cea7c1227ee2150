// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "app/server.h"

#include <chrono>
#include <thread>
#include <utility>

#include "app/grpc_server.h"
#include "grpcpp/health_check_service_interface.h"
#include "pool/cpu_quota.h"
#include "spdlog/spdlog.h"

namespace ikstream {
namespace {

using Clock = std::chrono::steady_clock;

Clock::duration Seconds(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

LabelSets LabelsOf(const v1::GetServerInfoResponse& info) {
  LabelSets sets;
  for (const v1::SolverInfo& solver : info.solvers()) sets.solvers.push_back(solver.name());
  sets.version = info.version();
  sets.cpu_target = info.cpu_target();
  return sets;
}

Pool::Options PoolOptions(const Options& options) {
  Pool::Options pool;
  pool.workers = options.workers > 0
                     ? options.workers
                     : WorkerCount(CpuQuota(), std::thread::hardware_concurrency());
  pool.capacity = options.queue_capacity;
  return pool;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const Options& options, Engine engine) {
  const v1::GetServerInfoResponse info = engine.describe(options.service.limits);
  std::unique_ptr<Server> server(new Server(options, std::move(engine), info));
  absl::Status status = server->Listen();
  if (!status.ok()) return status;
  return server;
}

Server::Server(const Options& options, Engine engine, const v1::GetServerInfoResponse& info)
    : options_(options),
      metrics_(registry_, LabelsOf(info)),
      pool_(PoolOptions(options)),
      calls_(metrics_, options.service.max_streams),
      service_({pool_, metrics_, calls_}, std::move(engine), options.service) {
  metrics_.workers().Set(pool_.options().workers);
  metrics_.queue_capacity().Set(options.queue_capacity);
}

absl::Status Server::Listen() {
  if (options_.metrics_listen != "off") {
    auto endpoint =
        Endpoint::Start(options_.metrics_listen, {{&registry_, &process_metrics_},
                                                  [this] { Refresh(); },
                                                  [this] { return ready_.load(); }});
    if (!endpoint.ok()) return endpoint.status();
    endpoint_ = *std::move(endpoint);
  }
  auto started = StartGrpc(options_, service_, port_);
  if (!started.ok()) return started.status();
  grpc_ = *std::move(started);
  grpc_->GetHealthCheckService()->SetServingStatus(v1::IkService::service_full_name(), true);
  ready_ = true;
  return absl::OkStatus();
}

Server::~Server() { Drain(); }

void Server::Refresh() {
  const Pool::Stats stats = pool_.stats();
  metrics_.queue_depth().Set(static_cast<double>(stats.waiting));
  metrics_.workers_busy().Set(static_cast<double>(stats.running));
}

void Server::Drain() {
  if (grpc_ == nullptr) return;
  ready_ = false;
  metrics_.draining().Set(1);
  grpc_->GetHealthCheckService()->SetServingStatus(false);
  std::this_thread::sleep_for(Seconds(options_.drain_propagation_seconds));
  calls_.Drain();
  const bool idle = calls_.WaitIdle(Clock::now() + Seconds(options_.drain_seconds));
  if (!idle) spdlog::warn("calls were still in progress after the drain time: cancelling them");
  // Only calls of others, such as health watches, may be left: they never end by themselves.
  constexpr auto kLast = std::chrono::milliseconds(100);
  grpc_->Shutdown(std::chrono::system_clock::now() + (idle ? kLast : kLast * 0));
  grpc_->Wait();
  grpc_.reset();
  pool_.Stop();
  endpoint_.reset();
}

}  // namespace ikstream
