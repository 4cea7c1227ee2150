// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// body_bench [frames] [repetitions]
// 22 joints and five effectors: how many poses meet all targets, and frames per second on one
// core beside the textbook's damped least squares on the same tasks, one pose at a time.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "textbook_body.h"
#include "unit/core/body_scenes.h"

namespace ikstream::bench {
namespace {

using Clock = std::chrono::steady_clock;

template <class Run>
double Median(int times, const Run& run) {
  std::vector<double> seconds;
  for (int i = 0; i < times; ++i) {
    const auto start = Clock::now();
    run();
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

struct Score {
  int met = 0;
  double iterations = 0;
};

Score ScoreOf(const BodyScene& scene, const SolvedBody& solved) {
  Score score;
  for (int f = 0; f < scene.frames(); ++f) {
    score.met += WorstMiss(scene, solved, f) <= 1e-3 * kHeight;
    score.iterations += solved.chains[0].iterations[f];
  }
  score.iterations /= scene.frames();
  return score;
}

double TimeSolver(const BodyScene& scene, int times) {
  Solver solver(scene.rig);
  std::vector<float> out(scene.rotations.size()), roots(scene.roots.size());
  std::vector<ChainTargets> targets;
  for (const auto& tracks : scene.tracks)
    targets.push_back({{tracks.positions.data(), 3}, {}, {}, {}});
  const std::vector<ChainResults> results(targets.size());
  const MotionView motion{scene.frames(), scene.roots.data(), scene.rotations.data(), nullptr};
  return Median(times,
                [&] { solver.Solve(motion, targets, out.data(), results, roots.data()); });
}

void Row(const char* name, const BodyScene& scene, const Score& score, double seconds) {
  const double frames = scene.frames();
  std::printf("%-30s %6.2f %% met  %5.2f iterations  %9.0f frames/s\n", name,
              100 * score.met / frames, score.iterations, frames / seconds);
}

void Compare(const char* name, bool limits, int iterations, float angle, int frames,
             int times) {
  RigSpec spec = Human(limits);
  for (ChainSpec& chain : spec.chains) chain.max_iterations = iterations;
  const BodyScene scene = RandomHumans(frames, 1, spec, angle);
  Row(name, scene, ScoreOf(scene, SolveHumans(scene)), TimeSolver(scene, times));
  if (limits) return;
  SolvedBody plain;
  const double seconds = Median(times, [&] { plain = TextbookBody(scene, iterations); });
  Row("  textbook loop", scene, ScoreOf(scene, plain), seconds);
}

}  // namespace
}  // namespace ikstream::bench

int main(int argc, char** argv) {
  using ikstream::bench::Compare;
  const int frames = argc > 1 ? std::atoi(argv[1]) : 1000;
  const int times = argc > 2 ? std::atoi(argv[2]) : 5;
  std::printf("%s\n", ikstream::CpuTarget());
  for (float angle : {0.6f, 1.0f})
    for (int iterations : {16, 32, 64}) {
      std::printf("poses turned by up to %.1f rad per joint, %d iterations\n", angle,
                  iterations);
      Compare("body, no limits", false, iterations, angle, frames, times);
      Compare("body, limits", true, iterations, angle, frames, times);
    }
  return 0;
}
