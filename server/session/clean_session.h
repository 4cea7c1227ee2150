// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Mode CLEAN: a clip and its plan in, the clean clip out, with a lag. A unary call and a clip
// may come without a plan: then the clip is planned first and the plan is answered too.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "convert/motion.h"
#include "convert/sent_bits.h"
#include "motion/cleaner.h"
#include "session/clip_setup.h"
#include "session/frame_window.h"
#include "session/result_writer.h"
#include "session/session.h"

namespace ikstream {

class CleanSession final : public Session {
 public:
  static absl::StatusOr<std::unique_ptr<Session>> Open(const v1::Setup& setup,
                                                       const Limits& limits, CallShape shape);

  absl::Status AddPlanPart(const v1::PlanPart& part) override;
  absl::Status Push(const v1::Motion& motion, const Stop& stop, Replies& replies) override;
  absl::Status Finish(const Stop& stop, Replies& replies) override;

 private:
  CleanSession(ClipSetup clip, const v1::Setup& message, const Limits& limits, CallShape shape,
               Warnings warnings);

  // A cleaner that knows only what does not depend on a plan: lag and driven joints.
  absl::Status Announce(bool all_joints);
  absl::Status TakePlan(const v1::Plan& plan);
  absl::Status StartCleaner(Plan plan);
  absl::Status MakePlan(const Stop& stop, Replies& replies);
  absl::Status Prepare(const Stop& stop, Replies& replies);
  absl::Status CheckSamples() const;
  absl::Status CleanFrames(const Stop& stop, Replies& replies);
  void Answer(Replies& replies);
  void AddFeet(std::int64_t begin, int count, v1::MotionResult& out) const;
  void FillSummary(v1::Summary& summary);

  const Limits limits_;
  const CallShape shape_;
  ClipSetup setup_;
  FrameWindow window_;
  std::optional<ResultWriter> writer_;
  CheckedMotion motion_;
  std::int64_t first_frame_ = 0;  // of the batch, without the lead-in
  SentBits sent_;
  Warnings warnings_;

  v1::Plan joined_;  // plan parts so far
  std::int64_t joined_bytes_ = 0;
  bool parts_expected_ = false;  // the last part has not come
  bool parts_begun_ = false;
  bool needs_samples_ = false;  // the plan was made on samples
  bool takes_samples_ = false;  // the cleaner asks for ground
  std::unique_ptr<Cleaner> cleaner_;
  CleanBatch batch_;
  double solve_seconds_ = 0;
};

}  // namespace ikstream
