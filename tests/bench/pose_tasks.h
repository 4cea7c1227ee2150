// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Seeded poses of an arm of seven joints that turn about every axis, each with the position and
// the rotation of its tip as the target; and a plain damped-least-squares loop on Eigen, which
// the `jacobian` is measured against.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/math.h"

namespace ikstream::bench {

inline constexpr int kArmJoints = 7;
inline constexpr std::array<float, kArmJoints> kArmBones = {0.12f, 0.3f,  0.05f, 0.28f,
                                                            0.06f, 0.08f, 0.1f};  // along +Y
inline constexpr float kArmReach = 0.99f;
inline constexpr float kArmTolerance = 1e-3f * kArmReach, kArmAngle = 0.0087266463f;
inline constexpr int kArmIterations = 100;

// Local rotations, root first.
using ArmPose = std::array<Quatf, kArmJoints>;

struct ArmTip {
  Vec3f position;
  Quatf rotation;
};

struct ArmTask {
  ArmPose start;
  ArmTip target;
};

// Starts bent by up to 20 degrees a joint; targets from poses bent by up to 60.
std::vector<ArmTask> MakeArmTasks(int count, std::uint32_t seed);
ArmTip TipOf(const ArmPose& pose);
bool Meets(const ArmPose& pose, const ArmTip& target);

// Solves from `pose`, which holds the answer; returns the iterations.
int DampedLeastSquares(ArmPose& pose, const ArmTip& target);

}  // namespace ikstream::bench
