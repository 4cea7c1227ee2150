// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "motion/histogram.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace ikstream {
namespace {

constexpr double kLeast = 1e-6, kMost = 1e6;
constexpr double kBinsPerUnit = 100.4991708;  // 1 / ln(1.01)
constexpr int kSide = 2778;                   // ln(kMost / kLeast) * kBinsPerUnit, rounded up

// The bin of a size beyond kLeast, counted from 1.
int BinByLog(double size) {
  return std::min(1 + static_cast<int>(std::log(size / kLeast) * kBinsPerUnit), kSide);
}

// The same without a logarithm. The leading bits of a double, read as a whole number, are a
// step of its exponent and of kSteps within it; a step is narrower than a bin, so that a size
// is in the bin in which its step begins or in the next.
class Bins {
 public:
  Bins() {
    for (int bin = 1; bin < kSide; ++bin) {
      double edge = kLeast * std::exp(bin / kBinsPerUnit);
      while (BinByLog(edge) > bin) edge = std::nextafter(edge, 0.0);
      while (BinByLog(edge) <= bin) edge = std::nextafter(edge, 2 * kMost);
      edges_[static_cast<size_t>(bin)] = edge;
    }
    edges_.back() = std::numeric_limits<double>::infinity();
    for (size_t step = 0; step < first_.size(); ++step) {
      const double begin = std::bit_cast<double>((kFirstStep + step) << kShift);
      first_[step] = static_cast<std::int16_t>(BinByLog(std::max(begin, kLeast)));
    }
  }

  int Of(double size) const {
    const auto step = (std::bit_cast<std::uint64_t>(size) >> kShift) - kFirstStep;
    const int bin = first_[step];
    return bin + (size >= edges_[static_cast<size_t>(bin)] ? 1 : 0);
  }

 private:
  static constexpr int kShift = 45;  // 2^7 steps per exponent
  static constexpr std::uint64_t kFirstStep = std::bit_cast<std::uint64_t>(kLeast) >> kShift;
  static constexpr std::uint64_t kLastStep = std::bit_cast<std::uint64_t>(kMost) >> kShift;
  std::array<double, kSide + 1> edges_{};  // edges_[b]: the least size beyond bin b
  std::array<std::int16_t, kLastStep - kFirstStep + 1> first_{};
};

int Bin(double value) {
  static const Bins* const bins = new Bins();
  const double size = std::min(std::abs(value), kMost);
  if (!(size > kLeast)) return kSide;
  return value > 0 ? kSide + bins->Of(size) : kSide - bins->Of(size);
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
