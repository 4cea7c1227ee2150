// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// A small body for tests: a pelvis on two legs of 1 unit (thigh and shin 0.5) with toes and
// tips, posed by its own law of cosines.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/solve.h"
#include "motion/cleaner.h"
#include "motion/planner.h"

namespace ikstream::test {

// Frames in memory, and what they are of.
struct Motion {
  ClipSpec clip;
  std::vector<float> roots, rotations, translations;

  std::int64_t frames() const { return static_cast<std::int64_t>(roots.size()) / 3; }
  MotionView View(std::int64_t begin, std::int64_t count) const;
  // Position of a joint by forward kinematics.
  Vec3d Position(std::int64_t frame, int joint) const;
};

// Where the body is in one frame. Model space.
struct BodyPose {
  Vec3d pelvis{0, 1, 0};
  Vec3d ankle[2] = {{0.1, 0, 0}, {-0.1, 0, 0}};
  double pitch[2] = {0, 0};  // of the feet about +X, radians; positive: heel up
};

inline constexpr double kLeg = 1.0, kAnkleHeight = 0.08, kToeHeight = 0.02;
inline constexpr int kLeftAnkle = 3, kLeftToe = 4, kRightAnkle = 7, kRightToe = 8;

// `units` scales every length of the body. Knees point to +Z. Ankles of a flat foot stand
// kAnkleHeight above ground, toes kToeHeight.
Motion MakeBody(int frames, double fps, double units,
                const std::function<BodyPose(int frame)>& pose);

Plan MakePlan(const Motion& motion, const CleanupSettings& settings = {},
              const PlannerInputs& inputs = {}, std::int64_t batch = 1'000'000);

struct Cleaned {
  Motion motion;
  CleanBatch batch;
  QualityReport report;
};
Cleaned Clean(const Motion& motion, const Plan& plan, const CleanupSettings& settings = {},
              const GroundQuery* ground = nullptr, std::int64_t batch = 1'000'000);

}  // namespace ikstream::test
