// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Frames between solved ones: corrections in double precision from the answers of a chain that
// solves every frame judge them.
#include <algorithm>
#include <cmath>
#include <vector>

#include "gtest/gtest.h"
#include "unit/core/reference.h"
#include "unit/core/scenes.h"

namespace ikstream {
namespace {

constexpr int kEvery = 4, kFrames = 31;

RigSpec Tail(int every, FramesBetween between) {
  RigSpec spec = StraightChain(5, 0.3f, "fabrik");
  spec.frames_per_second = 60;
  spec.chains[0].tolerance = 1e-5f;
  spec.chains[0].max_iterations = 200;
  spec.chains[0].solve_every = every;
  spec.chains[0].between = between;
  return spec;
}

// A tail that sways while its target goes round: 2 s of turn at 60 frames a second.
void AddMotion(Scene& scene, int frames = kFrames) {
  for (int f = 0; f < frames; ++f) {
    const float a = 0.05f * static_cast<float>(f);
    std::vector<Quatf> pose(scene.joints(),
                            FromAxisAngle(Vec3f{0, 0, 1}, 0.1f + 0.1f * std::sin(a)));
    scene.Add(pose, {0.01f * static_cast<float>(f), 0, 0});
    scene.AddTarget(
        {0.5f * std::sin(a) + 0.01f * static_cast<float>(f), -1.1f, 0.5f * std::cos(a)});
  }
}

Scene Swaying(int every, FramesBetween between) {
  Scene scene = MakeScene(Tail(every, between));
  AddMotion(scene);
  return scene;
}

Quatd Correction(const Scene& scene, const Solved& solved, int frame, int joint) {
  const Quatd input =
      Cast<double>(LoadQuat(scene.rotations.data() + 4 * (scene.joints() * frame + joint)));
  return Normalized(Cast<double>(solved.At(scene, frame, joint)) * Conjugate(input));
}

// What frame `f` between `a` and `b` should be, at t of the way.
void ExpectMix(const Scene& scene, const Solved& every, const Solved& some, int f, int a, int b,
               double t) {
  for (int j = 0; j < 5; ++j) {
    const Quatd from = Correction(scene, every, a, j), to = Correction(scene, every, b, j);
    const double angle = AngleBetween(from, to);
    const Quatd now = Correction(scene, some, f, j);
    EXPECT_NEAR(AngleBetween(from, now), t * angle, 1e-4) << f << " " << j;
    EXPECT_NEAR(AngleBetween(now, to), (1 - t) * angle, 1e-4) << f << " " << j;
  }
}

double ExpectResidualsTrue(const Scene& scene, const Solved& solved) {
  double worst = 0;
  for (int f = 0; f < scene.frames(); ++f) {
    EXPECT_NEAR(solved.residuals[f], ErrorOf(scene, solved.rotations, f), 2e-5) << f;
    worst = std::max<double>(worst, solved.residuals[f]);
  }
  return worst;
}

TEST(Between, InterpolatesCorrections) {
  const Scene scene = Swaying(kEvery, FramesBetween::kInterpolate);
  const Solved every = Solve(Swaying(1, FramesBetween::kInterpolate)), some = Solve(scene);
  for (int f = 0; f < kFrames; ++f) {
    if (f % kEvery == 0 || f == kFrames - 1) {
      EXPECT_EQ(some.statuses[f], SolveStatus::kConverged);
      for (int j = 0; j < 5; ++j) EXPECT_EQ(some.At(scene, f, j), every.At(scene, f, j));
      continue;
    }
    EXPECT_EQ(some.statuses[f], SolveStatus::kSkipped);
    EXPECT_EQ(some.iterations[f], 0);
    const int a = f / kEvery * kEvery, b = std::min(a + kEvery, kFrames - 1);
    ExpectMix(scene, every, some, f, a, b, static_cast<double>(f - a) / (b - a));
  }
  ExpectResidualsTrue(scene, some);
}

// What a chord misses of an arc goes by the square of its length; but for a place where the
// tail folds over to its other side, which is no arc.
TEST(Between, HalfTheSpanMissesAQuarter) {
  double typical[2] = {};
  for (int i : {0, 1}) {
    const int every = i == 0 ? 4 : 8;
    Scene scene = MakeScene(Tail(every, FramesBetween::kInterpolate));
    AddMotion(scene, 121);
    const Solved solved = Solve(scene);
    ExpectResidualsTrue(scene, solved);
    std::vector<double> middles;
    for (int f = every / 2; f < 121; f += every) middles.push_back(solved.residuals[f]);
    std::sort(middles.begin(), middles.end());
    typical[i] = middles[middles.size() / 2];
  }
  EXPECT_NEAR(typical[1] / typical[0], 4, 0.6);
  EXPECT_LT(typical[0], 0.005);
}

TEST(Between, HoldsAndEasesWithoutLag) {
  const Scene scene = Swaying(kEvery, FramesBetween::kHoldEased);
  const Solved every = Solve(Swaying(1, FramesBetween::kHoldEased)), some = Solve(scene);
  for (int j = 0; j < 5; ++j) EXPECT_EQ(some.At(scene, 0, j), every.At(scene, 0, j));
  for (int f = 1; f < kFrames; ++f) {
    const int last = f / kEvery * kEvery, before = std::max(0, last - kEvery);
    ExpectMix(scene, every, some, f, before, last, static_cast<double>(f - last + 1) / kEvery);
    EXPECT_EQ(some.statuses[f] == SolveStatus::kSkipped, f % kEvery != 0);
  }
  // Behind by about as much as the target goes in n frames.
  EXPECT_LT(ExpectResidualsTrue(scene, some), 0.2);
  // Causal: what comes later changes nothing.
  Scene other = scene;
  for (size_t i = 3 * 20; i < other.positions.size(); ++i) other.positions[i] += 0.2f;
  const Solved later = Solve(other);
  for (int f = 0; f < 20; ++f)
    for (int j = 0; j < 5; ++j) EXPECT_EQ(later.At(other, f, j), some.At(scene, f, j));
}

TEST(Between, LimitsHoldOnAllFrames) {
  for (FramesBetween kind : {FramesBetween::kInterpolate, FramesBetween::kHoldEased}) {
    Random random(3);
    RigSpec spec = RandomChain(random, 5, "fabrik", true);
    spec.chains[0].solve_every = 5;
    spec.chains[0].between = kind;
    Scene scene = MakeScene(spec);
    for (int f = 0; f < 120; ++f) {
      scene.Add(RandomPose(random, *scene.rig, 2));
      scene.AddTarget(RandomUnit(random) * 2.0f);
    }
    const Solved solved = Solve(scene);
    for (int f = 0; f < scene.frames(); ++f)
      for (int j = 0; j < 5; ++j) {
        const Joint& joint = scene.rig->skeleton().joint(j);
        ASSERT_LE(Outside(scene.rig->limit(j), Cast<double>(joint.rest),
                          Cast<double>(scene.rig->skeleton().joint(j + 1).offset),
                          Cast<double>(solved.At(scene, f, j))),
                  1e-4)
            << f << " " << j;
      }
  }
}

TEST(Between, AnUnsolvedNeighbourHasNoCorrection) {
  Scene scene = Swaying(kEvery, FramesBetween::kInterpolate);
  for (int f = 0; f < kFrames; ++f) scene.weights.push_back(f <= 8 ? 0.0f : 1.0f);
  const Solved solved = Solve(scene),
               every = [] { return Solve(Swaying(1, FramesBetween::kInterpolate)); }();
  for (int f = 0; f <= 8; ++f)
    for (int j = 0; j < 5; ++j)
      EXPECT_EQ(AngleBetween(Correction(scene, solved, f, j), Quatd{}), 0);
  for (int f = 9; f < 12; ++f) ExpectMix(scene, every, solved, f, 12, 12, 0);
}

TEST(Between, BatchesThatEndAtSolvedFramesGiveTheSameBits) {
  for (FramesBetween kind : {FramesBetween::kInterpolate, FramesBetween::kHoldEased}) {
    RigSpec spec = Tail(kEvery, kind);
    Scene scene = MakeScene(spec);
    AddMotion(scene, 120);
    for (int f = 0; f < 120; ++f) scene.weights.push_back(f % 30 < 20 ? 0.7f : 1.0f);
    EXPECT_EQ(scene.rig->frames_together(), kind == FramesBetween::kInterpolate ? kEvery : 1);
    const Solved whole = Solve(scene);
    if (kind == FramesBetween::kHoldEased) {
      for (int batch : {1, 7, 119})
        EXPECT_EQ(Solve(scene, batch).rotations, whole.rotations) << batch;
      continue;
    }
    Solver solver(scene.rig);
    std::vector<float> out(scene.rotations.size());
    const std::vector<ChainResults> results(1);
    for (int begin = 0, end = 0; begin < 120; begin = end) {
      end = std::min(begin == 0 ? 1 : begin + 8, 120);
      const std::vector<ChainTargets> targets = {
          {{scene.positions.data() + 3 * begin, 3}, {}, {scene.weights.data() + begin, 1}, {}}};
      solver.Solve({end - begin, scene.roots.data() + 3 * begin,
                    scene.rotations.data() + 24 * begin, nullptr},
                   targets, out.data() + 24 * begin, results);
    }
    EXPECT_EQ(out, whole.rotations);
  }
}

TEST(Between, TooLongALagIsRefused) {
  RigSpec spec = Tail(31, FramesBetween::kInterpolate);
  spec.chains.push_back(spec.chains[0]);
  spec.chains[1].solve_every = 32;
  const auto fits = Rig::Create(spec);
  ASSERT_TRUE(fits.ok());
  EXPECT_EQ(fits->frames_together(), 31 * 32);
  spec.chains[1].solve_every = 64;
  EXPECT_EQ(Rig::Create(spec).status().message().substr(0, 22), "chains[1].solve_every:");
}

}  // namespace
}  // namespace ikstream
