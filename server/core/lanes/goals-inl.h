// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The end joint's rotation that is asked for, in the space of a block; rotations that are
// answered.
#if defined(IKSTREAM_CORE_LANES_GOALS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_LANES_GOALS_INL_H_
#undef IKSTREAM_CORE_LANES_GOALS_INL_H_
#else
#define IKSTREAM_CORE_LANES_GOALS_INL_H_
#endif

#include "core/lanes/intake-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

template <class L>
struct Goals {
  Q4<L> asked, weighted;  // the same where the rotation's weight is 1
};

// `given`: the target's rotation; the input's own is asked for where the job has none.
template <class L>
HWY_NOINLINE Goals<L> GoalsOf(const ChainJob& job, const Columns<L>& columns,
                              const Q4<L>& given) {
  const Q4<L> now = EndRotation(job, columns, job.before);
  const Q4<L> asked = job.targets->rotations ? given : now;
  const float weight = job.chain->spec.rotation_weight;
  if (weight >= 1) return {asked, asked};
  Q4<L> d = asked * Conjugate(now);
  d = Select(d.w < L::Set(0), -d, d);
  return {asked, Power(d, L::Set(weight)) * now};
}

// Writes rotations of turned joint k.
template <class L>
HWY_INLINE void ScatterJoint(const ChainJob& job, const Columns<L>& columns, int k,
                             const Q4<L>& q) {
  HWY_ALIGN_MAX float cells[4 * L::kWidth];
  hn::StoreInterleaved4(q.x.v[0], q.y.v[0], q.z.v[0], q.w.v[0], typename L::D(), cells);
  const size_t turned = job.chain->turned.size();
  for (int c = 0; c < columns.count; ++c)
    std::memcpy(job.solved + 4 * (turned * columns.frame[c] + static_cast<size_t>(k)),
                cells + 4 * c, 4 * sizeof(float));
}

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_LANES_GOALS_INL_H_
