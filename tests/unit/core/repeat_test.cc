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
#include "unit/core/body_scenes.h"
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

// The ball that the arm must avoid counts as input.
TEST(Repeats, CollidersThatMoveMakeADifference) {
  Random random(6);
  RigSpec spec = RandomChain(random, 6, "fabrik", false);
  spec.joints.push_back({"ball", -1, {}, {}, {}});
  spec.joints.back().parent = 0;
  spec.limits.resize(spec.joints.size());
  spec.chains[0].root_joint = 1;
  const int ball = static_cast<int>(spec.joints.size()) - 1;
  spec.colliders.push_back({ball, {0, 1.2f, 0.4f}, {}, 0.5f, 0, {}});
  Scene scene = MakeScene(spec);
  for (int run = 0; run < 30; ++run) {
    const Vec3f target = RandomUnit(random) * 2.0f;
    std::vector<Quatf> pose = RandomPose(random, *scene.rig, 0.5f);
    for (int i = 0; i < 4; ++i) {
      if (i == 2) pose[ball] = RandomTurn(random, 2);
      scene.Add(pose);
      scene.AddTarget(target);
    }
  }
  const Solved alone = Alone(scene);
  scene.weights.assign(scene.frames(), 1);
  for (int batch : {0, 1, 5}) {
    const Solved solved = Solve(scene, batch);
    EXPECT_EQ(solved.iterations, alone.iterations);
    ExpectSameWhole(scene, solved, alone);
  }
}

// Groups, whose effectors have weights of their own.
TEST(Repeats, OfGroups) {
  const BodyScene some = RandomHumans(30, 51, Human());
  BodyScene scene = MakeBodyScene(Human());
  Random random(5);
  for (int f = 0; f < some.frames(); ++f)
    for (size_t i = 0, n = 1 + random() % 4; i < n; ++i) {
      const auto copy = [f](const std::vector<float>& from, std::vector<float>& to, int width) {
        to.insert(to.end(), from.begin() + width * f, from.begin() + width * (f + 1));
      };
      copy(some.roots, scene.roots, 3);
      copy(some.rotations, scene.rotations, 4 * scene.joints());
      for (int c = 0; c < scene.chains(); ++c) {
        copy(some.tracks[c].positions, scene.tracks[c].positions, 3);
        scene.tracks[c].weights.push_back(c == 1 && f % 3 == 0   ? 0.5f
                                          : c == 2 && f % 5 == 0 ? 0.0f
                                                                 : 1.0f);
      }
    }
  const SolvedBody whole = SolveHumans(scene);
  for (int batch : {1, 3, 10}) {
    const SolvedBody parts = SolveHumans(scene, batch);
    EXPECT_EQ(parts.rotations, whole.rotations) << batch;
    EXPECT_EQ(parts.roots, whole.roots);
    for (int c = 0; c < scene.chains(); ++c) {
      EXPECT_EQ(parts.chains[c].statuses, whole.chains[c].statuses);
      EXPECT_EQ(parts.chains[c].iterations, whole.chains[c].iterations);
      EXPECT_EQ(parts.chains[c].residuals, whole.chains[c].residuals);
    }
  }
  // Each frame by a solver that knows no other.
  for (int f = 0; f < scene.frames(); ++f) {
    BodyScene one = MakeBodyScene(Human());
    const int width = 4 * scene.joints();
    one.roots.assign(&scene.roots[3 * f], &scene.roots[3 * f] + 3);
    one.rotations.assign(&scene.rotations[width * f], &scene.rotations[width * f] + width);
    for (int c = 0; c < scene.chains(); ++c) {
      one.tracks[c].positions.assign(&scene.tracks[c].positions[3 * f],
                                     &scene.tracks[c].positions[3 * f] + 3);
      one.tracks[c].weights = {scene.tracks[c].weights[f]};
    }
    if (scene.tracks[1].weights[f] < 1) continue;  // the side of the frame before counts
    const SolvedBody alone = SolveHumans(one);
    for (int c = 0; c < scene.chains(); ++c) {
      EXPECT_EQ(alone.chains[c].iterations[0], whole.chains[c].iterations[f]) << f;
      EXPECT_NEAR(alone.chains[c].residuals[0], whole.chains[c].residuals[f], 1e-6) << f;
    }
  }
}

double SecondsOf(const Scene& scene, Solver& solver) {
  std::vector<float> out(scene.rotations.size());
  const std::vector<ChainTargets> targets = {{{scene.positions.data(), 3}, {}, {}, {}}};
  const std::vector<ChainResults> results(1);
  solver.Reset();
  const auto start = std::chrono::steady_clock::now();
  solver.Solve({scene.frames(), scene.roots.data(), scene.rotations.data(), nullptr}, targets,
               out.data(), results);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// By turns, the least of each, since others use the machine too.
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
    Solver first(same.rig), second(different.rig);
    double least_same = 1e9, least_different = 1e9;
    for (int i = 0; i < 9; ++i) {
      least_same = std::min(least_same, SecondsOf(same, first));
      least_different = std::min(least_different, SecondsOf(different, second));
    }
    const double ratio = least_different / least_same;
    std::printf("%s: different frames take %.1f times as long as equal ones\n", solver, ratio);
    // A closed form costs little more than to see that nothing has changed.
    EXPECT_GT(ratio, solver[0] == 't' ? 0.6 : 1);
  }
}

}  // namespace
}  // namespace ikstream
