// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// How one foot is moved, frame by frame, before any leg is solved: held at its anchor while it
// is planted, on the ground while it would sink, eased in and out between. Stages run over the
// frames in order, each some frames behind the one before. Not thread-safe.
#pragma once

#include <vector>

#include "motion/frame_ring.h"
#include "motion/ground.h"
#include "motion/leg_pose.h"
#include "motion/plan.h"

namespace ikstream {

// One foot in one frame; fields are filled stage by stage. Model space, rig units.
struct FootFrame {
  LegPose leg;
  // Read(): the ground under each point, and where the anchor is.
  bool grounded[kFootPoints] = {};
  GroundHit ground[kFootPoints];
  bool planted = false;  // if so:
  FootPoint anchored = FootPoint::kHeel;
  Vec3d anchor;                // where that point is to stand
  std::int64_t anchor_id = 0;  // the same while one anchor holds
  Vec3d contact_shift;         // what puts the foot at its place
  // Blend(): the foot's correction without lift, the share of the contact, and how far the
  // lowest point is under the ground all the same.
  Vec3d shift;
  double weight = 0;
  double reach = 0;               // the source's longest within 0.1 s
  double depth = 0, deepest = 0;  // the latter over the lift's radius
  // Lift(): added along `up`.
  double lift = 0;

  Vec3d Target(Vec3d up) const { return leg.ankle() + shift + up * lift; }
  bool moved() const { return lift != 0 || shift != Vec3d{}; }
};

class FootCleaner {
 public:
  // Frames are counted from the first lead-in frame on: `frames` in all. `history`: how many
  // frames back the caller still asks for.
  FootCleaner(const ClipSpec& clip, const FootPlan& plan, const FootShape& shape, int foot,
              const CleanupSettings& settings, const GroundQuery* ground, bool trusted_ground,
              std::int64_t frames, std::int64_t history);

  // How far each stage trails the one before.
  std::int64_t blend_lag() const { return blend_lag_; }
  std::int64_t lift_lag() const { return 2 * lift_radius_; }

  // The stages, each called once per frame in order.
  void Read(std::int64_t i, const LegPose& leg);
  void Blend(std::int64_t i);
  void Lift(std::int64_t i);

  const FootFrame& at(std::int64_t i) const { return ring_[i]; }
  const FootPlan& plan() const { return plan_; }
  const FootShape& shape() const { return shape_; }

 private:
  // An interval that is obeyed, by index of frame.
  struct Span {
    std::int64_t begin, end;
    const ContactInterval* interval;
  };
  // The correction at the edge of a contact, and its change per frame outwards in time.
  struct Edge {
    Vec3d value, speed;
  };

  void FindGround(FootFrame& frame, std::int64_t i, Vec3d shift);
  void FindAnchor(FootFrame& frame, const Span& span, std::int64_t i) const;
  Vec3d ContactShift(FootFrame& frame, const Span& span, std::int64_t i);
  double Settle(const FootFrame& frame, const Span& span, std::int64_t i, double lift);
  double LiftNeeded(const FootFrame& frame, FootPoint point, Vec3d shift) const;
  Edge EdgeBefore(const Span& span) const;
  Edge EdgeAfter(const Span& span) const;
  void BlendGap(FootFrame& frame, std::int64_t i);
  void ChooseFades(std::int64_t i);
  std::int64_t GuardedFade(const Span& span, const Edge& edge, int direction,
                           std::int64_t room) const;
  double PeakKneeSpeed(const Edge& edge, std::int64_t from, int direction,
                       std::int64_t fade) const;
  double KneeBendAt(std::int64_t i, Vec3d shift) const;
  double Deepest(std::int64_t i) const;
  double RampFromContacts(std::int64_t i) const;

  const ClipSpec& clip_;
  const FootPlan& plan_;
  const FootShape shape_;
  const GroundQuery* ground_;
  const bool trusted_ground_;
  const int foot_;
  const Vec3d up_;
  const std::int64_t frames_;
  const double knee_speed_limit_;  // rad/s; 0: no guard
  std::int64_t fade_, max_fade_, blend_lag_, lift_radius_, reach_frames_, edge_frames_;
  std::vector<double> lift_kernel_;
  std::vector<Span> spans_;
  size_t reading_ = 0, blending_ = 0, lifting_ = 0;  // the first span that has not ended
  double pull_ = 0;  // how far a floating foot was pulled down when it was last flat
  Edge left_;        // of the span before the frame that is blended
  std::int64_t fade_out_ = 0, fade_in_ = 0;  // of the gap that is blended
  std::int64_t last_deep_ = -1;              // the last frame with a depth
  FrameRing<FootFrame> ring_;
};

}  // namespace ikstream
