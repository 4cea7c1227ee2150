// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// ik_tasks --solver NAME --tasks FILE.ikt --out RESULT.ikr [--reps N] [--timing WHAT]
//          [--cpu-target NAME]
// Solves a task file by a solver of the list, or by textbook_fabrik or textbook_ccd, and writes
// what judge.py judges. --timing solver: the solver alone, from packed rotations to packed
// rotations of one chain; rotations (the default): all of Solver::Solve. Prints what the solver
// says of itself.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <numeric>

#include "core/chain_job.h"
#include "core/skeleton.h"
#include "core/solve.h"
#include "core/solver_list.h"
#include "task_file.h"
#include "textbook.h"

namespace ikstream::bench {
namespace {

using Clock = std::chrono::steady_clock;

double Since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::shared_ptr<const Rig> MakeRig(const TaskFile& tasks, const std::string& solver) {
  RigSpec spec;
  for (int i = 0; i <= tasks.bones; ++i) {
    const float length = i == 0 ? 0 : static_cast<float>(tasks.lengths[i - 1]);
    spec.joints.push_back({"", i - 1, {0, length, 0}, {}, {}});
  }
  if (tasks.cone > 0) {
    const auto cone = static_cast<float>(tasks.cone);
    spec.limits.assign(
        tasks.bones + 1,
        SwingTwistLimit{Vec3f{0, 1, 0}, {}, cone, cone, -3.1415927f, 3.1415927f});
    spec.limits.back() = std::monostate();
  }
  ChainSpec chain;
  chain.end_joint = tasks.bones;
  chain.solver = solver;
  chain.max_iterations = tasks.max_iterations;
  chain.tolerance = static_cast<float>(tasks.tolerance);
  spec.chains.push_back(chain);
  auto rig = Rig::Create(spec);
  if (!rig.ok()) {
    std::fprintf(stderr, "%s\n", rig.status().ToString().c_str());
    std::exit(1);
  }
  return std::make_shared<const Rig>(*std::move(rig));
}

// The tasks as frames of one rig; the end joint does not turn.
struct Frames {
  std::vector<float> roots, rotations, solved;
  std::vector<FrameOutcome> outcomes;
  std::vector<std::int32_t> list;
};

Frames MakeFrames(const TaskFile& tasks) {
  Frames frames;
  const auto count = static_cast<size_t>(tasks.tasks), bones = static_cast<size_t>(tasks.bones);
  frames.roots.resize(3 * count);
  for (size_t t = 0; t < count; ++t) {
    const float* q = tasks.rotations.data() + 4 * bones * t;
    frames.rotations.insert(frames.rotations.end(), q, q + 4 * bones);
    frames.rotations.insert(frames.rotations.end(), {0, 0, 0, 1});
  }
  frames.solved.resize(frames.rotations.size());
  frames.outcomes.resize(count);
  frames.list.resize(count);
  std::iota(frames.list.begin(), frames.list.end(), 0);
  return frames;
}

ResultFile RunTextbook(const TaskFile& tasks, bool ccd, int reps) {
  ResultFile result;
  std::vector<float> positions;
  std::vector<int> iterations(static_cast<size_t>(tasks.tasks));
  for (int r = 0; r < reps; ++r) {
    positions = tasks.positions;
    const auto start = Clock::now();
    (ccd ? TextbookCcd : TextbookFabrik)(tasks, positions.data(), iterations.data());
    result.seconds.push_back(Since(start));
  }
  result.iterations.assign(iterations.begin(), iterations.end());
  result.positions.assign(positions.begin(), positions.end());
  return result;
}

void Pose(const TaskFile& tasks, const Rig& rig, const Frames& frames, ResultFile& result) {
  ModelPose pose;
  const auto stride = 4 * (static_cast<size_t>(tasks.bones) + 1);
  for (size_t t = 0; t < frames.list.size(); ++t) {
    ForwardKinematics(rig.skeleton(),
                      {frames.roots.data() + 3 * t, frames.solved.data() + stride * t, nullptr},
                      {}, pose);
    for (const Vec3d& p : pose.positions)
      result.positions.insert(result.positions.end(), {p.x, p.y, p.z});
    result.iterations.push_back(frames.outcomes[t].iterations);
  }
}

void Say(const Frames& frames) {
  int by_status[8] = {};
  double iterations = 0;
  for (const FrameOutcome& outcome : frames.outcomes) {
    ++by_status[static_cast<int>(outcome.status)];
    iterations += outcome.iterations;
  }
  std::printf(
      "converged %d unreachable %d too_close %d limited %d stalled %d iteration_limit %d"
      " of %zu, %.2f iterations, %s\n",
      by_status[1], by_status[2], by_status[3], by_status[4], by_status[5], by_status[6],
      frames.list.size(), iterations / static_cast<double>(frames.list.size()), CpuTarget());
}

ResultFile RunSolver(const TaskFile& tasks, const std::string& solver, int reps, bool alone) {
  const auto rig = MakeRig(tasks, solver);
  Frames frames = MakeFrames(tasks);
  const MotionView motion{tasks.tasks, frames.roots.data(), frames.rotations.data(), nullptr};
  const std::vector<ChainTargets> targets = {{{tasks.targets.data(), 3}, {}, {}, {}}};
  ResultFile result;
  Solver session(rig);
  LaneSpace space;
  const Chain& chain = rig->chains()[0];
  ChainJob job;
  job.chain = &chain;
  job.motion = &motion;
  job.pose = frames.rotations.data();
  job.joints = rig->skeleton().size();
  job.start = job.before = {job.pose, 4 * job.joints, chain.pose_offsets.data()};
  job.targets = targets.data();
  job.frames = frames.list;
  job.max_iterations = chain.spec.max_iterations;
  job.solved = frames.solved.data();
  job.outcomes = frames.outcomes.data();
  const SolverEntry& entry = SolverEntries()[static_cast<size_t>(chain.solver)];
  const std::vector<ChainResults> results(1);
  for (int r = -1; r < reps; ++r) {
    const auto start = Clock::now();
    if (alone)
      entry.run(job, space);
    else
      session.Solve(motion, targets, frames.solved.data(), results);
    if (r >= 0) result.seconds.push_back(Since(start));
  }
  if (!alone) {
    std::vector<float> kept = frames.solved;
    entry.run(job, space);  // outcomes
    frames.solved = std::move(kept);
  }
  Pose(tasks, *rig, frames, result);
  Say(frames);
  return result;
}

}  // namespace
}  // namespace ikstream::bench

