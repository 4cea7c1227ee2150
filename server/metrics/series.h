// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// All series of one metric, made at start: observing one costs an index, no look-up by name.
//
//   Series<prometheus::Counter, Method, Code> handled(family, sets);
//   handled(Method::kSolve, Code::kOk).Increment();
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "metrics/labels.h"
#include "prometheus/family.h"
#include "prometheus/histogram.h"

namespace ikstream {

// Thread-safe once made. REQUIRES: label values within their sets.
template <typename T, typename... Labels>
class Series {
 public:
  // `args` are those of T beside its labels (a histogram's buckets).
  template <typename... Args>
  Series(prometheus::Family<T>& family, const LabelSets& sets, const Args&... args) {
    labels_ = {LabelOf(Labels{}, sets)...};
    Add(family, {}, 0, args...);
  }

  T& operator()(Labels... labels) const {
    std::size_t index = 0, axis = 0;
    ((index = index * labels_[axis++].values.size() + IndexOf(labels)), ...);
    return *series_[index];
  }

 private:
  template <typename... Args>
  void Add(prometheus::Family<T>& family, const std::map<std::string, std::string>& set,
           std::size_t axis, const Args&... args) {
    if (axis == labels_.size()) {
      series_.push_back(&family.Add(set, args...));
      return;
    }
    for (const std::string& value : labels_[axis].values) {
      auto with = set;
      with[labels_[axis].name] = value;
      Add(family, with, axis + 1, args...);
    }
  }

  std::vector<Label> labels_;
  std::vector<T*> series_;
};

// Series of a histogram, which can also take many equal observations under one lock.
template <typename... Labels>
class Histograms : public Series<prometheus::Histogram, Labels...> {
 public:
  using Buckets = prometheus::Histogram::BucketBoundaries;

  Histograms(prometheus::Family<prometheus::Histogram>& family, const LabelSets& sets,
             const Buckets& buckets)
      : Series<prometheus::Histogram, Labels...>(family, sets, buckets), buckets_(buckets) {}

  void ObserveMany(double value, std::int64_t count, Labels... labels) const {
    std::vector<double> increments(buckets_.size() + 1);
    const auto bucket = std::lower_bound(buckets_.begin(), buckets_.end(), value);
    increments[bucket - buckets_.begin()] = static_cast<double>(count);
    (*this)(labels...).ObserveMultiple(increments, value * static_cast<double>(count));
  }

 private:
  const Buckets buckets_;
};

}  // namespace ikstream
