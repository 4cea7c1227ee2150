// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "metrics/endpoint.h"

#include <CivetServer.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "prometheus/text_serializer.h"

namespace ikstream {
namespace {

void Answer(mg_connection* connection, int code, const char* type, const std::string& body) {
  mg_printf(connection,
            "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
            "Cache-Control: no-store\r\nConnection: close\r\n\r\n",
            code, mg_get_response_code_text(connection, code), type, body.size());
  mg_write(connection, body.data(), body.size());
}

// A page made afresh for each GET.
class Page : public CivetHandler {
 public:
  struct Content {
    int code = 200;
    std::string body;
  };
  using Make = std::function<Content()>;

  Page(const char* type, Make make) : type_(type), make_(std::move(make)) {}

  bool handleGet(CivetServer*, mg_connection* connection) override {
    const Content content = make_();
    Answer(connection, content.code, type_, content.body);
    return true;
  }

 private:
  const char* const type_;
  const Make make_;
};

// What civetweb says while it starts on this thread.
thread_local std::string start_message;

int KeepMessage(const mg_connection*, const char* message) {
  if (!start_message.empty()) start_message += "; ";
  start_message += message;
  return 1;
}

// HOST of HOST:PORT, without the brackets of IPv6.
std::string HostOf(const std::string& address) {
  std::string host = address.substr(0, address.rfind(':'));
  if (!host.empty() && host.front() == '[') host = host.substr(1, host.size() - 2);
  return host;
}

class CivetEndpoint : public Endpoint {
 public:
  // Throws CivetException.
  CivetEndpoint(const std::string& address, const CivetCallbacks& callbacks, Sources sources)
      : host_(HostOf(address)),
        sources_(std::move(sources)),
        metrics_("text/plain; version=0.0.4; charset=utf-8", [this] { return Metrics(); }),
        health_("text/plain",
                [] {
                  return Page::Content{200, "ok\n"};
                }),
        ready_("text/plain", [this] { return Ready(); }),
        server_({"listening_ports", address, "num_threads", "4", "request_timeout_ms", "10000"},
                &callbacks) {
    server_.addHandler("/metrics$", metrics_);
    server_.addHandler("/healthz$", health_);
    server_.addHandler("/readyz$", ready_);
  }

  // civetweb's listener looks whether it is to stop when a client connects, else every 2 s.
  ~CivetEndpoint() override {
    const int open_port = port();
    std::atomic<bool> closed{false};
    std::thread wake([&closed, open_port, host = host_] {
      while (!closed) {
        char error[128];
        mg_connection* connection =
            mg_connect_client(host.c_str(), open_port, 0, error, sizeof error);
        if (connection != nullptr) mg_close_connection(connection);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
    });
    server_.close();
    closed = true;
    wake.join();
  }

  int port() const override { return server_.getListeningPorts().front(); }

 private:
  Page::Content Metrics() const {
    sources_.before_scrape();
    std::vector<prometheus::MetricFamily> families;
    for (const prometheus::Collectable* source : sources_.collectables) {
      for (auto& family : source->Collect()) families.push_back(std::move(family));
    }
    return {200, prometheus::TextSerializer().Serialize(families)};
  }

  Page::Content Ready() const {
    return sources_.ready() ? Page::Content{200, "ready\n"} : Page::Content{503, "not ready\n"};
  }

  const std::string host_;
  const Sources sources_;
  Page metrics_, health_, ready_;
  mutable CivetServer server_;  // last: it stops before the pages go
};

}  // namespace

absl::StatusOr<std::unique_ptr<Endpoint>> Endpoint::Start(const std::string& address,
                                                          Sources sources) {
  if (HostOf(address).find(':') != std::string::npos && !mg_check_feature(MG_FEATURES_IPV6)) {
    return absl::UnavailableError(
        absl::StrCat("cannot serve metrics on ", address,
                     ": the HTTP library here was built without IPv6; give an IPv4 address"));
  }
  CivetCallbacks callbacks;
  callbacks.log_message = &KeepMessage;
  start_message.clear();
  try {
    return std::make_unique<CivetEndpoint>(address, callbacks, std::move(sources));
  } catch (const std::exception& error) {
    return absl::UnavailableError(
        absl::StrCat("cannot serve metrics on ", address, ": ",
                     start_message.empty() ? std::string(error.what()) : start_message,
                     " (choose another address with --metrics-listen, or `off`)"));
  }
}

}  // namespace ikstream
