// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "judge.h"

#include <algorithm>
#include <cmath>

#include "core/math.h"

namespace ikstream::bench {
namespace {

// The joints' positions of a task; T is float or double.
template <class T>
Vec3d At(const std::vector<T>& positions, size_t joint) {
  const T* p = positions.data() + 3 * joint;
  return {static_cast<double>(p[0]), static_cast<double>(p[1]), static_cast<double>(p[2])};
}

double WorstBend(const ResultFile& result, size_t first, int bones) {
  double worst = 0;
  Vec3d before{0, 1, 0};
  for (int k = 0; k < bones; ++k) {
    const Vec3d bone = At(result.positions, first + k + 1) - At(result.positions, first + k);
    worst = std::max(worst, std::atan2(Length(Cross(before, bone)), Dot(before, bone)));
    before = bone;
  }
  return worst;
}

double Moved(const TaskFile& tasks, const ResultFile& result, size_t first) {
  double sum = 0;
  for (size_t k = first; k <= first + tasks.bones; ++k) {
    const Vec3d d = At(result.positions, k) - At(tasks.positions, k);
    sum += Dot(d, d);
  }
  return std::sqrt(sum / (tasks.bones + 1)) / tasks.reach;
}

}  // namespace

Judged Judge(const TaskFile& tasks, const ResultFile& result) {
  Judged out;
  for (int t = 0; t < tasks.tasks; ++t) {
    const size_t first = static_cast<size_t>(tasks.bones + 1) * t;
    const Vec3d miss = At(result.positions, first + tasks.bones) - At(tasks.targets, t);
    out.converged += Length(miss) <= tasks.tolerance * (1 + 1e-6);
    if (tasks.cone > 0)
      out.outside += WorstBend(result, first, tasks.bones) > tasks.cone + 2e-4;
    out.moved += Moved(tasks, result, first);
  }
  for (double* share : {&out.converged, &out.outside, &out.moved}) *share /= tasks.tasks;
  return out;
}

}  // namespace ikstream::bench
