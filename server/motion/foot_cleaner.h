// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// How one foot is moved, frame by frame, before any leg is solved: held at its anchor while it
// is planted, on the ground while it would sink, eased in and out between. Stages run over the
// frames in order, each some frames behind the one before. Not thread-safe.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "motion/curves.h"
#include "motion/frame_ring.h"
#include "motion/ground.h"
#include "motion/jitter.h"
#include "motion/leg_pose.h"
#include "motion/plan.h"
#include "motion/sole_align.h"

namespace ikstream {

// One foot in one frame; fields are filled stage by stage. Model space, rig units.
struct FootFrame {
  LegPose leg;
  double own_reach = 0;  // from hip to ankle
  // Read() and Place(): the ground under each point, and where the anchor is.
  bool grounded[kFootPoints] = {};
  GroundHit ground[kFootPoints];
  bool planted = false;  // if so:
  Placement platform;    // that the anchor lives on
  FootPoint anchored = FootPoint::kHeel;
  Vec3d anchor;                // where that point is to stand
  std::int64_t anchor_id = 0;  // the same while one anchor holds
  Quatd contact_tilt;          // what turns the foot about its ankle, on slopes
  Vec3d across_shift;          // what brings it there across `up`,
  double raw_lift = 0;         // along it, frame by frame,
  Vec3d contact_shift;         // and both, the lift smoothed
  // Blend(): the foot's correction without lift, the share of the contact. Clear(): how far the
  // lowest point is under the ground all the same.
  Quatd tilt;
  Vec3d shift;
  double weight = 0;
  double reach = 0;       // the source's longest within 0.1 s
  std::int64_t room = 0;  // frames to the nearest contact, 0 in one
  Vec3d way;              // the shortest one out of a step that it is deep in
  // Clear(): what keeps it beside steps is part of `shift`.
  double depth = 0;
  double envelope = 0;    // Lift(): what covers the depths about it
  bool left_out = false;  // a reference pose: it says nothing of the frames beside it
  // Lift(): added along `up`.
  double lift = 0;
  // Set by the cleaner: how much longer the leg's bones become.
  double stretch = 1;

  Vec3d Target(Vec3d up) const { return leg.ankle() + shift + up * lift; }
  // The lift of a foot whose body is raised by `raised`: one that does not stand goes with it.
  double LiftOver(double raised) const {
    return planted ? lift : std::max(lift, raised * (1 - weight));
  }
  bool moved() const { return lift != 0 || shift != Vec3d{} || tilt != Quatd{}; }
  // A point of the source's foot, turned about the ankle.
  Vec3d Tilted(FootPoint p, Quatd turn) const {
    return turn == Quatd{} ? leg.point(p)
                           : leg.ankle() + Rotate(turn, leg.point(p) - leg.ankle());
  }
};

// A lift is spread over this before and after.
inline constexpr double kLiftSeconds = 0.1;

class FootCleaner {
 public:
  // Frames are counted from the first lead-in frame on: `frames` in all. `place_lag`: see
  // PlaceLag(). `trusted_ground`: its height is known, not fitted; `callers_ground`: it is no
  // floor of the plan. `history`: how many frames back the caller still asks for.
  FootCleaner(const ClipSpec& clip, const FootPlan& plan, const FootShape& shape, int foot,
              const CleanupSettings& settings, const GroundQuery* ground, bool trusted_ground,
              bool callers_ground, std::int64_t frames, std::int64_t place_lag,
              std::int64_t history);

  // How far Place() trails Read(): not at all where the plan tells every anchor.
  static std::int64_t PlaceLag(const ClipSpec& clip, const Plan& plan);
  // How far each further stage trails the one before.
  std::int64_t blend_lag() const { return blend_lag_; }
  std::int64_t lift_lag() const { return 2 * lift_radius_ + 2 * clear_radius_; }

  // The stages, each called once per frame in order.
  void Read(std::int64_t i, const LegPose& leg);
  // After Read(): the frame is a reference pose.
  void LeaveOut(std::int64_t i);
  void Place(std::int64_t i);
  void Blend(std::int64_t i);
  void Lift(std::int64_t i);

  const FootFrame& at(std::int64_t i) const { return ring_[i]; }
  const FootShape& shape() const { return shape_; }

 private:
  // An anchor: from `begin` on, `point` stands at `position` (in the platform's frame).
  struct Stand {
    std::int64_t begin;
    FootPoint point;
    std::optional<Vec3d> position;
  };
  // An interval that is obeyed, by index of frame.
  struct Span {
    std::int64_t begin, end;
    const ContactInterval* interval;
    std::vector<Stand> stands;  // at least one

    std::int64_t EndOf(size_t stand) const {
      return stand + 1 < stands.size() ? stands[stand + 1].begin : end;
    }
  };
  // The correction at the edge of a contact, and its change per frame.
  struct Edge {
    Vec3d value, speed;
    Vec3d bend;  // the change of `speed` per frame
    Quatd tilt;

