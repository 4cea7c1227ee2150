// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "motion/histogram.h"

#include <algorithm>
#include <cmath>

namespace ikstream {
namespace {

constexpr double kLeast = 1e-6, kMost = 1e6;
constexpr double kBinsPerUnit = 100.4991708;  // 1 / ln(1.01)
constexpr int kSide = 2778;                   // ln(kMost / kLeast) * kBinsPerUnit, rounded up

int Bin(double value) {
  const double size = std::min(std::abs(value), kMost);
  if (!(size > kLeast)) return kSide;
  const int bin = 1 + static_cast<int>(std::log(size / kLeast) * kBinsPerUnit);
  return value > 0 ? kSide + std::min(bin, kSide) : kSide - std::min(bin, kSide);
}

double Centre(int bin) {
  if (bin == kSide) return 0;
  const double size = kLeast * std::exp((std::abs(bin - kSide) - 0.5) / kBinsPerUnit);
  return bin > kSide ? size : -size;
}

}  // namespace

void LogHistogram::Add(double value) {
  if (bins_.empty()) bins_.assign(2 * kSide + 1, 0);
  ++bins_[Bin(value)];
  max_ = count_ == 0 ? value : std::max(max_, value);
  sum_ += value;
  ++count_;
}

double LogHistogram::Percentile(double share) const {
  if (count_ == 0) return 0;
  const auto rank = static_cast<std::int64_t>(
      std::ceil(std::clamp(share, 0.0, 1.0) * static_cast<double>(count_)));
  std::int64_t seen = 0;
  for (int bin = 0; bin < static_cast<int>(bins_.size()); ++bin) {
    seen += bins_[bin];
    if (seen >= std::max<std::int64_t>(rank, 1)) return std::min(Centre(bin), max_);
  }
  return max_;
}

}  // namespace ikstream
