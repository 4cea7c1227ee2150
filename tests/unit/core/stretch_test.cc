// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Bones that lengthen, judged by forward kinematics of answered rotations and translations.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "core/field_error.h"
#include "core/trace.h"
#include "gtest/gtest.h"
#include "unit/core/scenes.h"

namespace ikstream {
namespace {

constexpr int kJoints = 5;  // four bones of 0.5

RigSpec Rubber(const char* solver, float most) {
  RigSpec spec = StraightChain(kJoints - 1, 0.5f, solver);
  spec.chains[0].max_stretch = most;
  spec.translated_joints = {1, 2, 3, 4};
  return spec;
}

struct Frames {
  std::shared_ptr<const Rig> rig;
  std::vector<float> roots, rotations, translations, positions, weights;
  std::vector<float> out, moved;
  std::vector<float> residuals;
  std::vector<SolveStatus> statuses;

  int count() const { return static_cast<int>(roots.size() / 3); }

  void Add(Vec3f target, float weight = 1) {
    const Vec3f root{1, 2, 3};
    roots.insert(roots.end(), {root.x, root.y, root.z});
    const Quatf bent = FromAxisAngle(Vec3f{1, 0, 0}, 0.3f);
    for (int j = 0; j < kJoints; ++j)
      rotations.insert(rotations.end(), {bent.x, bent.y, bent.z, bent.w});
    for (int t = 0; t < 4; ++t) translations.insert(translations.end(), {0, -0.5f, 0});
    positions.insert(positions.end(),
                     {root.x + target.x, root.y + target.y, root.z + target.z});
    weights.push_back(weight);
  }

  void Solve(int batch = 0) {
    const auto frames = static_cast<size_t>(count());
    out.resize(rotations.size());
    moved = translations;
    residuals.resize(frames);
    statuses.resize(frames);
    Solver solver(rig);
    const int step = batch == 0 ? count() : batch;
    for (int f = 0; f < count(); f += step) {
      const int n = std::min(step, count() - f);
      const std::vector<ChainTargets> targets = {
          {{positions.data() + 3 * f, 3}, {}, {weights.data() + f, 1}, {}}};
      const std::vector<ChainResults> results = {
          {statuses.data() + f, nullptr, residuals.data() + f, nullptr}};
      solver.Solve(
          {n, roots.data() + 3 * f, rotations.data() + 20 * f, translations.data() + 12 * f},
          targets, out.data() + 20 * f, results, nullptr, moved.data() + 12 * f);
    }
  }

