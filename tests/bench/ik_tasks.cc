// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// ik_tasks --solver NAME --tasks FILE.ikt [--out RESULT.ikr] [--reps N] [--timing WHAT]
//          [--against NAME] [--frames N] [--batch N] [--threads N] [--cpu-target NAME]
// Solves a task file by a solver of the list, or by textbook_fabrik or textbook_ccd, and writes
// what judge.py judges. --timing
//   solver     the solver alone: positions to positions, as the textbook's loops; rotations to
//              rotations of one chain where it works on them (limits, jacobian, auto)
//   pose       the solver alone, rotations to rotations of one chain
//   rotations  (the default) all of Solver::Solve
// --against: another contestant, pass by pass in turn with the first; prints the ratio.
// --frames: that many tasks, over again where the file has fewer. --batch: so many a call.
// --threads: as many workers, each with a solver and a copy of the tasks of its own.
// Times are the CPU time of the thread, so that what else runs on the machine counts little.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <thread>

#include "contestant.h"
#include "core/solve.h"
#include "judge.h"

namespace ikstream::bench {
namespace {

using Flags = std::map<std::string, std::string>;

double ThreadSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::unique_ptr<Contestant> Make(const TaskFile& tasks, const std::string& name,
                                 const std::string& timing, int batch) {
  if (auto loop = MakeTextbook(tasks, name)) return loop;
  if (timing == "solver")
    if (auto points = MakePoints(tasks, name, batch)) return points;
  return MakePoses(tasks, name, batch, timing == "rotations");
}

double TimedPass(Contestant& contestant) {
  contestant.Prepare();
  const double start = ThreadSeconds();
  contestant.Pass();
  return ThreadSeconds() - start;
}

// Seconds of each pass. The contestants take turns of three passes, so that most find the cache
// as they left it. The first turn is not counted: memory grows in it.
struct Race {
  std::vector<double> first, second;

  void Run(Contestant& a, Contestant* b, int reps) {
    for (int r = -3; r < reps; r += 3) {
      for (int i = 0; i < 3; ++i) Add(TimedPass(a), r, first);
      for (int i = 0; i < 3 && b != nullptr; ++i) Add(TimedPass(*b), r, second);
    }
  }

 private:
  static void Add(double seconds, int turn, std::vector<double>& to) {
    if (turn >= 0) to.push_back(seconds);
  }
};

// Microseconds per solve over some workers at once.
double RunThreads(const TaskFile& tasks, const Flags& flags, int batch, int reps) {
  std::vector<std::thread> workers(std::stoul(flags.at("--threads")));
  std::vector<double> seconds(workers.size());
  for (size_t i = 0; i < workers.size(); ++i)
    workers[i] = std::thread([&, i] {
      const TaskFile copy = tasks;
      const auto worker = Make(copy, flags.at("--solver"), flags.at("--timing"), batch);
      Race race;
      race.Run(*worker, nullptr, reps);
      seconds[i] = Median(race.first);
    });
  double sum = 0;
  for (size_t i = 0; i < workers.size(); ++i) {
    workers[i].join();
    sum += seconds[i];
  }
  return sum / static_cast<double>(workers.size()) / tasks.tasks * 1e6;
}

// Prints a line on the contestant; writes its answers where a path is given.
Judged Report(const std::string& name, const TaskFile& tasks, const Contestant& contestant,
              const std::vector<double>& seconds, const std::string& path) {
  ResultFile result;
  result.seconds = seconds;
  contestant.Fill(result);
  if (!path.empty()) WriteResult(path, tasks, result);
  const Judged judged = Judge(tasks, result);
  std::printf("%s: %.4f us per solve, converged %.4f, outside %.4f, moved %.4f\n", name.c_str(),
              Median(seconds) / tasks.tasks * 1e6, judged.converged, judged.outside,
              judged.moved);
  return judged;
}

int Run(const Flags& flags) {
  TaskFile tasks = ReadTasks(flags.at("--tasks"));
  const int frames = std::atoi(flags.at("--frames").c_str());
  if (frames > 0) Repeat(tasks, frames);
  const int wanted = std::atoi(flags.at("--batch").c_str());
  const int batch = wanted > 0 ? std::min(wanted, tasks.tasks) : tasks.tasks;
  const int reps = std::max(1, std::atoi(flags.at("--reps").c_str()));
  const std::string &solver = flags.at("--solver"), &timing = flags.at("--timing");
  if (flags.at("--threads") != "1") {
    std::printf("%s: %.4f us per solve\n", solver.c_str(),
                RunThreads(tasks, flags, batch, reps));
    return 0;
  }
  const auto contestant = Make(tasks, solver, timing, batch);
  std::unique_ptr<Contestant> other;
  if (!flags.at("--against").empty()) other = Make(tasks, flags.at("--against"), timing, batch);
  Race race;
  race.Run(*contestant, other.get(), reps);
  if (!contestant->Says().empty())
    std::printf("%s, %s\n", contestant->Says().c_str(), CpuTarget());
  const Judged ours = Report(solver, tasks, *contestant, race.first, flags.at("--out"));
  if (other == nullptr) return 0;
  const Judged theirs = Report(flags.at("--against"), tasks, *other, race.second, "");
  std::printf("ratio %.2f, moved ratio %.3f\n", Median(race.second) / Median(race.first),
              ours.moved / theirs.moved);
  return 0;
}

}  // namespace
}  // namespace ikstream::bench

int main(int argc, char** argv) {
  ikstream::bench::Flags flags = {
      {"--solver", ""},          {"--tasks", ""},     {"--out", ""},     {"--reps", "5"},
      {"--timing", "rotations"}, {"--against", ""},   {"--frames", "0"}, {"--batch", "0"},
      {"--threads", "1"},        {"--cpu-target", ""}};
  bool understood = argc % 2 == 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    understood = understood && flags.count(argv[i]) > 0;
    flags[argv[i]] = argv[i + 1];
  }
  if (!understood || flags["--tasks"].empty() || flags["--solver"].empty()) {
    std::fprintf(stderr, "usage: ik_tasks --solver NAME --tasks FILE.ikt, each of");
    for (const auto& [name, value] : flags) std::fprintf(stderr, " %s", name.c_str());
    std::fprintf(stderr, " with a value; see the head of tests/bench/ik_tasks.cc\n");
    return 2;
  }
  if (!flags["--cpu-target"].empty()) {
    const auto status = ikstream::PinCpuTarget(flags["--cpu-target"]);
    if (!status.ok()) return std::fprintf(stderr, "%s\n", status.ToString().c_str()), 1;
  }
  return ikstream::bench::Run(flags);
}
