// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Mode SOLVE: chains to targets, batch by batch. Answers have no lag.
#pragma once

#include <memory>
#include <vector>

#include "convert/motion.h"
#include "session/frame_window.h"
#include "session/result_writer.h"
#include "session/session.h"
#include "session/slice_answers.h"

namespace ikstream {

class SolveSession final : public Session {
 public:
  static absl::StatusOr<std::unique_ptr<Session>> Open(const v1::Setup& setup,
                                                       const Limits& limits, CallShape shape);

  absl::Status AddPlanPart(const v1::PlanPart& part) override;
  absl::Status Push(const v1::Motion& motion, const Stop& stop, Replies& replies) override;
  absl::Status Finish(const Stop& stop, Replies& replies) override;

 private:
  SolveSession(const v1::Setup& setup, const Limits& limits, CallShape shape,
               std::shared_ptr<const Rig> rig, Warnings warnings);

  absl::Status SolveAll(const Stop& stop, Replies& replies);
  void SolveSlice(int begin, int count);
  void Answer(int begin, int count, Replies& replies);
  void Count(int count);
  void FillSummary(v1::Summary& summary);

  const Limits limits_;
  const CallShape shape_;
  const std::shared_ptr<const Rig> rig_;
  Solver solver_;
  FrameWindow window_;
  SliceAnswers answers_;
  ResultWriter writer_;
  CheckedMotion motion_;
  Warnings warnings_;
  std::int64_t batch_start_ = 0;
  int slice_frames_ = 64;

  // One slice, sized once.
  std::vector<float> rotations_, roots_;
  std::vector<ChainTargets> slice_targets_;

  // Over the whole call.
  std::vector<WorkStats::Chain> totals_;
  std::vector<float> worst_residuals_;
  double solve_seconds_ = 0;
};

}  // namespace ikstream
