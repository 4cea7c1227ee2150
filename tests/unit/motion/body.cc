// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "unit/motion/body.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "motion/legs.h"

namespace ikstream::test {
namespace {

Joint MakeJoint(std::string name, int parent, Vec3f offset) {
  Joint joint;
  joint.name = std::move(name);
  joint.parent = parent;
  joint.offset = offset;
  return joint;
}

std::vector<Joint> BodyJoints(float s) {
  std::vector<Joint> joints = {MakeJoint("Hips", -1, {})};
  const float drop = static_cast<float>(kToeHeight - kAnkleHeight);
  for (int side = 0; side < 2; ++side) {
    const std::string name = side == 0 ? "Left" : "Right";
    const int hip = static_cast<int>(joints.size());
    joints.push_back(MakeJoint(name + "UpLeg", 0, Vec3f{side == 0 ? 0.1f : -0.1f, 0, 0} * s));
    joints.push_back(MakeJoint(name + "Leg", hip, Vec3f{0, -0.5f, 0} * s));
    joints.push_back(MakeJoint(name + "Foot", hip + 1, Vec3f{0, -0.5f, 0} * s));
    joints.push_back(MakeJoint(name + "Toe", hip + 2, Vec3f{0, drop, 0.15f} * s));
    joints.back().tip = Vec3f{0, 0, 0.06f} * s;
  }
  return joints;
}

// Thigh and shin turn about +X only where the leg lies in its own sagittal plane; the plane is
// turned to the target first.
void PoseLeg(const BodyPose& pose, int side, float* rotations) {
  const Vec3d hip = pose.pelvis + Vec3d{side == 0 ? 0.1 : -0.1, 0, 0};
  const Vec3d leg = pose.ankle[side] - hip;
  const double d = std::clamp(Length(leg), 1e-6, 1.0);
  const double half = std::acos(d);  // of the knee's bend: both bones are 0.5 long
  const double roll = std::atan2(leg.x, -leg.y);
  const double swing = std::atan2(leg.z, std::hypot(leg.x, leg.y));
  const Quatd plane = FromAxisAngle(Vec3d{0, 0, 1}, roll);
  const Quatd thigh = plane * FromAxisAngle(Vec3d{1, 0, 0}, -swing - half);
  const Quatd shin = FromAxisAngle(Vec3d{1, 0, 0}, 2 * half);
  const Quatd foot = Conjugate(thigh * shin) * FromAxisAngle(Vec3d{1, 0, 0}, pose.pitch[side]);
  float* q = rotations + 4 * (1 + 4 * side);
  Store(Cast<float>(thigh), q);
  Store(Cast<float>(shin), q + 4);
  Store(Cast<float>(foot), q + 8);
  // The toe stays level while the heel rises.
  Store(Cast<float>(FromAxisAngle(Vec3d{1, 0, 0}, -std::max(0.0, pose.pitch[side]))), q + 12);
}

}  // namespace

MotionView Motion::View(std::int64_t begin, std::int64_t count) const {
  const std::int64_t joints = clip.skeleton->size();
  const auto translated = static_cast<std::int64_t>(clip.translated_joints.size());
  return {static_cast<int>(count), &roots[3 * begin], &rotations[4 * joints * begin],
          translations.empty() ? nullptr : &translations[3 * translated * begin]};
}

Vec3d Motion::Position(std::int64_t frame, int joint) const {
  const MotionView view = View(frame, 1);
  ModelPose pose;
  ForwardKinematics(*clip.skeleton,
                    {view.root_positions, view.local_rotations, view.local_translations},
                    clip.translated_joints, pose);
  return pose.positions[joint];
}

Motion MakeBody(int frames, double fps, double units,
                const std::function<BodyPose(int frame)>& pose) {
  Motion out;
  out.clip.skeleton =
      std::make_shared<Skeleton>(*Skeleton::Create(BodyJoints(static_cast<float>(units))));
  out.clip.frames_per_second = fps;
  out.clip.feet = FindFeet(*out.clip.skeleton, UpAxis::kY).feet;
  out.clip.units_per_metre = units;
  out.clip.frame_count = frames;
  for (int i = 0; i < frames; ++i) {
    const BodyPose at = pose(i);
    const Vec3f root = Cast<float>(at.pelvis * units);
    out.roots.insert(out.roots.end(), {root.x, root.y, root.z});
    std::vector<float> rotations(4 * 9, 0.0f);
    rotations[3] = 1;
    for (int side = 0; side < 2; ++side) PoseLeg(at, side, rotations.data());
    out.rotations.insert(out.rotations.end(), rotations.begin(), rotations.end());
  }
  return out;
}

Plan MakePlan(const Motion& motion, const CleanupSettings& settings,
              const PlannerInputs& inputs, std::int64_t batch) {
  auto planner = Planner::Create(motion.clip, settings, inputs);
  EXPECT_TRUE(planner.ok()) << planner.status();
  if (!planner.ok()) return {};
  for (std::int64_t i = 0; i < motion.frames(); i += batch)
    (*planner)->Push(motion.View(i, std::min(batch, motion.frames() - i)));
  auto plan = (*planner)->Finish();
  EXPECT_TRUE(plan.ok()) << plan.status();
  return plan.ok() ? *plan : Plan{};
}

Cleaned Clean(const Motion& motion, const Plan& plan, const CleanupSettings& settings,
              const GroundQuery* ground, std::int64_t batch) {
  Cleaned out;
  out.motion.clip = motion.clip;
  auto cleaner = Cleaner::Create(motion.clip, plan, settings, ground);
  EXPECT_TRUE(cleaner.ok()) << cleaner.status();
  if (!cleaner.ok()) return out;
  for (std::int64_t i = 0; i < motion.frames(); i += batch) {
    const auto status =
        (*cleaner)->Push(motion.View(i, std::min(batch, motion.frames() - i)), out.batch);
    EXPECT_TRUE(status.ok()) << status;
  }
  const auto status = (*cleaner)->Finish(out.batch);
  EXPECT_TRUE(status.ok()) << status;
  out.report = (*cleaner)->report();
  out.motion.roots = out.batch.root_positions;
  out.motion.rotations = out.batch.local_rotations;
  out.motion.translations = out.batch.local_translations;
  return out;
}

}  // namespace ikstream::test
