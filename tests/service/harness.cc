// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "service/harness.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "absl/strings/str_cat.h"
#include "spdlog/spdlog.h"

namespace ikstream::testing {

Options TestOptions() {
  Options options;
  options.listen = "127.0.0.1:0";
  options.metrics_listen = "127.0.0.1:0";
  options.workers = 2;
  options.drain_seconds = 5;
  return options;
}

TestServer::TestServer(const Options& options, Engine engine) {
  spdlog::set_level(spdlog::level::warn);
  auto server = Server::Start(options, std::move(engine));
  if (!server.ok()) {
    spdlog::critical("{}", std::string(server.status().message()));
    std::abort();
  }
  server_ = *std::move(server);
  channel_ = NewChannel(target());
  stub_ = v1::IkService::NewStub(channel_);
}

std::string TestServer::target() const { return absl::StrCat("127.0.0.1:", server_->port()); }

std::string TestServer::Scrape() const { return HttpGet(server_->metrics_port(), "/metrics"); }

double TestServer::Metric(const std::string& series) const {
  const std::string text = Scrape();
  const std::string line = "\n" + series + " ";
  const auto found = text.find(line);
  return found == std::string::npos ? -1 : std::atof(&text[found + line.size()]);
}

std::shared_ptr<grpc::Channel> NewChannel(const std::string& target) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(target, grpc::InsecureChannelCredentials(), arguments);
}

std::string HttpGet(int port, const std::string& path) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string answer;
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
    const std::string request =
        "GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    send(fd, request.data(), request.size(), MSG_NOSIGNAL);
    char buffer[4096];
    for (ssize_t n; (n = recv(fd, buffer, sizeof buffer, 0)) > 0;) {
      answer.append(buffer, static_cast<std::size_t>(n));
    }
  }
  close(fd);
  return answer;
}

void SetPatience(grpc::ClientContext& context) {
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
}

v1::SolveRequest FakeRequest(int frames, const std::string& profile) {
  v1::SolveRequest request;
  request.mutable_setup()->set_profile(profile);
  *request.mutable_motion() = FakeMotion(frames);
  return request;
}

v1::SolveStreamRequest SetupMessage(const std::string& profile) {
  v1::SolveStreamRequest message;
  message.mutable_setup()->set_profile(profile);
  return message;
}

v1::SolveStreamRequest MotionMessage(int frames) {
  v1::SolveStreamRequest message;
  *message.mutable_motion() = FakeMotion(frames);
  return message;
}

grpc::Status Solve(v1::IkService::Stub& stub, const v1::SolveRequest& request,
                   v1::SolveResponse* response) {
  grpc::ClientContext context;
  SetPatience(context);
  v1::SolveResponse ignored;
  return stub.Solve(&context, request, response != nullptr ? response : &ignored);
}

bool Eventually(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

std::string TrailerOf(const grpc::ClientContext& context, const std::string& key) {
  const auto& trailers = context.GetServerTrailingMetadata();
  const auto found = trailers.find(key);
  return found == trailers.end() ? "" : std::string(found->second.data(), found->second.size());
}

}  // namespace ikstream::testing
