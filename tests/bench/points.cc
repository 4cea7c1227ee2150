// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The solvers' own driver and steps, with positions in and out in place of rotations. The root
// stands at the origin, as in all task files.
#include "core/lanes/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "points.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// after foreach_target
#include "core/solvers/ccd-inl.h"
#include "core/solvers/fabrik-inl.h"
#include "core/solvers/two_bone-inl.h"

// One definition for all targets.
#ifndef IKSTREAM_BENCH_POINTS_ONCE
#define IKSTREAM_BENCH_POINTS_ONCE
namespace ikstream::bench {
// 3 (bones + 1) floats per frame; the start poses, then the answers.
struct PointRun {
  const float* starts;
  const float* targets;
  float* answers;
  float* spare;  // a frame that idle columns may write
  int* iterations;
  int floats;  // of a frame
};
}  // namespace ikstream::bench
#endif

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

struct PointIo {
  static constexpr bool kTurning = false;

  bench::PointRun run;

  HWY_INLINE void Ahead(int frame) const {
    const std::ptrdiff_t at = std::ptrdiff_t{run.floats} * frame;
    for (int i = 0; i < run.floats; i += kCacheLine) {
      __builtin_prefetch(run.starts + at + i);
      __builtin_prefetch(run.answers + at + i, 1);
    }
  }
  // The rows of positions, four at a time; the last four may overlap those before.
  template <class Each>
  HWY_INLINE void EachRow(const Each& each) const {
    for (int row = 0; row < run.floats; row += 4) each(std::min(row, run.floats - 4));
  }
  template <class L>
  HWY_INLINE void In(const Columns<L>& columns, const Block<L> b) const {
    const RowsAt<L, const float> rows(columns, run.starts, run.floats);
    EachRow([&](int row) HWY_ATTR { b.Put4(b.at->pos + row, LoadColumns4<L>(rows[row])); });
    b.Put3(b.at->target, Gather3<L>(columns, TrackAt{run.targets, 3}));
    b.Put(b.at->moved, L::Set(0));
    PutStart(columns, b);
  }
  template <class L>
  HWY_INLINE void Out(const Columns<L>& columns, const Block<L> b) const {
    HWY_ALIGN_MAX float ages[L::kWidth];
    RowsAt<L, float> rows(columns, run.answers, run.floats);
    for (int c = columns.count; c < L::kWidth; ++c) rows.column[c] = run.spare;
    EachRow([&](int row) HWY_ATTR { StoreColumns4(b.Row4(b.at->pos + row), rows[row]); });
    b.Row(b.at->age).Store(ages);
    for (int c = 0; c < columns.count; ++c)
      run.iterations[columns.frame[c]] = static_cast<int>(ages[c]);
  }
};

template <class S>
void RunPoints(const ChainJob& job, const bench::PointRun& run, LaneSpace& space) {
  RunLanes<S, hn::ScalableTag<float>, PointIo>(job, {run}, space);
}
void TwoBonePoints(const ChainJob& job, const bench::PointRun& run, LaneSpace& space) {
  RunPoints<TwoBone>(job, run, space);
}
void FabrikPoints(const ChainJob& job, const bench::PointRun& run, LaneSpace& space) {
  RunPoints<Fabrik>(job, run, space);
}
void CcdPoints(const ChainJob& job, const bench::PointRun& run, LaneSpace& space) {
  RunPoints<Ccd>(job, run, space);
}

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <numeric>
#include <vector>

#include "contestant.h"
#include "task_rig.h"

namespace ikstream {
HWY_EXPORT(TwoBonePoints);
HWY_EXPORT(FabrikPoints);
HWY_EXPORT(CcdPoints);

namespace bench {
namespace {

using Run = void (*)(const ChainJob&, const PointRun&, LaneSpace&);

Run RunOf(const std::string& solver) {
  if (solver == "two_bone") return HWY_DYNAMIC_DISPATCH(TwoBonePoints);
  if (solver == "fabrik") return HWY_DYNAMIC_DISPATCH(FabrikPoints);
  if (solver == "ccd") return HWY_DYNAMIC_DISPATCH(CcdPoints);
  return nullptr;
}

class Points final : public Contestant {
 public:
  Points(const TaskFile& tasks, const std::string& solver, int batch)
      : tasks_(tasks),
        run_(RunOf(solver)),
        batch_(batch),
        rig_(MakeTaskRig(tasks, solver)),
        answers_(tasks.positions.size()),
        spare_(3 * (static_cast<size_t>(tasks.bones) + 1)),
        iterations_(static_cast<size_t>(tasks.tasks)),
        list_(static_cast<size_t>(batch)) {
    std::iota(list_.begin(), list_.end(), 0);
  }

  void Pass() override {
    ChainJob job;
    const ChainTargets targets;
    job.chain = &rig_->chains()[0];
    job.targets = &targets;
    job.max_iterations = tasks_.max_iterations;
    const int floats = 3 * (tasks_.bones + 1);
    for (int first = 0; first < tasks_.tasks; first += batch_) {
      const std::ptrdiff_t at = std::ptrdiff_t{floats} * first;
      job.frames =
          std::span(list_).first(static_cast<size_t>(std::min(batch_, tasks_.tasks - first)));
      run_(job,
           {tasks_.positions.data() + at, tasks_.targets.data() + 3 * first,
            answers_.data() + at, spare_.data(), iterations_.data() + first, floats},
           space_);
    }
  }

  void Fill(ResultFile& result) const override {
    result.positions.assign(answers_.begin(), answers_.end());
    result.iterations.assign(iterations_.begin(), iterations_.end());
  }

 private:
  const TaskFile& tasks_;
  const Run run_;
  const int batch_;
  const std::shared_ptr<const Rig> rig_;
  std::vector<float> answers_, spare_;
  std::vector<int> iterations_;
  std::vector<std::int32_t> list_;
  LaneSpace space_;
};

}  // namespace

std::unique_ptr<Contestant> MakePoints(const TaskFile& tasks, const std::string& solver,
                                       int batch) {
  if (tasks.cone > 0 || RunOf(solver) == nullptr) return nullptr;
  return std::make_unique<Points>(tasks, solver, batch);
}

}  // namespace bench
}  // namespace ikstream
#endif