  Vec3d End(int f) const {
    ModelPose pose;
    ForwardKinematics(rig->skeleton(), {&roots[3 * f], &out[20 * f], &moved[12 * f]},
                      rig->translated_joints(), pose);
    return pose.positions[4];
  }
  double Error(int f) const {
    return Length(End(f) - Cast<double>(LoadVec3(&positions[3 * f])));
  }
  double Bone(int f, int t) const { return Length(LoadVec3(&moved[12 * f + 3 * t])); }
};

Frames Make(const RigSpec& spec) {
  auto rig = Rig::Create(spec);
  EXPECT_TRUE(rig.ok()) << rig.status();
  Frames frames;
  frames.rig = std::make_shared<const Rig>(*std::move(rig));
  return frames;
}

TEST(Stretch, BonesLengthenToWhatIsOutOfReach) {
  for (const char* solver : {"auto", "fabrik", "ccd", "jacobian"}) {
    Frames frames = Make(Rubber(solver, 0.2f));
    frames.Add({0, -1.2f, 0.8f});  // within reach: nothing lengthens
    frames.Add({0, -2.2f, 0});     // 10 % out of reach
    frames.Add({1.6f, -1.6f, 0});  // 13 %
    frames.Add({0, -3, 0});        // out of reach even at 20 %
    frames.Solve();
    EXPECT_EQ(std::memcmp(frames.moved.data(), frames.translations.data(), 48), 0);
    const double length[] = {0.5, 0.55, 0.4 * std::sqrt(2.0), 0.6};
    for (int f = 0; f < 4; ++f) {
      SCOPED_TRACE(std::string(solver) + " " + std::to_string(f));
      for (int t = 0; t < 4; ++t) EXPECT_NEAR(frames.Bone(f, t), length[f], 1e-6);
      EXPECT_NEAR(frames.Error(f), f == 3 ? 0.6 : 0, 2.1e-3);
      EXPECT_NEAR(frames.residuals[f], frames.Error(f), 2e-5);
      EXPECT_EQ(frames.statuses[f],
                f == 3 ? SolveStatus::kUnreachable : SolveStatus::kConverged);
    }
  }
}

TEST(Stretch, LengthsFollowTheWeightOnALine) {
  Frames frames = Make(Rubber("fabrik", 0.5f));
  for (float w : {0.0f, 0.25f, 0.5f, 1.0f}) frames.Add({0, -2.4f, 0}, w);
  frames.Solve();
  for (int f = 0; f < 4; ++f) {
    for (int t = 0; t < 4; ++t)
      EXPECT_NEAR(frames.Bone(f, t), 0.5 + 0.1 * frames.weights[f], 1e-6);
    EXPECT_NEAR(frames.residuals[f], frames.Error(f), 2e-5);
  }
  EXPECT_EQ(std::memcmp(frames.moved.data(), frames.translations.data(), 48), 0);
}

TEST(Stretch, GrowsWithoutAJumpAndWithoutState) {
  Frames frames = Make(Rubber("auto", 0.3f));
  for (int f = 0; f < 200; ++f)
    frames.Add({0, -(1.9f + 0.005f * static_cast<float>(f)), 0.1f}, f % 3 == 0 ? 0.6f : 1);
  frames.Solve();
  const std::vector<float> rotations = frames.out, translations = frames.moved;
  for (int f = 3; f < 200; f += 3)
    EXPECT_LE(std::abs(frames.Bone(f, 2) - frames.Bone(f - 3, 2)), 0.004);
  for (int batch : {1, 7, 64}) {
    frames.Solve(batch);
    EXPECT_EQ(frames.out, rotations);
    EXPECT_EQ(frames.moved, translations);
  }
}

TEST(Stretch, ATipKeepsItsLengthAndItsRotation) {
  RigSpec spec = Rubber("fabrik", 1);
  spec.chains[0].tip_offset = Vec3f{0, 0, 0.25f};
  spec.chains[0].keep_end_rotation = true;
  Frames frames = Make(spec);
  frames.Add({0, -2.6f, 0.5f});
  frames.Solve();
  ModelPose before, after;
  ForwardKinematics(frames.rig->skeleton(),
                    {frames.roots.data(), frames.rotations.data(), frames.translations.data()},
                    frames.rig->translated_joints(), before);
  ForwardKinematics(frames.rig->skeleton(),
                    {frames.roots.data(), frames.out.data(), frames.moved.data()},
                    frames.rig->translated_joints(), after);
  const Vec3d tip = after.positions[4] + Rotate(after.rotations[4], Vec3d{0, 0, 0.25});
  EXPECT_LE(Length(tip - Vec3d{1, -0.6, 3.5}), 2.5e-3);
  EXPECT_LE(AngleBetween(before.rotations[4], after.rotations[4]), 0.01);
}

// Limits can turn a chain away from its target: longer bones would only end farther from it.
TEST(Stretch, NoBoneLengthensAwayFromTheTarget) {
  for (const char* solver : {"auto", "fabrik", "ccd", "jacobian"}) {
    SCOPED_TRACE(solver);
    RigSpec rubber = Rubber(solver, 0.5f), stiff = Rubber(solver, 0);
    for (RigSpec* spec : {&rubber, &stiff})
      spec->limits.assign(kJoints, HingeLimit{{1, 0, 0}, 0.1f, 0.5f});
    Frames longer = Make(rubber), same = Make(stiff);
    // Each three times: the second repeats, the third has bones that lengthen to the same.
    for (int i = 0; i < 90; ++i) {
      const float angle = 0.1f * static_cast<float>(i / 3);
      for (Frames* frames : {&longer, &same}) {
        frames->Add({0, -2.4f * std::cos(angle), -2.4f * std::sin(angle)});
        if (i % 3 == 2)
          for (int t = 0; t < 4; ++t) frames->translations[12 * i + 3 * t + 1] = -0.45f;
      }
    }
    longer.Solve(), same.Solve();
    int kept = 0, lengthened = 0;
    for (int f = 0; f < 90; ++f) {
      EXPECT_LE(longer.Error(f), same.Error(f) + 1e-5) << f;
      EXPECT_NEAR(longer.residuals[f], longer.Error(f), 2e-5) << f;
      ++(longer.Bone(f, 0) > 0.501 ? lengthened : kept);
    }
    EXPECT_GT(kept, 10);
    EXPECT_GT(lengthened, 10);
    const std::vector<float> rotations = longer.out, translations = longer.moved;
    for (int batch : {1, 7}) {
      longer.Solve(batch);
      EXPECT_EQ(longer.out, rotations);
      EXPECT_EQ(longer.moved, translations);
    }
  }
}

TEST(Stretch, TraceShowsIt) {
  Frames frames = Make(Rubber("auto", 0.2f));
  frames.Add({0, -2.2f, 0});
  const std::vector<ChainTargets> targets = {{{frames.positions.data(), 3}, {}, {}, {}}};
  const auto trace = TraceSolve(
      *frames.rig, 0, "ccd",
      {1, frames.roots.data(), frames.rotations.data(), frames.translations.data()}, targets);
  ASSERT_TRUE(trace.ok());
  EXPECT_LE(trace->errors.back(), 2.1e-3);
}

TEST(Stretch, NamesTheJointThatIsMissing) {
  RigSpec spec = Rubber("auto", 0.2f);
  spec.translated_joints = {1, 2, 4};
  const absl::Status status = Rig::Create(spec).status();
  EXPECT_EQ(FieldOf(status), "chains[0].max_stretch");
  EXPECT_NE(std::string(status.message()).find("joint 3"), std::string::npos) << status;
  spec = Rubber("auto", -1);
  EXPECT_EQ(FieldOf(Rig::Create(spec).status()), "chains[0].max_stretch");
  spec.chains[0].max_stretch = NAN;
  EXPECT_EQ(FieldOf(Rig::Create(spec).status()), "chains[0].max_stretch");
}

}  // namespace
}  // namespace ikstream
