// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Mode SOLVE: chains to targets, batch by batch. Answers have no lag but where chains
// interpolate between solved frames: then frames wait until the next solved one has come.
#pragma once

#include <memory>
#include <vector>

#include "convert/motion.h"
#include "session/frame_store.h"
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

  void BeginWork();
  absl::Status Hold(const Stop& stop, Replies& replies);
  absl::Status Release(int frames, const Stop& stop, Replies& replies);
  int ReadyFrames(int frames) const;

  // Source: where frames stand, a CheckedMotion or a FrameStore.
  template <class Source>
  absl::Status SolveFrames(const Source& source, int frames, const Stop& stop,
                           Replies& replies);
  template <class Source>
  void SolveSlice(const Source& source, int begin, int count);
  template <class Source>
  void Answer(const Source& source, int begin, int count, Replies& replies);
  const float* TranslationsOf(const MotionView& sent, int in_slice) const;
  void Count(int count);
  void FillSummary(v1::Summary& summary);

  const Limits limits_;
  const CallShape shape_;
  const std::shared_ptr<const Rig> rig_;
  Solver solver_;
  FrameWindow window_;
  FrameStore store_;  // frames that wait
  SliceAnswers answers_;
  ResultWriter writer_;
  CheckedMotion motion_;
  Warnings warnings_;
  std::int64_t next_frame_ = 0;  // to be solved, lead-in included
  int slice_frames_ = 64;

  // One slice, sized once.
  std::vector<float> rotations_, roots_;
  std::vector<float> translations_;  // empty where no chain stretches
  std::vector<ChainTargets> slice_targets_;

  // Over the whole call.
  std::vector<WorkStats::Chain> totals_;
  std::vector<float> worst_residuals_;
  double solve_seconds_ = 0;
};

}  // namespace ikstream
