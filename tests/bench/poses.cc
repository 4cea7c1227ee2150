// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

#include "contestant.h"
#include "core/chain_job.h"
#include "core/skeleton.h"
#include "core/solve.h"
#include "core/solver_list.h"
#include "task_rig.h"

namespace ikstream::bench {
namespace {

// The tasks as frames of one rig; the end joint does not turn.
std::vector<float> PackRotations(const TaskFile& tasks) {
  const size_t bones = 4 * static_cast<size_t>(tasks.bones);
  std::vector<float> out;
  out.reserve((bones + 4) * static_cast<size_t>(tasks.tasks));
  for (auto q = tasks.rotations.begin(); q != tasks.rotations.end(); q += bones) {
    out.insert(out.end(), q, q + bones);
    out.insert(out.end(), {0, 0, 0, 1});
  }
  return out;
}

class Poses final : public Contestant {
 public:
  Poses(const TaskFile& tasks, const std::string& solver, int batch, bool whole)
      : tasks_(tasks),
        batch_(batch),
        whole_(whole),
        rig_(MakeTaskRig(tasks, solver)),
        solver_(rig_),
        roots_(3 * static_cast<size_t>(tasks.tasks)),
        rotations_(PackRotations(tasks)),
        solved_(rotations_.size()),
        outcomes_(static_cast<size_t>(tasks.tasks)),
        statuses_(outcomes_.size()),
        iterations_(outcomes_.size()),
        list_(static_cast<size_t>(batch)) {
    std::iota(list_.begin(), list_.end(), 0);
  }

  void Pass() override {
    for (int first = 0; first < tasks_.tasks; first += batch_)
      whole_ ? Whole(first, Count(first)) : Alone(first, Count(first));
  }

  void Fill(ResultFile& result) const override {
    ModelPose pose;
    for (int t = 0; t < tasks_.tasks; ++t) {
      ForwardKinematics(rig_->skeleton(), {roots_.data(), solved_.data() + Row(t), nullptr}, {},
                        pose);
      for (const Vec3d& p : pose.positions)
        result.positions.insert(result.positions.end(), {p.x, p.y, p.z});
    }
    result.iterations.assign(iterations_.begin(), iterations_.end());
  }

  std::string Says() const override {
    int by_status[8] = {};
    for (SolveStatus s : statuses_) ++by_status[static_cast<int>(s)];
    const double iterations = std::accumulate(iterations_.begin(), iterations_.end(), 0.0);
    char text[200];
    std::snprintf(text, sizeof(text),
                  "converged %d unreachable %d too_close %d limited %d stalled %d "
                  "iteration_limit %d of %d, %.2f iterations",
                  by_status[1], by_status[2], by_status[3], by_status[4], by_status[5],
                  by_status[6], tasks_.tasks, iterations / tasks_.tasks);
    return text;
  }

 private:
  int Count(int first) const { return std::min(batch_, tasks_.tasks - first); }
  std::ptrdiff_t Row(int frame) const { return 4LL * (tasks_.bones + 1) * frame; }

  void Whole(int first, int count) {
    const MotionView motion{count, roots_.data(), rotations_.data() + Row(first), nullptr};
    const ChainTargets targets{{tasks_.targets.data() + 3LL * first, 3}, {}, {}, {}};
    ChainResults results;
    results.statuses = statuses_.data() + first;
    results.iterations = iterations_.data() + first;
    solver_.Solve(motion, {&targets, 1}, solved_.data() + Row(first), {&results, 1});
  }

  void Alone(int first, int count) {
    const Chain& chain = rig_->chains()[0];
    const MotionView motion{count, roots_.data(), rotations_.data() + Row(first), nullptr};
    const ChainTargets targets{{tasks_.targets.data() + 3LL * first, 3}, {}, {}, {}};
    ChainJob job;
    job.chain = &chain;
    job.motion = &motion;
    job.pose = motion.local_rotations;
    job.joints = rig_->skeleton().size();
    job.start = job.before = {job.pose, 4 * job.joints, chain.pose_offsets.data()};
    job.targets = &targets;
    job.frames = std::span(list_).first(static_cast<size_t>(count));
    job.max_iterations = chain.spec.max_iterations;
    job.solved = solved_.data() + Row(first);
    job.outcomes = outcomes_.data() + first;
    SolverEntries()[static_cast<size_t>(chain.solver)].run(job, space_);
    for (int t = first; t < first + count; ++t) {
      statuses_[t] = outcomes_[t].status;
      iterations_[t] = outcomes_[t].iterations;
    }
  }

  const TaskFile& tasks_;
  const int batch_;
  const bool whole_;
  const std::shared_ptr<const Rig> rig_;
  Solver solver_;
  LaneSpace space_;
  std::vector<float> roots_, rotations_, solved_;
  std::vector<FrameOutcome> outcomes_;
  std::vector<SolveStatus> statuses_;
  std::vector<std::int32_t> iterations_;
  std::vector<std::int32_t> list_;
};

}  // namespace

std::unique_ptr<Contestant> MakePoses(const TaskFile& tasks, const std::string& solver,
                                      int batch, bool whole) {
  return std::make_unique<Poses>(tasks, solver, batch, whole);
}

}  // namespace ikstream::bench
