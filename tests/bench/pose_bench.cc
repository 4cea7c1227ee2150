// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// pose_bench [CPU_TARGET]: `jacobian` and `auto` by Solver::Solve on 4,096 poses of seven
// joints with rotation targets (pose_tasks.h), pass by pass in turn with the Eigen loop.
#include <time.h>

#include <algorithm>
#include <cstdio>

#include "core/solve.h"
#include "pose_tasks.h"

namespace ikstream::bench {
namespace {

constexpr int kTasks = 4096;
constexpr int kReps = 15;

double ThreadSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::shared_ptr<const Rig> MakeArm(const char* solver) {
  RigSpec spec;
  for (int i = 0; i < kArmJoints; ++i)
    spec.joints.push_back({"", i - 1, {0, i == 0 ? 0 : kArmBones[i - 1], 0}, {}, {}});
  ChainSpec chain;
  chain.end_joint = kArmJoints - 1;
  chain.tip_offset = Vec3f{0, kArmBones[kArmJoints - 1], 0};
  chain.solver = solver;
  chain.max_iterations = kArmIterations;
  chain.tolerance = kArmTolerance;
  chain.rotation_tolerance = kArmAngle;
  spec.chains.push_back(chain);
  return std::make_shared<const Rig>(*Rig::Create(spec));
}

// The lanes' side: packed rotations in and out.
class Lanes {
 public:
  Lanes(const char* name, const std::vector<ArmTask>& tasks)
      : solver_(MakeArm(name)), roots_(3 * tasks.size()), out_(4 * kArmJoints * tasks.size()) {
    for (const ArmTask& task : tasks) {
      for (const Quatf& q : task.start) in_.insert(in_.end(), {q.x, q.y, q.z, q.w});
      const auto& [p, q] = task.target;
      positions_.insert(positions_.end(), {p.x, p.y, p.z});
      rotations_.insert(rotations_.end(), {q.x, q.y, q.z, q.w});
    }
  }

  void Pass() {
    const MotionView motion{kTasks, roots_.data(), in_.data(), nullptr};
    const ChainTargets targets{{positions_.data(), 3}, {rotations_.data(), 4}, {}, {}};
    const ChainResults results;
    solver_.Solve(motion, {&targets, 1}, out_.data(), {&results, 1});
  }
  int Converged(const std::vector<ArmTask>& tasks) const {
    int converged = 0;
    const float* q = out_.data();
    for (const ArmTask& task : tasks) {
      ArmPose pose;
      for (Quatf& local : pose) local = LoadQuat(q), q += 4;
      converged += Meets(pose, task.target);
    }
    return converged;
  }

 private:
  Solver solver_;
  std::vector<float> roots_, in_, positions_, rotations_, out_;
};

void Compare(const char* name, const std::vector<ArmTask>& tasks) {
  Lanes lanes(name, tasks);
  std::vector<double> ours, theirs;
  int converged = 0;
  for (int r = -1; r < kReps; ++r) {
    double start = ThreadSeconds();
    lanes.Pass();
    if (r >= 0) ours.push_back(ThreadSeconds() - start);
    std::vector<ArmPose> poses;
    for (const ArmTask& task : tasks) poses.push_back(task.start);
    start = ThreadSeconds();
    for (int t = 0; t < kTasks; ++t) DampedLeastSquares(poses[t], tasks[t].target);
    if (r >= 0) theirs.push_back(ThreadSeconds() - start);
    converged = 0;
    for (int t = 0; t < kTasks; ++t) converged += Meets(poses[t], tasks[t].target);
  }
  std::printf(
      "%-9s %9.4f us, converged %d of %d; Eigen loop %9.4f us, converged %d; ratio %.2f\n",
      name, Median(ours) / kTasks * 1e6, lanes.Converged(tasks), kTasks,
      Median(theirs) / kTasks * 1e6, converged, Median(theirs) / Median(ours));
}

}  // namespace
}  // namespace ikstream::bench

int main(int argc, char** argv) {
  if (argc > 1) {
    const auto status = ikstream::PinCpuTarget(argv[1]);
    if (!status.ok()) return std::fprintf(stderr, "%s\n", status.ToString().c_str()), 1;
  }
  const auto tasks = ikstream::bench::MakeArmTasks(ikstream::bench::kTasks, 20240613);
  for (const char* name : {"jacobian", "auto"}) ikstream::bench::Compare(name, tasks);
  return 0;
}
