// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Several effectors over time: half-lives and weight rates of members, One Euro and frames
// between of the group, judged by forward kinematics and by solves of every frame.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/field_error.h"
#include "gtest/gtest.h"
#include "unit/core/body_scenes.h"

namespace ikstream {
namespace {

constexpr int kRate = 60;
constexpr int kHands[] = {1, 2};

RigSpec TimedHuman(bool limits = false) {
  RigSpec spec = Human(limits);
  spec.frames_per_second = kRate;
  for (ChainSpec& chain : spec.chains) {
    chain.max_iterations = 64;
    chain.tolerance = 1e-4f;
  }
  return spec;
}

// A human that stands still, with bent limbs.
BodyScene Standing(const RigSpec& spec, int frames) {
  BodyScene scene = MakeBodyScene(spec);
  Random random(31);
  const std::vector<Quatf> pose = RandomPose(random, *scene.rig, 0.5f);
  for (int f = 0; f < frames; ++f) scene.Add(pose, {0, 1, 0});
  return scene;
}

void AddTarget(BodyScene& scene, int chain, Vec3d at) {
  const auto v = Cast<float>(at);
  auto& to = scene.tracks[chain].positions;
  to.insert(to.end(), {v.x, v.y, v.z});
}

// Hands that go round, and the head up and down so that the root moves.
BodyScene Busy(const RigSpec& spec, int frames, float jitter = 0) {
  BodyScene scene = Standing(spec, frames);
  const ModelPose pose = PoseOf(scene, scene.roots, scene.rotations, 0);
  Random random(32);
  for (int f = 0; f < frames; ++f) {
    const double a = 0.06 * f, noise = Uniform(random, -jitter, jitter);
    for (int c : kHands)
      AddTarget(scene, c,
                EndOf(scene, pose, c) + Vec3d{0.1 * std::sin(a), 0, 0.1 - 0.1 * std::cos(a)});
    AddTarget(scene, 0, EndOf(scene, pose, 0) + Vec3d{0, -0.1 - 0.1 * std::sin(a) + noise, 0});
    for (int c : {3, 4}) AddTarget(scene, c, EndOf(scene, pose, c));
  }
  return scene;
}

Quatd At(const BodyScene& scene, const std::vector<float>& rotations, int frame, int joint) {
  return Cast<double>(LoadQuat(&rotations[4 * (scene.joints() * frame + joint)]));
}

Quatd Correction(const BodyScene& scene, const SolvedBody& solved, int frame, int joint) {
  return Normalized(At(scene, solved.rotations, frame, joint) *
                    Conjugate(At(scene, scene.rotations, frame, joint)));
}

Vec3d ShiftOf(const BodyScene& scene, const SolvedBody& solved, int frame) {
  return Cast<double>(LoadVec3(&solved.roots[3 * frame]) - LoadVec3(&scene.roots[3 * frame]));
}

TEST(BodyTime, EachHandMakesHalfItsWayInItsOwnHalfLife) {
  RigSpec spec = TimedHuman();
  const int half_lives[] = {10, 20};
  for (int i : {0, 1})
    spec.chains[kHands[i]].temporal.target_half_life =
        static_cast<double>(half_lives[i]) / kRate;
  BodyScene scene = Standing(spec, 60);
  const ModelPose pose = PoseOf(scene, scene.roots, scene.rotations, 0);
  const auto way_of = [&](int c) {  // towards the collar: within reach
    const Vec3d collar = pose.positions[scene.rig->chains()[c].spec.root_joint];
    return (collar - EndOf(scene, pose, c)) * 0.3;
  };
  for (int c : kHands)
    for (int f = 0; f < 60; ++f)
      AddTarget(scene, c, EndOf(scene, pose, c) + way_of(c) * (f < 5 ? 0.0 : 1.0));
  const SolvedBody solved = SolveHumans(scene);
  for (int i : {0, 1})
    for (int n : {1, 2}) {
      const int f = 4 + n * half_lives[i], c = kHands[i];
      const double left = MissOf(scene, solved, c, f);
      const double want = std::pow(0.5, n) * Length(way_of(c));
      EXPECT_NEAR(left, want, 0.05 * want) << c << " " << f;
      EXPECT_NEAR(solved.chains[c].residuals[f], left, 1e-5);  // against the asked target
      EXPECT_EQ(solved.chains[c].statuses[f], SolveStatus::kConverged);
    }
}

TEST(BodyTime, AHandsWeightRisesAndFallsAtItsOwnSpeed) {
  RigSpec spec = TimedHuman();
  BodyScene scene = Standing(spec, 40);
  const ModelPose pose = PoseOf(scene, scene.roots, scene.rotations, 0);
  for (int f = 0; f < 40; ++f) {
    AddTarget(scene, 1, EndOf(scene, pose, 1) + Vec3d{0.1, 0.1, 0});
    scene.tracks[1].weights.push_back(f >= 3 && f < 20 ? 1.0f : 0.0f);
  }
  const SolvedBody whole = SolveHumans(scene);
  spec.chains[1].temporal.weight_rise = 6;   // 0.1 a frame
  spec.chains[1].temporal.weight_fall = 12;  // 0.2 a frame
  scene.rig = MakeBodyScene(spec).rig;
  const SolvedBody solved = SolveHumans(scene);
  for (int f = 0; f < 40; ++f) {
    const double rising = std::clamp((f - 2) * 0.1, 0.0, 1.0);
    const double want = f < 20 ? rising : std::max(0.0, 1 - (f - 19) * 0.2);
    for (int j : {14, 15, 16}) {
      const Quatd input = At(scene, scene.rotations, f, j);
      const double all = AngleBetween(input, At(scene, whole.rotations, 10, j));
      EXPECT_NEAR(AngleBetween(input, At(scene, solved.rotations, f, j)), want * all, 1e-4)
          << f << " " << j;
    }
    EXPECT_EQ(solved.chains[1].statuses[f] == SolveStatus::kSkipped, want < 1e-6) << f;
  }
}

// What frame `f` between `a` and `b` should be, at t of the way.
void ExpectMix(const BodyScene& scene, const SolvedBody& every, const SolvedBody& some, int f,
               int a, int b, double t) {
  for (int j : scene.rig->driven_joints()) {
    const Quatd from = Correction(scene, every, a, j), to = Correction(scene, every, b, j);
    const double angle = AngleBetween(from, to);
    const Quatd now = Correction(scene, some, f, j);
    EXPECT_NEAR(AngleBetween(from, now), t * angle, 1e-4) << f << " " << j;
    EXPECT_NEAR(AngleBetween(now, to), (1 - t) * angle, 1e-4) << f << " " << j;
  }
  const Vec3d from = ShiftOf(scene, every, a), to = ShiftOf(scene, every, b);
  EXPECT_LE(Length(ShiftOf(scene, some, f) - (from + (to - from) * t)), 1e-5) << f;
}

TEST(BodyTime, FramesBetweenGetTheCorrectionsOfAllJointsAndOfTheRoot) {
  constexpr int kEvery = 4, kFrames = 31;
  RigSpec spec = TimedHuman();
  const SolvedBody every = SolveHumans(Busy(spec, kFrames));
  for (FramesBetween kind : {FramesBetween::kInterpolate, FramesBetween::kHoldEased}) {
    spec.chains[2].solve_every = kEvery;  // of one member: the group's
    spec.chains[2].between = kind;
    const BodyScene scene = Busy(spec, kFrames);
    const SolvedBody some = SolveHumans(scene);
    const bool eased = kind == FramesBetween::kHoldEased;
    double moved = 0;
    for (int f = 1; f < kFrames; ++f) {
      const bool solved = f % kEvery == 0 || (!eased && f + 1 == kFrames);
      const int last = f / kEvery * kEvery, next = std::min(last + kEvery, kFrames - 1);
      if (eased)
        ExpectMix(scene, every, some, f, std::max(0, last - kEvery), last,
                  static_cast<double>(f - last + 1) / kEvery);
      else if (!solved)
        ExpectMix(scene, every, some, f, last, next,
                  static_cast<double>(f - last) / (next - last));
      for (int c = 0; c < scene.chains(); ++c) {
        EXPECT_EQ(some.chains[c].statuses[f] == SolveStatus::kSkipped, !solved) << f;
        EXPECT_NEAR(some.chains[c].residuals[f], MissOf(scene, some, c, f), 2e-5) << f;
      }
      moved = std::max(moved, Length(ShiftOf(scene, some, f)));
    }
    EXPECT_GT(moved, 0.02);
  }
}

TEST(BodyTime, LimitsHoldOnAllFrames) {
  RigSpec spec = TimedHuman(true);
  spec.chains[0].solve_every = 5;
  spec.chains[3].temporal.one_euro_min_cutoff = 1;
  for (FramesBetween kind : {FramesBetween::kInterpolate, FramesBetween::kHoldEased}) {
    spec.chains[0].between = kind;
    const BodyScene scene = RandomHumans(60, 33, spec);
    const SolvedBody solved = SolveHumans(scene);
    for (int f = 0; f < scene.frames(); ++f)
      ASSERT_LE(WorstOutside(scene, solved, f), 1e-4) << f;
  }
}

// The filter of Casiez et al. on a shift, in sizes of the body.
std::vector<Vec3d> TextbookOneEuro(const std::vector<Vec3d>& in, double size, double cutoff,
                                   double beta) {
  const auto alpha = [](double hz) {
    return 1 / (1 + 1 / (2 * std::numbers::pi * hz) * kRate);
  };
  std::vector<Vec3d> out = {in[0]};
  Vec3d speed{};
  for (size_t i = 1; i < in.size(); ++i) {
    speed += ((in[i] - in[i - 1]) * (kRate / size) - speed) * alpha(1);
    out.push_back(out.back() + (in[i] - out.back()) * alpha(cutoff + beta * Length(speed)));
  }
  return out;
}

TEST(BodyTime, OneEuroCalmsJointsAndTheRoot) {
  RigSpec spec = TimedHuman();
  const BodyScene scene = Busy(spec, 120, 0.01f);
  const SolvedBody raw = SolveHumans(scene);
  spec.chains[4].temporal.one_euro_min_cutoff = 1.5;
  spec.chains[4].temporal.one_euro_beta = 0.8;
  const BodyScene filtered = Busy(spec, 120, 0.01f);
  const SolvedBody solved = SolveHumans(filtered);
  std::vector<Vec3d> shifts;
  for (int f = 0; f < 120; ++f) shifts.push_back(ShiftOf(scene, raw, f));
  const double size = filtered.rig->groups()[0].size;
  const std::vector<Vec3d> want = TextbookOneEuro(shifts, size, 1.5, 0.8);
  double rough[2] = {};
  for (int f = 0; f < 120; ++f) {
    EXPECT_LE(Length(ShiftOf(filtered, solved, f) - want[f]), 1e-5) << f;
    for (int c = 0; c < filtered.chains(); ++c)
      EXPECT_NEAR(solved.chains[c].residuals[f], MissOf(filtered, solved, c, f), 1e-5);
    for (int j = 0; f >= 2 && j < 13; ++j)
      for (int i : {0, 1}) {
        const SolvedBody& of = i == 0 ? raw : solved;
        const Quatd q[] = {At(scene, of.rotations, f - 2, j), At(scene, of.rotations, f - 1, j),
                           At(scene, of.rotations, f, j)};
        rough[i] += Length(RotationVector(q[2] * Conjugate(q[1])) -
                           RotationVector(q[1] * Conjugate(q[0])));
      }
  }
  EXPECT_LT(rough[1], 0.5 * rough[0]);
}

TEST(BodyTime, BatchesOfAnySizeGiveTheSameBits) {
  RigSpec spec = TimedHuman(true);
  for (ChainSpec& chain : spec.chains) chain.max_iterations = 16;
  spec.chains[1].temporal = {0.1, 2, 0.1, 3, 5};
  spec.chains[2].temporal.target_half_life = 0.2;
  spec.chains[3].solve_every = spec.chains[0].solve_every = 3;
  spec.chains[3].between = spec.chains[0].between = FramesBetween::kHoldEased;
  BodyScene scene = RandomHumans(100, 34, spec);
  for (int f = 0; f < scene.frames(); ++f)
    scene.tracks[1].weights.push_back(f / 20 % 2 == 0 ? 1.0f : 0.0f);
  ExpectTheSameInBatches(scene, {1, 3, 16, 99});
}

TEST(BodyTime, MembersThatDisagreeAreNamed) {
  const auto fault = [](auto change) {
    RigSpec spec = TimedHuman();
    spec.chains[1].solve_every = spec.chains[3].solve_every = 4;
    spec.chains[1].temporal = spec.chains[3].temporal = {0, 2, 0.5, 0, 0};
    EXPECT_TRUE(Rig::Create(spec).ok());
    change(spec.chains[3]);
    return FieldOf(Rig::Create(spec).status());
  };
  EXPECT_EQ(fault([](ChainSpec& c) { c.solve_every = 2; }), "chains[3].solve_every");
  EXPECT_EQ(fault([](ChainSpec& c) { c.between = FramesBetween::kHoldEased; }),
            "chains[3].between");
  EXPECT_EQ(fault([](ChainSpec& c) { c.temporal.one_euro_min_cutoff = 1; }),
            "chains[3].temporal.one_euro_min_cutoff_hz");
  EXPECT_EQ(fault([](ChainSpec& c) { c.temporal.one_euro_beta = 0; }),
            "chains[3].temporal.one_euro_beta_hz");
  EXPECT_EQ(fault([](ChainSpec& c) { c.temporal = {0.3, 0, 0, 2, 3}; }), "");  // its own
  RigSpec spec = TimedHuman();
  spec.frames_per_second = 0;
  spec.chains[2].temporal.weight_rise = 1;
  EXPECT_EQ(FieldOf(Rig::Create(spec).status()), "frames_per_second");
}

}  // namespace
}  // namespace ikstream