int main(int argc, char** argv) {
  using namespace ikstream::bench;
  std::map<std::string, std::string> flags = {{"--reps", "5"}, {"--timing", "rotations"}};
  for (int i = 1; i + 1 < argc; i += 2) flags[argv[i]] = argv[i + 1];
  if (flags["--tasks"].empty() || flags["--out"].empty() || flags["--solver"].empty()) {
    std::fprintf(stderr,
                 "usage: ik_tasks --solver NAME --tasks FILE.ikt --out RESULT.ikr "
                 "[--reps N] [--timing solver|rotations] [--cpu-target NAME]\n");
    return 2;
  }
  if (!flags["--cpu-target"].empty()) {
    const auto status = ikstream::PinCpuTarget(flags["--cpu-target"]);
    if (!status.ok()) return std::fprintf(stderr, "%s\n", status.ToString().c_str()), 1;
  }
  const TaskFile tasks = ReadTasks(flags["--tasks"]);
  const std::string solver = flags["--solver"];
  const int reps = std::max(1, std::atoi(flags["--reps"].c_str()));
  const bool textbook = solver.rfind("textbook_", 0) == 0;
  const ResultFile result = textbook
                                ? RunTextbook(tasks, solver == "textbook_ccd", reps)
                                : RunSolver(tasks, solver, reps, flags["--timing"] == "solver");
  WriteResult(flags["--out"], tasks, result);
  auto seconds = result.seconds;
  std::sort(seconds.begin(), seconds.end());
  std::printf("%s: %.4f us per solve\n", solver.c_str(),
              seconds[seconds.size() / 2] / tasks.tasks * 1e6);
  return 0;
}
