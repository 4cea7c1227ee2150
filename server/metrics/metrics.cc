// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "metrics/metrics.h"

#include <cmath>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace ikstream {
namespace {

using Buckets = prometheus::Histogram::BucketBoundaries;

// 1, 2, 5 times each power of ten from 10^`low` to 10^`high`.
Buckets OneTwoFive(int low, int high) {
  Buckets out;
  for (int power = low; power < high; ++power) {
    for (int step : {1, 2, 5}) out.push_back(step * std::pow(10.0, power));
  }
  out.push_back(std::pow(10.0, high));
  return out;
}

// Fine where a live character's budget lies, coarse where farms wait.
const Buckets kCallSeconds = {10e-6, 50e-6, 100e-6, 300e-6, 600e-6, 800e-6, 1e-3, 2e-3, 3e-3,
                              5e-3,  8e-3,  10e-3,  16e-3,  33e-3,  50e-3,  0.1,  0.2,  0.5,
                              1,     2,     5,      10,     30,     60,     300};
const Buckets kFrameSeconds = OneTwoFive(-8, -1);
const Buckets kFrames = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096, 16384, 65536};
const Buckets kIterations = {0, 1, 2, 3, 5, 8, 12, 16, 24, 32, 64, 128, 256, 512, 1000};
const Buckets kRatios = OneTwoFive(-6, 0);
const Buckets kMetres = OneTwoFive(-5, 0);

const std::vector<std::string> kCodes = {
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
};

prometheus::Gauge& AddBuildInfo(prometheus::Registry& registry, const LabelSets& sets) {
  return prometheus::BuildGauge()
      .Name("ikstream_build_info")
      .Help("The version that runs; always 1.")
      .Register(registry)
      .Add({{"version", sets.version}, {"cpu_target", sets.cpu_target}});
}

}  // namespace

Label LabelOf(Method, const LabelSets&) {
  return {"method", {"Solve", "SolveClip", "SolveStream", "Trace", "GetServerInfo"}};
}
Label LabelOf(Direction, const LabelSets&) { return {"direction", {"received", "sent"}}; }
Label LabelOf(PriorityClass, const LabelSets&) { return {"priority", {"interactive", "bulk"}}; }
Label LabelOf(Rejection, const LabelSets&) {
  return {"reason", {"queue_full", "streams_full", "too_large", "draining", "unauthenticated"}};
}
Label LabelOf(Outcome, const LabelSets&) {
  return {"outcome",
          {"converged", "unreachable", "too_close", "limited", "stalled", "iteration_limit",
           "skipped"}};
}
Label LabelOf(Stage, const LabelSets&) { return {"stage", {"before", "after"}}; }
Label LabelOf(SolverIndex, const LabelSets& sets) { return {"solver", sets.solvers}; }
Label LabelOf(Code, const LabelSets&) { return {"code", kCodes}; }

// An initialiser per line of the list.
#define COUNTER(field, name, help, ...) \
  , field(prometheus::BuildCounter().Name(name).Help(help).Register(registry), sets)
#define GAUGE(field, name, help, ...) \
  , field(prometheus::BuildGauge().Name(name).Help(help).Register(registry), sets)
#define HISTOGRAM(field, name, help, buckets, ...) \
  , field(prometheus::BuildHistogram().Name(name).Help(help).Register(registry), sets, buckets)
// clang-format off
Metrics::Metrics(prometheus::Registry& registry, const LabelSets& sets)
    : build_info(AddBuildInfo(registry, sets))
#include "metrics/metrics.def"
{
  build_info.Set(1);
}
// clang-format on
#undef COUNTER
#undef GAUGE
#undef HISTOGRAM

}  // namespace ikstream
