// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cpp/bvh/trig_lanes.h"

#include "core/lanes/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpp/bvh/trig_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// after foreach_target
#include "cpp/bvh/trig.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream::bvh {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<double>;
using Bits = hn::RebindToSigned<D>;
using V = hn::Vec<D>;

// c[0] + s (c[1] + s (c[2] + ...))
template <size_t kCount>
HWY_INLINE V Series(const std::array<double, kCount>& c, V s) {
  const D d;
  V sum = hn::Set(d, c[kCount - 1]);
  for (size_t i = kCount - 1; i-- > 0;) sum = hn::Add(hn::Set(d, c[i]), hn::Mul(s, sum));
  return sum;
}

void SinesAndCosinesLanes(const double* degrees, size_t count, double* sines, double* cosines) {
  const D d;
  const Bits di;
  const V magic = hn::Set(d, kNoFraction);
  for (size_t i = 0; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    const V angle = hn::LoadU(d, degrees + i);
    // The last bits of the sum count quarters.
    const V sum = hn::Add(hn::Mul(angle, hn::Set(d, 1.0 / 90)), magic);
    const auto turn = hn::BitCast(di, sum);
    const V quarter = hn::Sub(sum, magic);
    const V r = hn::Mul(hn::Sub(angle, hn::Mul(hn::Set(d, 90), quarter)),
                        hn::Set(d, std::numbers::pi / 180));
    const V s = hn::Mul(r, r);
    const V sine = hn::Mul(r, Series(kSineSeries, s)), cosine = Series(kCosineSeries, s);
    const auto one = hn::Set(di, 1), two = hn::Set(di, 2);
    const auto swaps = hn::RebindMask(d, hn::Eq(hn::And(turn, one), one));
    const auto sine_negative = hn::RebindMask(d, hn::Eq(hn::And(turn, two), two));
    const auto cosine_negative =
        hn::RebindMask(d, hn::Eq(hn::And(hn::Add(turn, one), two), two));
    const V a = hn::IfThenElse(swaps, cosine, sine), b = hn::IfThenElse(swaps, sine, cosine);
    hn::StoreU(hn::IfThenElse(sine_negative, hn::Neg(a), a), d, sines + i);
    hn::StoreU(hn::IfThenElse(cosine_negative, hn::Neg(b), b), d, cosines + i);
  }
}

void AnglesOfLanes(const double* y, const double* x, size_t count, double* degrees) {
  const D d;
  const Bits di;
  const V magic = hn::Set(d, kNoFraction), zero = hn::Zero(d);
  for (size_t i = 0; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    const V vy = hn::LoadU(d, y + i), vx = hn::LoadU(d, x + i);
    const V ax = hn::Abs(vx), ay = hn::Abs(vy);
    const V large = hn::Max(ax, ay);
    const auto known = hn::Gt(large, zero);
    const V ratio = hn::Div(hn::Min(ax, ay), hn::IfThenElse(known, large, hn::Set(d, 1)));
    const V sum = hn::Add(hn::Mul(hn::Set(d, 8), ratio), magic);
    const auto eighths = hn::And(hn::BitCast(di, sum), hn::Set(di, 15));
    const V near = hn::Mul(hn::Sub(sum, magic), hn::Set(d, 0.125));
    const V t = hn::Div(hn::Sub(ratio, near), hn::Add(hn::Set(d, 1), hn::Mul(ratio, near)));
    const V base = hn::GatherIndex(d, kEighths.data(), eighths);
    V angle = hn::Add(base, hn::Mul(t, Series(kTangentSeries, hn::Mul(t, t))));
    angle =
        hn::IfThenElse(hn::Gt(ay, ax), hn::Sub(hn::Set(d, std::numbers::pi / 2), angle), angle);
    angle =
        hn::IfThenElse(hn::Lt(vx, zero), hn::Sub(hn::Set(d, std::numbers::pi), angle), angle);
    angle = hn::CopySign(hn::Mul(angle, hn::Set(d, 180 / std::numbers::pi)), vy);
    hn::StoreU(hn::IfThenElse(known, angle, zero), d, degrees + i);
  }
}

size_t LanesOfDouble() { return hn::Lanes(D()); }

}  // namespace HWY_NAMESPACE
}  // namespace ikstream::bvh
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ikstream::bvh {
HWY_EXPORT(SinesAndCosinesLanes);
HWY_EXPORT(AnglesOfLanes);
HWY_EXPORT(LanesOfDouble);

void SinesAndCosines(std::span<const double> degrees, std::span<double> sines,
                     std::span<double> cosines) {
  const std::size_t count = degrees.size();
  HWY_DYNAMIC_DISPATCH(SinesAndCosinesLanes)
  (degrees.data(), count, sines.data(), cosines.data());
  for (std::size_t i = count - count % HWY_DYNAMIC_DISPATCH(LanesOfDouble)(); i < count; ++i) {
    const auto [sine, cosine] = SineCosineOf(degrees[i]);
    sines[i] = sine, cosines[i] = cosine;
  }
}

void AnglesOf(std::span<const double> y, std::span<const double> x, std::span<double> degrees) {
  const std::size_t count = y.size();
  HWY_DYNAMIC_DISPATCH(AnglesOfLanes)(y.data(), x.data(), count, degrees.data());
  for (std::size_t i = count - count % HWY_DYNAMIC_DISPATCH(LanesOfDouble)(); i < count; ++i)
    degrees[i] = AngleOf(y[i], x[i]);
}

}  // namespace ikstream::bvh
#endif  // HWY_ONCE
