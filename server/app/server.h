// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The whole server as one object: what is built, in the order of its needs. Tests run it in
// their own process on port 0; the binary adds options and signals.
#pragma once

#include <atomic>
#include <memory>

#include "absl/status/statusor.h"
#include "app/options.h"
#include "grpcpp/grpcpp.h"
#include "metrics/endpoint.h"
#include "metrics/metrics.h"
#include "metrics/process.h"
#include "pool/pool.h"
#include "service/calls.h"
#include "service/engine.h"
#include "service/service.h"

namespace ikstream {

class Server {
 public:
  // Serves once this returns. Errors: see StartGrpc and Endpoint::Start.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const Options& options, Engine engine);
  // Drains, unless that was done.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const { return port_; }
  int metrics_port() const { return endpoint_ ? endpoint_->port() : 0; }

  // Ends service: health NOT_SERVING, a time for that to spread, streams ended at a batch
  // boundary, calls waited for, then all is torn down. Blocks; once, by one thread.
  void Drain();

  // For figures: what waits and what runs.
  const Pool& pool() const { return pool_; }

 private:
  Server(const Options& options, Engine engine, const v1::GetServerInfoResponse& info);
  absl::Status Listen();
  void Refresh();

  const Options options_;
  prometheus::Registry registry_;
  ProcessMetrics process_metrics_;
  Metrics metrics_;
  Pool pool_;
  Calls calls_;
  IkService service_;
  std::atomic<bool> ready_{false};
  std::unique_ptr<Endpoint> endpoint_;
  std::unique_ptr<grpc::Server> grpc_;
  int port_ = 0;
};

}  // namespace ikstream
