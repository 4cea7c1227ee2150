// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Runs whole calls through a session, in batches of any size, and reads poses of answers.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "core/math.h"
#include "core/skeleton.h"
#include "gtest/gtest.h"
#include "session/session.h"

namespace ikstream::testing {

inline int FramesOf(const v1::Motion& motion) { return motion.root_positions_size() / 3; }

// Frames [begin, end) of a motion whose lists hold all frames (or none, or one frame's values
// where its `frames` is not 1).
inline v1::Motion SliceOf(const v1::Motion& whole, int begin, int end) {
  const int frames = FramesOf(whole);
  v1::Motion out;
  const auto take = [&](const auto& from, auto* to, int of_one) {
    if (from.size() == 0) return;
    const bool repeats = from.size() == of_one;
    const int width = repeats ? of_one : from.size() / frames;
    to->Add(from.begin() + (repeats ? 0 : width * begin),
            from.begin() + (repeats ? width : width * end));
  };
  take(whole.root_positions(), out.mutable_root_positions(), -1);
  take(whole.local_rotations(), out.mutable_local_rotations(), -1);
  take(whole.local_translations(), out.mutable_local_translations(), -1);
  for (const v1::TargetTrack& from : whole.targets()) {
    v1::TargetTrack& to = *out.add_targets();
    to.set_chain(from.chain());
    take(from.positions(), to.mutable_positions(), 3);
    take(from.rotations(), to.mutable_rotations(), 4);
    take(from.weights(), to.mutable_weights(), 1);
    take(from.poles(), to.mutable_poles(), 3);
  }
  for (const v1::FootSamples& from : whole.samples()) {
    v1::FootSamples& to = *out.add_samples();
    to.set_foot(from.foot());
    to.set_point(from.point());
    take(from.positions(), to.mutable_positions(), 3);
  }
  return out;
}

// One call in batches of `batch` frames (0: a unary call).
inline v1::SolveResponse Call(const v1::Setup& setup, const v1::Motion& motion, int batch = 0) {
  auto session =
      Session::Open(setup, Limits(), batch == 0 ? CallShape::kUnary : CallShape::kStream);
  EXPECT_TRUE(session.ok()) << session.status();
  if (!session.ok()) return {};
  Session::Replies replies;
  const Stop stop;
  const int frames = FramesOf(motion), step = batch == 0 ? frames : batch;
  for (int f = 0; f < frames; f += step) {
    const absl::Status pushed =
        (*session)->Push(SliceOf(motion, f, std::min(f + step, frames)), stop, replies);
    EXPECT_TRUE(pushed.ok()) << pushed;
  }
  const absl::Status finished = (*session)->Finish(stop, replies);
  EXPECT_TRUE(finished.ok()) << finished;
  return JoinReplies(std::move(replies));
}

// Rotation number `k` of the answered joints at `frame`.
inline Quatd AnswerAt(const v1::SolveResponse& response, int frame, int k) {
  const int joints = response.motion().joints_size();
  return Cast<double>(
      LoadQuat(response.motion().local_rotations().data() + 4 * (joints * frame + k)));
}

// Where joints of an answered frame are. REQUIRES: all joints are answered, at rest unturned.
inline ModelPose PoseOf(const v1::Setup& setup, const v1::SolveResponse& out, int frame = 0) {
  std::vector<Joint> joints;
  for (const v1::Joint& joint : setup.rig().skeleton().joints())
    joints.push_back({"",
                      joint.has_parent() ? joint.parent() : -1,
                      {joint.offset().x(), joint.offset().y(), joint.offset().z()},
                      {},
                      {}});
  const std::vector<int> translated(setup.translated_joints().begin(),
                                    setup.translated_joints().end());
  const v1::MotionResult& motion = out.motion();
  ModelPose pose;
  ForwardKinematics(
      *Skeleton::Create(joints),
      {motion.root_positions().data() + 3LL * frame,
       motion.local_rotations().data() + 4LL * setup.rig().skeleton().joints_size() * frame,
       motion.local_translations().data() + 3LL * setup.translated_joints_size() * frame},
      translated, pose);
  return pose;
}

}  // namespace ikstream::testing
