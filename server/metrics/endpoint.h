// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The HTTP port for machines that watch the server: /metrics (Prometheus text), /healthz (the
// process runs) and /readyz (it takes calls; 503 where not).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "prometheus/collectable.h"

namespace ikstream {

class Endpoint {
 public:
  struct Sources {
    std::vector<const prometheus::Collectable*> collectables;
    std::function<void()> before_scrape;  // brings gauges up to date
    std::function<bool()> ready;
  };

  // Serves on `address` (HOST:PORT; port 0: a free one) on threads of its own until destroyed.
  // `sources` must stay valid till then; its functions are thread-safe. Error: UNAVAILABLE with
  // the address and the reason, such as a port that is taken.
  static absl::StatusOr<std::unique_ptr<Endpoint>> Start(const std::string& address,
                                                         Sources sources);
  virtual ~Endpoint() = default;
  virtual int port() const = 0;
};

}  // namespace ikstream
