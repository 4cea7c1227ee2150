// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// A histogram of fixed logarithmic bins (1 % wide), so that percentiles of a stream of any
// length need bounded memory and do not depend on batches. Signed: negative values have bins of
// their own. Not thread-safe.
#pragma once

#include <cstdint>
#include <vector>

namespace ikstream {

class LogHistogram {
 public:
  // Values nearer to 0 than 1e-6 count as 0; values beyond 1e6 as 1e6.
  void Add(double value);
  std::int64_t count() const { return count_; }
  double mean() const { return count_ > 0 ? sum_ / static_cast<double>(count_) : 0; }
  double max() const { return count_ > 0 ? max_ : 0; }
  // The value below which `share` (0..1) of the values lie, within 1 %; 0 where there is none.
  double Percentile(double share) const;

 private:
  std::vector<std::int64_t> bins_;  // made by the first Add
  std::int64_t count_ = 0;
  double sum_ = 0, max_ = 0;
};

}  // namespace ikstream
