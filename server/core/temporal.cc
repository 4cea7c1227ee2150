// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/temporal.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace ikstream {
namespace {

// 0 per second means "as fast as asked".
double PerFrame(double per_second, double rate) {
  return per_second > 0 ? per_second / rate : std::numeric_limits<double>::infinity();
}

// What a first-order low pass lets through in one frame.
double LowPass(double cutoff, double rate) {
  return 1 / (1 + rate / (2 * std::numbers::pi * cutoff));
}

Vec3d Way(const Quatd& from, const Quatd& to) { return RotationVector(to * Conjugate(from)); }
Vec3d Way(const Vec3d& from, const Vec3d& to) { return to - from; }
Quatd PartOfWay(const Quatd& from, const Quatd& to, double share) {
  return Slerp(from, to, share);
}
Vec3d PartOfWay(const Vec3d& from, const Vec3d& to, double share) {
  return from + (to - from) * share;
}

// `share` of the way from one unit direction to another, on the shortest arc; opposite ones
// have none.
Vec3d TurnTo(Vec3d from, Vec3d to, double share) {
  const Vec3d axis = Cross(from, to);
  const double n = Length(axis);
  if (n < 1e-9) return to;
  return Rotate(FromAxisAngle(axis / n, std::atan2(n, Dot(from, to)) * share), from);
}

}  // namespace

WeightRate::WeightRate(const Temporal& temporal, double frames_per_second)
    : most_up_(PerFrame(temporal.weight_rise, frames_per_second)),
      most_down_(PerFrame(temporal.weight_fall, frames_per_second)) {}

float WeightRate::Next(float asked) {
  const double goal = asked;
  at_ = active_ ? std::clamp(goal, at_ - most_down_, at_ + most_up_) : goal;
  // Rounding of many steps must not leave a trace of weight.
  if (std::abs(at_ - goal) < 1e-7) at_ = goal;
  active_ = true;
  return static_cast<float>(at_);
}

TargetSmoothing::TargetSmoothing(const Chain& chain, double frames_per_second)
    : chain_(chain), share_(1) {
  const double half_life = chain.spec.temporal.target_half_life;
  if (half_life > 0) share_ = 1 - std::exp2(-1 / (frames_per_second * half_life));
}

void TargetSmoothing::Reset() { position_ = {}, pole_ = {}, rotation_ = {}; }

ChainTargets TargetSmoothing::Apply(const ChainTargets& asked, const float* weights,
                                    int frames) {
  const auto count = static_cast<size_t>(frames);
  if (positions_.size() < 3 * count) {
    positions_.resize(3 * count);
    rotations_.resize(4 * count);
    poles_.resize(3 * count);
  }
  if (!asked.positions) position_ = {};
  if (!asked.rotations) rotation_ = {};
  for (int f = 0; f < frames; ++f) {
    // A frame without weight is at its goal, and so is the one after it.
    const bool off = !(weights[f] > 0);
    if (off) Reset();
    Ease(asked, f);
    if (off) Reset();
  }
  ChainTargets out = asked;
  if (asked.positions) out.positions = {positions_.data(), 3};
  if (asked.rotations) out.rotations = {rotations_.data(), 4};
  if (chain_.spec.pole.kind != PoleKind::kNone) out.poles = {poles_.data(), 3};
  return out;
}

void TargetSmoothing::Ease(const ChainTargets& asked, int frame) {
  if (asked.positions) {
    const auto goal = Cast<double>(LoadVec3(asked.positions.at(frame)));
    const Vec3d at = position_.active ? position_.at + (goal - position_.at) * share_ : goal;
    position_ = {true, at};
    Store(Cast<float>(at), positions_.data() + 3LL * frame);
  }
  if (asked.rotations) {
    const auto goal = Normalized(Cast<double>(LoadQuat(asked.rotations.at(frame))));
    const Quatd at = rotation_.active ? Slerp(rotation_.at, goal, share_) : goal;
    rotation_ = {true, at};
    Store(Cast<float>(at), rotations_.data() + 4LL * frame);
  }
  if (chain_.spec.pole.kind == PoleKind::kNone) return;
  const Vec3f pole = asked.poles ? LoadVec3(asked.poles.at(frame)) : chain_.spec.pole.value;
  EasePole(Cast<double>(pole), poles_.data() + 3LL * frame);
}

void TargetSmoothing::EasePole(Vec3d asked, float* out) {
  Vec3d at = asked;
  bool there = true;
  if (chain_.spec.pole.kind == PoleKind::kPoint) {
    if (pole_.active) at = pole_.at + (asked - pole_.at) * share_;
  } else {
    const Vec3d goal = NormalizedOr(asked, Vec3d{});
    there = Dot(goal, goal) > 0;
    at = pole_.active && there ? TurnTo(pole_.at, goal, share_) : goal;
  }
  pole_ = {there, at};
  Store(Cast<float>(at), out);
}

template <class V>
void OneEuroOf<V>::Track(const V& raw, const OneEuroSettings& settings) {
  if (active_) {
    speed_ += (Way(raw_, raw) * settings.rate - speed_) * LowPass(1, settings.rate);
  } else {
    speed_ = {};
    out_ = raw;
  }
  active_ = true;
  raw_ = raw;
}

template <class V>
bool OneEuroOf<V>::Next(const V& raw, const OneEuroSettings& settings) {
  const bool first = !active_;
  Track(raw, settings);
  if (first) return false;
  const double cutoff = settings.min_cutoff + settings.beta * Length(speed_);
  out_ = PartOfWay(out_, raw, LowPass(cutoff, settings.rate));
  return true;
}

template <class V>
void OneEuroOf<V>::Skip(const V& raw, float weight, const OneEuroSettings& settings) {
  Track(raw, settings);
  out_ = raw_;
  active_ = weight > 0;
}

template class OneEuroOf<Quatd>;
template class OneEuroOf<Vec3d>;

Quatf OneEuro::Next(Quatf raw, const OneEuroSettings& settings) {
  const bool filtered = filter_.Next(Normalized(Cast<double>(raw)), settings);
  return filtered ? Cast<float>(filter_.out()) : raw;
}

void OneEuro::Skip(Quatf raw, float weight, const OneEuroSettings& settings) {
  filter_.Skip(Normalized(Cast<double>(raw)), weight, settings);
}

}  // namespace ikstream
