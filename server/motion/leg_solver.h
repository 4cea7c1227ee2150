// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Brings the ankles of a run of frames to their targets: softened targets and poles from the
// animation, solved by the core's chains within the rig's own limits; then ankles that bend too
// far give way. Not thread-safe.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "core/solve.h"
#include "motion/ankle_limit.h"
#include "motion/foot_cleaner.h"
#include "motion/pelvis.h"

namespace ikstream {

class LegSolver {
 public:
  // `turns_feet`: FootFrame::tilt may differ from the identity; else feet keep their rotation.
  static absl::StatusOr<std::unique_ptr<LegSolver>> Create(const ClipSpec& clip,
                                                           const CleanupSettings& settings,
                                                           std::span<const FootShape> shapes,
                                                           bool turns_feet);

  // Adds a frame to the run: what foot `foot` does in it. `pelvis`: how far the hips moved.
  // Feet in order, frame after frame.
  void Add(int foot, const FootFrame& frame, Vec3d pelvis);

  // Solves the frames added since the last call into `rotations_out`.
  void Solve(const MotionView& motion, float* rotations_out);

  // Of the run that was solved last.
  bool moved(int foot, std::int64_t frame) const;
  bool limited(int foot, std::int64_t frame) const;

  std::span<const int> driven_joints() const { return rig_->driven_joints(); }

 private:
  struct Leg {
    FootShape shape;
    AnkleLimit ankle;
    Vec3d hinge_sum;  // the bend axis in the thigh's frame, weighted by the bend so far
    std::vector<float> positions, rotations, weights, poles, residuals;
    std::vector<std::uint8_t> limited;
    std::vector<SolveStatus> statuses;
  };
  LegSolver(const ClipSpec& clip, const CleanupSettings& settings,
            std::shared_ptr<const Rig> rig);

  void ClampAnkles(const MotionView& motion, float* rotations);
  Vec3d BendDirection(Leg& leg, const LegPose& pose, Vec3d new_line) const;

  const ClipSpec& clip_;
  const CleanupSettings& settings_;
  std::shared_ptr<const Rig> rig_;
  Solver solver_;
  std::vector<Leg> legs_;
  bool turns_feet_ = false;
  bool solved_ = true;
};

}  // namespace ikstream