    // Its part in a quintic that starts (or, `ends`, comes to its end) here, `width` frames
    // wide.
    Vec3d At(const QuinticWeights& w, double width, bool ends = false) const;
    // What is added `k` frames from the edge, so that the foot speeds up from rest as the
    // source does; over after `frames`.
    Vec3d Settling(std::int64_t k, double frames) const;
  };

  void FindGround(FootFrame& frame, std::int64_t i, Vec3d shift) const;
  Span SpanOf(const ContactInterval& interval) const;
  Vec3d MedianStand(const Span& span, size_t stand, std::int64_t i) const;
  Vec3d PullTo(const FootFrame& frame, const Stand& stand) const;
  void TiltSole(FootFrame& frame, bool begins);
  void StandOnOneStep(FootFrame& frame, Vec3d across) const;
  void SettleSole(FootFrame& frame, std::int64_t i, bool begins, Vec3d across);
  Vec3d Pull(FootFrame& frame, const Span& span, std::int64_t i) const;
  Vec3d Across(Vec3d pull, const Span& span) const;
  void FindPlatform(FootFrame& frame, const Span& span, std::int64_t i) const;
  void FindShift(FootFrame& frame, const Span& span, std::int64_t i, bool asks_ground);
  void SmoothLift(std::int64_t i);
  double Settle(const FootFrame& frame, const Span& span, std::int64_t i, double lift);
  double Flat(const FootFrame& frame) const;
  double Leaving(const FootFrame& frame, const Span& span, std::int64_t i) const;
  double LiftNeeded(const FootFrame& frame, FootPoint point, Quatd tilt, Vec3d shift) const;
  Edge EdgeAt(std::int64_t edge, int inwards, std::int64_t length, bool slides) const;
  Edge EdgeBefore(const Span& span) const;
  Edge EdgeAfter(const Span& span) const;
  void BlendContact(FootFrame& frame, std::int64_t i);
  void BlendAir(FootFrame& frame, std::int64_t i);
  void BlendGap(FootFrame& frame, std::int64_t i);
  void ChooseFades(std::int64_t i);
  std::int64_t GuardedFade(const Span& span, const Edge& edge, int direction,
                           std::int64_t room) const;
  double PeakKneeSpeed(const Edge& edge, std::int64_t from, int direction,
                       std::int64_t fade) const;
  double KneeBendAt(std::int64_t i, Vec3d shift) const;
  std::int64_t Room(std::int64_t i) const;
  std::int64_t Smoothing(std::int64_t room) const;
  double Envelope(std::int64_t i) const;
  Vec3d WayOut(const FootFrame& frame, std::int64_t i) const;
  bool IsFree(const FootFrame& frame, std::int64_t i, Vec3d way) const;
  double Depth(const FootFrame& frame) const;
  Vec3d LongestWay(std::int64_t i) const;
  void Clear(std::int64_t i);
  double FromContacts(std::int64_t i, size_t span) const;
  void TakeJitterOut(FootFrame& frame, std::int64_t i);

  const ClipSpec& clip_;
  const FootPlan& plan_;
  const FootShape shape_;
  const GroundQuery* ground_;
  const bool trusted_ground_;
  const int foot_;
  const Vec3d up_;
  const std::int64_t frames_;
  const double middle_share_;
  const double knee_speed_limit_;  // rad/s; 0: no guard
  std::int64_t fade_, max_fade_, place_lag_, blend_lag_, lift_radius_, reach_frames_,
      edge_frames_, central_frames_, settle_frames_;
  std::vector<double> smooth_kernel_;
  std::int64_t smooth_radius_, smoothed_ = 0;
  std::vector<Span> spans_;
  size_t reading_ = 0, placing_ = 0, smoothing_ = 0, blending_ = 0;  // the first span not ended
  std::optional<JitterFilter> jitter_;                               // none: off
  std::optional<SoleAligner> aligner_;  // none: feet keep their orientation
  SoleSettler settler_;
  double lifts_ = 0;  // 0: a contact stood as near to the ground as need be so far; to 1
  double held_ = 0;   // the lift of a planted foot that neither rolls nor leaves
  Edge left_;         // of the span before the frame that is blended
  std::int64_t fade_out_ = 0, fade_in_ = 0;  // of the gap that is blended
  std::int64_t last_deep_ = -1;              // the last frame with a depth
  std::int64_t clear_radius_ = 0;            // 0: the ground has no steps
  std::int64_t last_way_ = -1;               // the last frame with a way out
  std::int64_t cleared_ = 0;                 // frames that are clear of steps
  std::int64_t covered_ = 0;                 // frames whose envelope is known
  FrameRing<FootFrame> ring_;
};

}  // namespace ikstream
