// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The server's metrics as one struct; each field comes from one line of metrics.def.
#pragma once

#include "metrics/labels.h"
#include "metrics/series.h"
#include "prometheus/counter.h"
#include "prometheus/gauge.h"
#include "prometheus/histogram.h"
#include "prometheus/registry.h"

namespace ikstream {

// Thread-safe once made.
struct Metrics {
  // REQUIRES: `registry` outlives this.
  Metrics(prometheus::Registry& registry, const LabelSets& sets);
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  prometheus::Gauge& build_info;
#define COUNTER(field, name, help, ...) \
  Series<prometheus::Counter __VA_OPT__(, ) __VA_ARGS__> field;
#define GAUGE(field, name, help, ...) \
  Series<prometheus::Gauge __VA_OPT__(, ) __VA_ARGS__> field;
#define HISTOGRAM(field, name, help, buckets, ...) Histograms<__VA_ARGS__> field;
#include "metrics/metrics.def"
#undef COUNTER
#undef GAUGE
#undef HISTOGRAM
};

}  // namespace ikstream
