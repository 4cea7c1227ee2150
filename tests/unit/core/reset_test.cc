// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Solver::Reset: what was carried over is forgotten, and frames count from where it says.
#include <cmath>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "unit/core/scenes.h"

namespace ikstream {
namespace {

// Everything that is carried from frame to frame, in one chain and one way at a time.
RigSpec Timed(int kind) {
  Random random(7);
  RigSpec spec = RandomChain(random, 5, "fabrik", kind == 3);
  spec.frames_per_second = 60;
  ChainSpec& chain = spec.chains[0];
  chain.pole = {PoleKind::kPoint, {0, 1, 1}, 1};
  if (kind == 1) chain.temporal = {0.1, 2, 0.3, 3, 6};
  if (kind == 2) chain.solve_every = 4;
  if (kind == 3) chain.solve_every = 4, chain.between = FramesBetween::kHoldEased;
  return spec;
}

constexpr int kFrames = 96;

Scene Moving(int kind) {
  Scene scene = MakeScene(Timed(kind));
  Random random(8);
  for (int f = 0; f < kFrames; ++f) {
    scene.Add(RandomPose(random, *scene.rig, 0.5f), RandomUnit(random));
    scene.AddTarget(RandomUnit(random) * 1.5f);
    if (f > 0 && f % 6 == 0)  // a repeat
      std::copy_n(scene.positions.end() - 6, 3, scene.positions.end() - 3);
    scene.weights.push_back(f % 12 < 8 ? 0.6f : 1.0f);
  }
  return scene;
}

// What a solver answers to frames [begin, end).
struct Answers {
  std::vector<float> rotations, residuals, velocities;
  std::vector<SolveStatus> statuses;
  bool operator==(const Answers&) const = default;
};

Answers Part(Solver& solver, const Scene& scene, int begin, int end) {
  const auto frames = static_cast<size_t>(end - begin);
  const int width = 4 * scene.joints();
  Answers out;
  out.rotations.resize(width * frames);
  out.residuals.resize(frames);
  out.statuses.resize(frames);
  out.velocities.resize(3 * frames * scene.rig->chains()[0].turned.size());
  ChainResults results;
  results.statuses = out.statuses.data();
  results.residuals = out.residuals.data();
  results.angular_velocities = out.velocities.data();
  const std::vector<ChainTargets> targets = {
      {{&scene.positions[3 * begin], 3}, {}, {&scene.weights[begin], 1}, {}}};
  solver.Solve({end - begin, &scene.roots[3 * begin], &scene.rotations[width * begin], nullptr},
               targets, out.rotations.data(), {&results, 1});
  return out;
}

TEST(SolverReset, ForgetsEverything) {
  for (int kind = 0; kind < 4; ++kind) {
    const Scene scene = Moving(kind);
    Solver fresh(scene.rig);
    const Answers want = Part(fresh, scene, 0, 40);
    Solver used(scene.rig);
    Part(used, scene, 40, kFrames);
    EXPECT_FALSE(Part(used, scene, 0, 40) == want) << kind << ": nothing is carried over";
    used.Reset();
    EXPECT_TRUE(Part(used, scene, 0, 40) == want) << kind;
  }
}

TEST(SolverReset, FramesCountFromWhereItSays) {
  const Scene scene = Moving(2);
  Solver solver(scene.rig);
  for (std::int64_t first : {-7, -4, 0, 3, 1000001}) {
    solver.Reset(first);
    const Answers out = Part(solver, scene, 0, 30);
    for (int f = 0; f < 30; ++f)
      EXPECT_EQ(out.statuses[f] != SolveStatus::kSkipped,
                f == 0 || f == 29 || (first + f) % 4 == 0)
          << first << " " << f;
  }
}

}  // namespace
}  // namespace ikstream
