// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/lanes/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/continuity.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// after foreach_target
#include "core/lanes/continuity_run-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {
void RunBlend(const ContinuityRows& rows) { BlendRows(rows); }
int RunBlendFrames(const ContinuityRun& run) { return BlendFrames(run); }
}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <cstring>

namespace ikstream {
HWY_EXPORT(RunBlend);
HWY_EXPORT(RunBlendFrames);

namespace {
size_t Padded(size_t joints) {
  constexpr size_t pad = ContinuityRows::kPad;
  return (4 * joints + pad - 1) / pad * pad;
}
}  // namespace

Quatf BlendJoint(const ContinuityRows& rows, size_t at, float weight) {
  const bool active = rows.active[at] != 0;
  const Quatf input = LoadQuat(rows.input + at);
  const Quatf solved = LoadQuat(rows.solved + at);
  Quatf d = solved * Conjugate(input);
  const bool turned = active ? Dot(d, LoadQuat(rows.turns + at)) < 0 : d.w < 0;
  if (turned) d = -d;
  if (d.w < -kOwnSide) d = -d;
  // w of the whole turn of d, the long way where d.w < 0.
  Quatf answer = weight != 1         ? Normalized(PartOfTurn(d, weight) * Normalized(input))
                 : !active && turned ? -solved
                                     : solved;
  if (active && Dot(answer, LoadQuat(rows.answers + at)) < 0) answer = -answer;
  Store(d, rows.turns + at);
  Store(answer, rows.answers + at);
  std::fill_n(rows.active + at, 4, ~0u);
  return answer;
}

Continuity::Continuity(size_t joints, const std::ptrdiff_t* offsets)
    : joints_(joints),
      offsets_(offsets),
      turns_(Padded(joints)),
      answers_(Padded(joints)),
      input_(Padded(joints)),
      whole_(Padded(joints)),
      active_(Padded(joints)) {
  for (size_t k = 1; offsets != nullptr && k < joints; ++k)
    side_by_side_ = side_by_side_ && offsets[k] - offsets[k - 1] == 4;
}

void Continuity::Reset() { std::fill(active_.begin(), active_.end(), 0); }

void Continuity::Skip(size_t joint) { std::fill_n(active_.data() + 4 * joint, 4, 0); }

ContinuityRows Continuity::Rows(const float* solved) {
  return {solved,          input_.data(),  whole_.data(), turns_.data(),
          answers_.data(), active_.data(), 4 * joints_};
}

Quatf Continuity::Blend(size_t joint, Quatf input, Quatf solved, float weight) {
  ikstream::Store(input, input_.data() + 4 * joint);
  ikstream::Store(solved, whole_.data() + 4 * joint);
  return BlendJoint(Rows(whole_.data()), 4 * joint, weight);
}

void Continuity::Load(const float* pose) {
  if (side_by_side_) {
    std::memcpy(input_.data(), pose + offsets_[0], 4 * joints_ * sizeof(float));
    return;
  }
  for (size_t k = 0; k < joints_; ++k)
    std::memcpy(input_.data() + 4 * k, pose + offsets_[k], 4 * sizeof(float));
}

void Continuity::Store(float* pose) const {
  if (side_by_side_) {
    std::memcpy(pose + offsets_[0], whole_.data(), 4 * joints_ * sizeof(float));
    return;
  }
  for (size_t k = 0; k < joints_; ++k)
    std::memcpy(pose + offsets_[k], whole_.data() + 4 * k, 4 * sizeof(float));
}

void Continuity::BlendRun(const float* solved, float* pose, std::ptrdiff_t stride, int frames) {
  int done = 0;
  if (frames > 1)
    done =
        HWY_DYNAMIC_DISPATCH(RunBlendFrames)({solved, pose, stride, offsets_, frames, joints_,
                                              turns_.data(), answers_.data(), active_.data()});
  for (; done < frames; ++done)
    BlendWhole(solved + 4 * joints_ * static_cast<size_t>(done), pose + stride * done);
}

void Continuity::BlendWhole(const float* solved, float* pose) {
  Load(pose);
  HWY_DYNAMIC_DISPATCH(RunBlend)(Rows(solved));
  Store(pose);
}

}  // namespace ikstream
#endif
