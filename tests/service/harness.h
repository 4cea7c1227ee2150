// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// A server on free ports in this process, its client, and what tests read of both.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "app/server.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "grpcpp/grpcpp.h"
#include "ikstream/v1/service.grpc.pb.h"
#include "service/fake_engine.h"

namespace ikstream::testing {

// Free ports, two workers, a short drain.
Options TestOptions();

class TestServer {
 public:
  explicit TestServer(const Options& options = TestOptions(), Engine engine = FakeEngine());

  Server& server() { return *server_; }
  v1::IkService::Stub& stub() { return *stub_; }
  std::shared_ptr<grpc::Channel> channel() { return channel_; }
  std::string target() const;
  // The text of /metrics.
  std::string Scrape() const;
  // The value of one series as it stands in the text: `name{label="x"}`. -1: it is not there.
  double Metric(const std::string& series) const;

 private:
  std::unique_ptr<Server> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::IkService::Stub> stub_;
};

// A channel with a connection of its own.
std::shared_ptr<grpc::Channel> NewChannel(const std::string& target);

// The answer to GET on loopback, headers included. Empty: no connection.
std::string HttpGet(int port, const std::string& path);

// Gives a call 20 s unless it has a deadline, so that a fault fails instead of hanging.
void SetPatience(grpc::ClientContext& context);

v1::SolveRequest FakeRequest(int frames, const std::string& profile = "");
v1::SolveStreamRequest SetupMessage(const std::string& profile = "");
v1::SolveStreamRequest MotionMessage(int frames);

// One Solve with our patience.
grpc::Status Solve(v1::IkService::Stub& stub, const v1::SolveRequest& request,
                   v1::SolveResponse* response = nullptr);

// The detail of type T that an error carries; false: none.
template <typename T>
bool DetailOf(const grpc::Status& error, T& detail) {
  google::rpc::Status status;
  if (!status.ParseFromString(error.error_details())) return false;
  for (const auto& any : status.details()) {
    if (any.UnpackTo(&detail)) return true;
  }
  return false;
}

// Polls until it holds; false after 10 s.
bool Eventually(const std::function<bool()>& condition);

// The trailer of a call, empty where it was not sent.
std::string TrailerOf(const grpc::ClientContext& context, const std::string& key);

}  // namespace ikstream::testing
