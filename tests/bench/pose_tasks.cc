// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "pose_tasks.h"

#include <Eigen/Dense>
#include <Eigen/Geometry>
#include <cmath>
#include <random>

namespace ikstream::bench {
namespace {

ArmPose RandomPose(std::mt19937& random, float most) {
  std::normal_distribution<float> normal;
  std::uniform_real_distribution<float> share(0, 1);
  ArmPose pose;
  for (Quatf& q : pose) {
    const Vec3f axis =
        NormalizedOr(Vec3f{normal(random), normal(random), normal(random)}, {1, 0, 0});
    const float half = 0.5f * most * share(random);
    q = {axis.x * std::sin(half), axis.y * std::sin(half), axis.z * std::sin(half),
         std::cos(half)};
  }
  return pose;
}

using Vector = Eigen::Vector3f;
using Rotation = Eigen::Quaternionf;

Rotation Turn(const Vector& v) {
  const float angle = v.norm();
  if (angle < 1e-9f) return Rotation::Identity();
  return Rotation(Eigen::AngleAxisf(angle, v / angle));
}

// The rotation vector of q.
Vector LogOf(const Rotation& q) {
  const Eigen::AngleAxisf turn(q.w() < 0 ? Rotation(-q.coeffs()) : q);
  return turn.axis() * turn.angle();
}

// Joints, then the tip.
struct Chain {
  std::array<Vector, kArmJoints + 1> positions;
  std::array<Rotation, kArmJoints> rotations;

  explicit Chain(const std::array<Rotation, kArmJoints>& local) {
    Vector p = Vector::Zero();
    Rotation r = Rotation::Identity();
    for (int k = 0; k < kArmJoints; ++k) {
      positions[k] = p;
      r = r * local[k];
      rotations[k] = r;
      p += r * Vector(0, kArmBones[k], 0);
    }
    positions[kArmJoints] = p;
  }
};

}  // namespace

std::vector<ArmTask> MakeArmTasks(int count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<ArmTask> tasks(static_cast<size_t>(count));
  for (ArmTask& task : tasks) {
    task.start = RandomPose(random, 0.349f);
    task.target = TipOf(RandomPose(random, 1.047f));
  }
  return tasks;
}

ArmTip TipOf(const ArmPose& pose) {
  Vec3d p;
  Quatd r;
  for (int k = 0; k < kArmJoints; ++k) {
    r = r * Cast<double>(pose[k]);
    p = p + Rotate(r, Vec3d{0, kArmBones[k], 0});
  }
  return {Cast<float>(p), Cast<float>(r)};
}

bool Meets(const ArmPose& pose, const ArmTip& target) {
  const ArmTip tip = TipOf(pose);
  return Length(tip.position - target.position) <= kArmTolerance * 1.0001f &&
         AngleBetween(Cast<double>(tip.rotation), Cast<double>(target.rotation)) <=
             kArmAngle * 1.001;
}

int DampedLeastSquares(ArmPose& pose, const ArmTip& target) {
  constexpr float kDamping = 0.01f;
  std::array<Rotation, kArmJoints> local;
  for (int k = 0; k < kArmJoints; ++k)
    local[k] = Rotation(pose[k].w, pose[k].x, pose[k].y, pose[k].z);
  const Vector goal(target.position.x, target.position.y, target.position.z);
  const Rotation turn(target.rotation.w, target.rotation.x, target.rotation.y,
                      target.rotation.z);
  int done = 0;
  for (; done < kArmIterations; ++done) {
    const Chain chain(local);
    const Vector& tip = chain.positions[kArmJoints];
    Eigen::Matrix<float, 6, 1> error;
    error << goal - tip, LogOf(turn * chain.rotations[kArmJoints - 1].conjugate());
    if (error.head<3>().norm() <= kArmTolerance && error.tail<3>().norm() <= kArmAngle) break;
    Eigen::Matrix<float, 6, 3 * kArmJoints> jacobian;
    for (int k = 0; k < kArmJoints; ++k)
      for (int axis = 0; axis < 3; ++axis) {
        const Vector unit = Vector::Unit(axis);
        jacobian.col(3 * k + axis) << unit.cross(tip - chain.positions[k]), unit;
      }
    Eigen::Matrix<float, 6, 6> normal = jacobian * jacobian.transpose();
    normal.diagonal().array() += kDamping * kDamping;
    const Eigen::Matrix<float, 3 * kArmJoints, 1> step =
        jacobian.transpose() * normal.ldlt().solve(error);
    for (int k = 0; k < kArmJoints; ++k) {
      const Rotation above = k == 0 ? Rotation::Identity() : chain.rotations[k - 1];
      local[k] = (Turn(above.conjugate() * step.segment<3>(3 * k)) * local[k]).normalized();
    }
  }
  for (int k = 0; k < kArmJoints; ++k)
    pose[k] = {local[k].x(), local[k].y(), local[k].z(), local[k].w()};
  return done;
}

}  // namespace ikstream::bench
