// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The process's own figures under Prometheus's usual names (process_cpu_seconds_total, ...),
// read from /proc at each scrape.
#pragma once

#include <vector>

#include "prometheus/collectable.h"
#include "prometheus/metric_family.h"

namespace ikstream {

// Thread-safe.
class ProcessMetrics : public prometheus::Collectable {
 public:
  std::vector<prometheus::MetricFamily> Collect() const override;
};

}  // namespace ikstream
