// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Mode PLACE: feet on terrain or on samples, live. Answers have no lag.
#pragma once

#include <memory>
#include <vector>

#include "convert/motion.h"
#include "session/frame_window.h"
#include "session/ground_input.h"
#include "session/place_setup.h"
#include "session/result_writer.h"
#include "session/session.h"

namespace ikstream {

class PlaceSession final : public Session {
 public:
  static absl::StatusOr<std::unique_ptr<Session>> Open(const v1::Setup& setup,
                                                       const Limits& limits, CallShape shape);

  absl::Status AddPlanPart(const v1::PlanPart& part) override;
  absl::Status Push(const v1::Motion& motion, const Stop& stop, Replies& replies) override;
  absl::Status Finish(const Stop& stop, Replies& replies) override;

 private:
  PlaceSession(PlaceSetup setup, const v1::Setup& message, const Limits& limits,
               CallShape shape, Warnings warnings);

  absl::Status ReadBatch(const v1::Motion& motion);
  absl::Status PlaceAll(const Stop& stop, Replies& replies);
  void PlaceSlice(int begin, int count);
  void Answer(int begin, int count, Replies& replies);
  void AddFeet(int begin, int count, v1::MotionResult& out) const;
  template <class Message>
  void Describe(Message& message) const;

  const Limits limits_;
  const CallShape shape_;
  const PlaceSetup setup_;
  FrameWindow window_;
  GroundInput ground_;
  ResultWriter writer_;
  CheckedMotion motion_;
  Warnings warnings_;
  std::int64_t batch_start_ = 0;

  // One slice of answers, sized once.
  struct FootArrays {
    std::vector<float> weights, residuals;
    std::unique_ptr<bool[]> contacts;
  };
  std::vector<float> roots_, translations_, rotations_, pelvis_;
  std::vector<FootArrays> feet_;
  std::vector<PlaceFootOutput> outputs_;
  std::vector<PlaceFootInput> inputs_;
  double solve_seconds_ = 0;
};

}  // namespace ikstream
