// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Measures poses against their targets without solving: blended frames, frames between.
#if defined(IKSTREAM_CORE_LANES_MEASURE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_LANES_MEASURE_INL_H_
#undef IKSTREAM_CORE_LANES_MEASURE_INL_H_
#else
#define IKSTREAM_CORE_LANES_MEASURE_INL_H_
#endif

#include <algorithm>

#include "core/lanes/outlet-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

// Fills residual and residual_angle of the frames' outcomes from job.start.
template <class L>
HWY_NOINLINE void Measure(const ChainJob& job, LaneSpace& space) {
  const Layout at(job, false);
  const auto floats = static_cast<size_t>(at.rows) * L::kWidth;
  const Block<L> b{{}, job.chain, &at, space.Floats(0, floats), L::kWidth};
  Columns<L> columns;
  const int count = static_cast<int>(job.frames.size());
  for (int first = 0; first < count; first += L::kWidth) {
    columns.count = std::min(count - first, L::kWidth);
    for (int c = 0; c < L::kWidth; ++c)
      columns.frame[c] = job.frames[first + (c < columns.count ? c : 0)];
    Intake(job, columns, b);
    HWY_ALIGN_MAX float residual[L::kWidth], angle[L::kWidth] = {};
    Length(b.Row3(at.asked) - b.Pos(at.bones)).Store(residual);
    if (at.goal >= 0)
      AngleTo(EndRotation(job, columns, job.start), b.Row4(at.asked_goal)).Store(angle);
    for (int c = 0; c < columns.count; ++c) {
      job.outcomes[columns.frame[c]].residual = residual[c];
      job.outcomes[columns.frame[c]].residual_angle = angle[c];
    }
  }
}

// Clamps the frames' rows to the joints' limits.
template <class L>
HWY_NOINLINE void ClampRows(std::span<const JointBound> bounds,
                            std::span<const std::int32_t> frames, float* rows,
                            FrameOutcome* outcomes) {
  const auto stride = static_cast<std::ptrdiff_t>(4 * bounds.size());
  Columns<L> columns;
  const int count = static_cast<int>(frames.size());
  for (int first = 0; first < count; first += L::kWidth) {
    columns.count = std::min(count - first, L::kWidth);
    for (int c = 0; c < L::kWidth; ++c)
      columns.frame[c] = frames[first + (c < columns.count ? c : 0)];
    for (size_t k = 0; k < bounds.size(); ++k) {
      float* data = rows + 4 * k;
      auto outside = L::Set(1) < L::Set(0);
      const Q4<L> q = Clamp(bounds[k], Gather4<L>(columns, TrackAt{data, stride}), outside);
      const std::uint64_t bits = Bits(outside);
      if (bits == 0) continue;
      HWY_ALIGN_MAX float cells[4 * L::kWidth];
      hn::StoreInterleaved4(q.x.v[0], q.y.v[0], q.z.v[0], q.w.v[0], typename L::D(), cells);
      for (int c = 0; c < columns.count; ++c) {
        if (((bits >> c) & 1) == 0) continue;
        const int frame = columns.frame[c];
        std::memcpy(data + frame * stride, cells + 4 * c, 4 * sizeof(float));
        outcomes[frame].changed = true;
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_LANES_MEASURE_INL_H_
