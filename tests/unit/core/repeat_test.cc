// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Frames whose input is that of the frame before: the same answer, told apart by one bit, and
// cheaper.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

#include "gtest/gtest.h"
#include "unit/core/scenes.h"

namespace ikstream {
namespace {

Scene ArmScene(int seed, const char* solver) {
  Random random(seed);
  return MakeScene(RandomChain(random, 6, solver, seed % 2 == 1));
}

// Runs of one to five equal frames.
Scene Runs(const char* solver, int seed) {
  Scene scene = ArmScene(seed, solver);
  Random random(seed);
  while (scene.frames() < 120) {
    const std::vector<Quatf> pose = RandomPose(random, *scene.rig, 0.7f);
    const Vec3f root = RandomUnit(random), target = root + RandomUnit(random) * 2.5f;
    const float weight = Uniform(random, 0, 1) < 0.5f ? 1.0f : 0.5f;
    for (size_t i = 0, n = 1 + random() % 5; i < n; ++i) {
      scene.Add(pose, root);
      scene.AddTarget(target);
      scene.weights.push_back(weight);
    }
  }
  return scene;
}

// The same frames by a chain for which repeats are not looked for: it has a state in time, if
// one without an effect.
Scene SolvedAgain(const char* solver, int seed, const Scene& scene) {
  Random random(seed);
  RigSpec spec = RandomChain(random, 6, solver, seed % 2 == 1);
  spec.frames_per_second = 60;
  spec.chains[0].temporal.weight_rise = 1e6;
  Scene again = scene;
  again.rig = MakeScene(spec).rig;
  return again;
}

// Each frame by a solver that knows no other frame.
Solved Alone(const Scene& scene) {
  Solved out;
  for (int f = 0; f < scene.frames(); ++f) {
    Scene one{scene.rig, {}, {}, {}, {}, {}, {}};
    const int width = 4 * scene.joints();
    one.roots.assign(&scene.roots[3 * f], &scene.roots[3 * f] + 3);
    one.rotations.assign(&scene.rotations[width * f], &scene.rotations[width * f] + width);
    one.positions.assign(&scene.positions[3 * f], &scene.positions[3 * f] + 3);
    if (!scene.weights.empty()) one.weights = {scene.weights[f]};
    const Solved solved = Solve(one);
    out.rotations.insert(out.rotations.end(), solved.rotations.begin(), solved.rotations.end());
    out.statuses.push_back(solved.statuses[0]);
    out.iterations.push_back(solved.iterations[0]);
    out.residuals.push_back(solved.residuals[0]);
  }
  return out;
}

// Of weight 1, where the side of the frame before decides nothing but the sign.
void ExpectSameWhole(const Scene& scene, const Solved& solved, const Solved& alone) {
  for (int f = 0; f < scene.frames(); ++f) {
    if (scene.weights[f] < 1) continue;
    EXPECT_EQ(solved.residuals[f], alone.residuals[f]) << f;
    for (int j = 0; j < scene.joints(); ++j) {
      const Quatf a = solved.At(scene, f, j), b = alone.At(scene, f, j);
      EXPECT_TRUE(a == b || a == -b) << f << " " << j;
    }
  }
}

TEST(Repeats, AnswerWhatASolveWould) {
  for (const char* solver : {"auto", "fabrik", "ccd", "jacobian"})
    for (int seed : {1, 2}) {
      const Scene scene = Runs(solver, seed);
      const Solved again = Solve(SolvedAgain(solver, seed, scene)), alone = Alone(scene);
      for (int batch : {0, 1, 4, 50}) {
        const Solved solved = Solve(scene, batch);
        EXPECT_EQ(solved.statuses, again.statuses);
        EXPECT_EQ(solved.iterations, again.iterations);
        EXPECT_EQ(solved.residuals, again.residuals);
        EXPECT_EQ(solved.rotations, again.rotations);
        EXPECT_EQ(solved.statuses, alone.statuses);
        EXPECT_EQ(solved.iterations, alone.iterations);
        ExpectSameWhole(scene, solved, alone);
      }
    }
}

TEST(Repeats, OneBitMakesADifference) {
  Scene scene = ArmScene(2, "fabrik");
  Random random(2);
  const std::vector<Quatf> pose = RandomPose(random, *scene.rig, 0.7f);
  for (int f = 0; f < 12; ++f) {
    std::vector<Quatf> now = pose;
    // Every other frame differs in the last bits of one joint, then of one target.
    if (f % 4 == 1) now[2].x = std::nextafter(now[2].x, 2.0f);
    scene.Add(now, {1, 2, 3});
    scene.AddTarget({f % 4 == 3 ? std::nextafter(2.0f, 3.0f) : 2.0f, 2.5f, 2.5f});
  }
  const Solved solved = Solve(scene), alone = Alone(scene);
  EXPECT_EQ(solved.rotations, alone.rotations);
  EXPECT_EQ(solved.residuals, alone.residuals);
}

double SecondsOf(const Scene& scene) {
  Solver solver(scene.rig);
  std::vector<float> out(scene.rotations.size());
  const std::vector<ChainTargets> targets = {{{scene.positions.data(), 3}, {}, {}, {}}};
  const std::vector<ChainResults> results(1);
  double least = 1e9;
  for (int i = 0; i < 7; ++i) {
    solver.Reset();
    const auto start = std::chrono::steady_clock::now();
    solver.Solve({scene.frames(), scene.roots.data(), scene.rotations.data(), nullptr}, targets,
                 out.data(), results);
    least = std::min(
        least, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return least;
}

TEST(Repeats, TenThousandCostLessThanAsManySolves) {
  for (const char* solver : {"fabrik", "two_bone"}) {
    Random random(4);
    Scene same = MakeScene(RandomChain(random, solver[0] == 't' ? 2 : 6, solver, false));
    Scene different = same;
    const std::vector<Quatf> pose = RandomPose(random, *same.rig, 0.7f);
    const Vec3f target = RandomUnit(random) * 1.5f;
    for (int f = 0; f < 10000; ++f) {
      same.Add(pose);
      same.AddTarget(target);
      different.Add(pose);
      different.AddTarget(target + RandomUnit(random) * 0.3f);
    }
    const double ratio = SecondsOf(different) / SecondsOf(same);
    std::printf("%s: different frames take %.1f times as long as equal ones\n", solver, ratio);
    EXPECT_GT(ratio, 1);
  }
}

}  // namespace
}  // namespace ikstream
