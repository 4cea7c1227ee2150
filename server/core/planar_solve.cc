// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/lanes/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/planar_solve.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// after foreach_target
#include "core/lanes/planar_driver-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {
void RunPlanarLanes(PlanarMethod method, const ChainJob& job, LaneSpace& space) {
  RunPlanar<Lane<hn::ScalableTag<float>, 1>>(method, job, space);
}
}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "core/planar_solve.h"

namespace ikstream {
HWY_EXPORT(RunPlanarLanes);

void SolvePlanar(PlanarMethod method, const ChainJob& job, LaneSpace& space) {
  HWY_DYNAMIC_DISPATCH(RunPlanarLanes)(method, job, space);
}
}  // namespace ikstream
#endif
