// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "motion/jitter.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "motion/curves.h"

namespace ikstream {
namespace {

constexpr double kImpact = 4;
// The median is looked up this often.
constexpr std::int64_t kMedianFrames = 32;
// One Euro (Casiez et al. 2012): the cut-off of the speed, and the cut-off's growth in hertz
// per m/s.
constexpr double kSpeedCutoffHz = 1, kBetaHz = 5;

// A Gaussian whose power is halved at the cut-off: exp(-2 (pi sigma f)^2) = 1 / sqrt(2).
double SigmaFrames(const JitterSettings& settings, double fps) {
  const double cutoff = *settings.cutoff_hz;
  return std::sqrt(std::numbers::ln2 / 4) / (std::numbers::pi * cutoff) * fps;
}

// The share of a new value in a first-order low pass.
double Alpha(double cutoff_hz, double fps) {
  const double r = 2 * std::numbers::pi * cutoff_hz / fps;
  return r / (r + 1);
}

bool IsLowPass(const JitterSettings& settings) {
  return *settings.mode == JitterSettings::Mode::kLowPass;
}

}  // namespace

std::int64_t JitterFilter::Radius(const JitterSettings& settings, double fps) {
  if (!IsLowPass(settings)) return 0;
  return static_cast<std::int64_t>(GaussianKernel(SigmaFrames(settings, fps)).size() / 2);
}

JitterFilter::JitterFilter(const JitterSettings& settings, double fps, double units_per_metre,
                           std::int64_t frames, std::int64_t lag)
    : low_pass_(IsLowPass(settings)),
      fps_(fps),
      cutoff_hz_(*settings.cutoff_hz),
      beta_per_unit_(kBetaHz / units_per_metre),
      frames_(frames),
      kernel_(GaussianKernel(SigmaFrames(settings, fps))),
      path_(lag + static_cast<std::int64_t>(kernel_.size()) + 4) {}

void JitterFilter::Add(std::int64_t i, Vec3d ankle) {
  path_[i] = ankle;
  if (i >= 2) accelerations_.Add(Length(ankle - path_[i - 1] * 2.0 + path_[i - 2]));
}

bool JitterFilter::IsImpact(std::int64_t i) {
  if (i % kMedianFrames == 0 || median_ < 0) median_ = accelerations_.Percentile(0.5);
  if (i < 1 || i + 1 >= frames_) return false;
  const double now = Length(path_[i + 1] - path_[i] * 2.0 + path_[i - 1]);
  return now > kImpact * median_;
}

Vec3d JitterFilter::LowPass(std::int64_t i) const {
  const auto radius = static_cast<std::int64_t>(kernel_.size() / 2);
  Vec3d sum;
  for (std::int64_t k = -radius; k <= radius; ++k)
    sum += path_[std::clamp<std::int64_t>(i + k, 0, frames_ - 1)] *
           kernel_[static_cast<size_t>(k + radius)];
  return sum;
}

Vec3d JitterFilter::OneEuro(std::int64_t i) {
  if (i == 0) return filtered_ = path_[0];
  const Vec3d raw = (path_[i] - path_[i - 1]) * fps_;
  speed_ += (raw - speed_) * Alpha(kSpeedCutoffHz, fps_);
  const double cutoff = cutoff_hz_ + beta_per_unit_ * Length(speed_);
  return filtered_ += (path_[i] - filtered_) * Alpha(cutoff, fps_);
}

Vec3d JitterFilter::Offset(std::int64_t i) {
  const Vec3d filtered = low_pass_ ? LowPass(i) : OneEuro(i);
  return IsImpact(i) ? Vec3d{} : filtered - path_[i];
}

}  // namespace ikstream
