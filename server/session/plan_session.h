// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Mode PLAN: a clip in, batch by batch; its plan out at the end.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "convert/motion.h"
#include "motion/planner.h"
#include "session/clip_setup.h"
#include "session/frame_window.h"
#include "session/session.h"

namespace ikstream {

class PlanSession final : public Session {
 public:
  static absl::StatusOr<std::unique_ptr<Session>> Open(const v1::Setup& setup,
                                                       const Limits& limits, CallShape shape);

  absl::Status AddPlanPart(const v1::PlanPart& part) override;
  absl::Status Push(const v1::Motion& motion, const Stop& stop, Replies& replies) override;
  absl::Status Finish(const Stop& stop, Replies& replies) override;

 private:
  PlanSession(ClipSetup setup, const v1::Setup& message, const Limits& limits, CallShape shape,
              Warnings warnings);

  absl::Status StartPlanner();

  const Limits limits_;
  const CallShape shape_;
  const ClipSetup setup_;
  std::unique_ptr<Planner> planner_;
  FrameWindow window_;
  CheckedMotion motion_;
  Warnings warnings_;
  std::optional<Plan> earlier_;
  double solve_seconds_ = 0;
};

// Reads `motion` into `planner` in slices, until `stop` says otherwise.
absl::Status PlanFrames(const ClipSetup& setup, const MotionView& motion, const Stop& stop,
                        Planner& planner);

// Settings with the profile's defaults, as they are in force.
void AddSettings(const CleanupSettings& settings, v1::Summary& summary);

}  // namespace ikstream
