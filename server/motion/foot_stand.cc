// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Where a planted foot stands: on which ground, turned how, moved how far.
#include <algorithm>
#include <cmath>

#include "motion/curves.h"
#include "motion/foot_cleaner.h"

namespace ikstream {
namespace {

// A point of a planted foot whose ground is farther than this from the plane under the anchor
// hangs over an edge or pokes into a step.
constexpr double kStepMetres = 0.05;
// Heights of heel and toe over their soles that differ by less than kFlat are a flat foot's, by
// more than kRolled a rolling one's (metres).
constexpr double kFlat = 0.010, kRolled = 0.025;
// A point that rises more slowly than kStands stands, one that rises faster than kLeaves leaves
// (m/s).
constexpr double kStands = 0.06, kLeaves = 0.15;
// It leaves over this time before its contact ends; until twice that before it only trembles.
constexpr double kLeavingSeconds = 0.15;

}  // namespace

Vec3d FootCleaner::PullTo(const FootFrame& frame, const Stand& stand) const {
  return frame.platform.ToWorld(*stand.position) -
         frame.Tilted(stand.point, frame.contact_tilt);
}

void FootCleaner::TiltSole(FootFrame& frame, bool begins) {
  const auto k = static_cast<size_t>(shape_.anchor_point());
  if (!aligner_ || !frame.grounded[k]) return;
  const Vec3d normal = frame.ground[k].normal;
  if (Dot(normal, up_) < 0.5) return;
  const Vec3d sole =
      Rotate(frame.leg.foot, Cast<double>(*clip_.feet[static_cast<size_t>(foot_)].sole_normal));
  frame.contact_tilt = aligner_->Next(begins, sole, normal);
}

// The ground where the anchor is may be bent otherwise than where the foot was: one that lies
// on it with heel and front but for little lies on it with both.
void FootCleaner::SettleSole(FootFrame& frame, std::int64_t i, bool begins, Vec3d across) {
  const FootPoint front = shape_.has_tip ? FootPoint::kTip : FootPoint::kToe;
  if (!aligner_ || !shape_.has(front)) return;
  const Vec3d n = frame.ground[static_cast<size_t>(frame.anchored)].normal;
  const Vec3d along = frame.leg.point(front) - frame.leg.point(FootPoint::kHeel),
              way = along - n * Dot(along, n);
  const double length = Length(way);
  if (length < 1e-3 * shape_.leg_length) return;
  const double apart = LiftNeeded(frame, FootPoint::kHeel, frame.contact_tilt, across) -
                       LiftNeeded(frame, front, frame.contact_tilt, across);
  const std::int64_t since = i - std::max<std::int64_t>(frame.anchor_id, 0);
  const double angle = settler_.Next(begins, static_cast<double>(since) * clip_.dt(),
                                     apart * Dot(n, up_) / length);
  frame.contact_tilt = FromAxisAngle(Cross(n, way / length), angle) * frame.contact_tilt;
}

// What brings the foot to its anchor; about the change from one anchor to the next, a share of
// both.
Vec3d FootCleaner::Pull(FootFrame& frame, const Span& span, std::int64_t i) const {
  size_t k = 0;
  while (k + 1 < span.stands.size() && span.stands[k + 1].begin <= i) ++k;
  const Stand& stand = span.stands[k];
  frame.anchored = stand.point;
  frame.anchor_id = stand.begin;
  frame.anchor = frame.platform.ToWorld(*stand.position);
  Vec3d pull = PullTo(frame, stand);
  const auto mix = [&](const Stand& other, double share) {
    if (other.position) pull = pull + (PullTo(frame, other) - pull) * share;
  };
  const auto width = static_cast<double>(edge_frames_);
  if (k > 0)
    mix(span.stands[k - 1],
        EaseQuintic(0.5 - 0.5 * static_cast<double>(i - stand.begin) / width));
  if (k + 1 < span.stands.size())
    mix(span.stands[k + 1],
        EaseQuintic(0.5 - 0.5 * static_cast<double>(span.stands[k + 1].begin - i) / width));
  return pull;
}

Vec3d FootCleaner::Across(Vec3d pull, const Span& span) const {
  return span.interval->allow_slide ? Vec3d{} : pull - up_ * Dot(pull, up_);
}

// Points over another step than the anchor's, or over nothing, are taken over the anchor's.
void FootCleaner::StandOnOneStep(FootFrame& frame, Vec3d across) const {
  const GroundHit plane = frame.ground[static_cast<size_t>(frame.anchored)];
  const Vec3d n = plane.normal;
  const double step = kStepMetres * clip_.units_per_metre;
  for (FootPoint p : kFootPointList) {
    if (!shape_.has(p)) continue;
    const auto k = static_cast<size_t>(p);
    if (frame.grounded[k] && std::abs(Dot(frame.ground[k].point - plane.point, n)) < step)
      continue;
    const Vec3d at = frame.Tilted(p, frame.contact_tilt) + across;
    frame.grounded[k] = true;
    frame.ground[k] = {at - n * Dot(at - plane.point, n), n, plane.platform};
  }
}

// Along `up` the lowest point of the foot comes to stand on the ground; across it the anchor's
// point comes to its anchor. Without ground the anchor holds in all three directions; on a wall
// the wall's normal takes the part of `up`.
void FootCleaner::FindShift(FootFrame& frame, const Span& span, std::int64_t i,
                            bool asks_ground) {
  const bool begins = i == span.begin || i == 0;
  TiltSole(frame, begins);
  const Vec3d pull = Pull(frame, span, i);
  const FootPoint point = frame.anchored;
  Vec3d across = Across(pull, span);
  if (asks_ground) FindGround(frame, i, across);
  const auto k = static_cast<size_t>(point);
  frame.across_shift = pull;
  if (!frame.grounded[k]) return;
  const GroundHit plane = frame.ground[k];
  const Vec3d n = plane.normal;
  if (std::abs(Dot(n, up_)) < 0.5) {
    const double over = Dot(frame.leg.point(point) - plane.point, n) - plan_.offset(point);
    frame.across_shift = pull - n * (Dot(pull, n) + over);
    return;
  }
  StandOnOneStep(frame, across);
  SettleSole(frame, i, begins, across);
  across = Across(Pull(frame, span, i), span);
  double lift = -1e30;
  for (FootPoint p : kFootPointList)
    if (shape_.has(p)) lift = std::max(lift, LiftNeeded(frame, p, frame.contact_tilt, across));
  frame.across_shift = across;
  frame.raw_lift = Settle(frame, span, i, lift);
}

// What is below the ground is lifted all the way. A foot that floats is pulled down only as far
// as it floated when it was last flat: a point that rises in a roll rises. A foot that is about
// to leave keeps the correction it had. A fitted floor is too vague to pull feet down to it.
double FootCleaner::Settle(const FootFrame& frame, const Span& span, std::int64_t i,
                           double lift) {
  const double wanted = trusted_ground_ ? lift : std::max(lift, 0.0);
  const bool begins = i == span.begin || i == 0;
  const double follow =
      begins ? 1 : (1 - Leaving(frame, span, i)) * (wanted < 0 ? Flat(frame) : 1);
  if (begins) held_ = 0;
  held_ += follow * (wanted - held_);
  return std::max(wanted, held_);
}

// How flat a foot lies, by heel and toe: 1 flat, 0 rolled.
double FootCleaner::Flat(const FootFrame& frame) const {
  if (!shape_.has_toe || shape_.has_tip) return 1;
  const GroundHit& plane = frame.ground[static_cast<size_t>(frame.anchored)];
  const auto over = [&](FootPoint p) {
    return Dot(frame.Tilted(p, frame.contact_tilt) - plane.point, plane.normal) -
           plan_.offset(p);
  };
  const double apart = std::abs(over(FootPoint::kHeel) - over(FootPoint::kToe));
  return 1 - EaseQuintic((apart / clip_.units_per_metre - kFlat) / (kRolled - kFlat));
}

// Whether the anchor's point rises by itself at the end of its contact: 0 it stands, 1 it
// leaves.
double FootCleaner::Leaving(const FootFrame& frame, const Span& span, std::int64_t i) const {
  const double left = static_cast<double>(span.end - i) * clip_.dt();
  if (left >= 2 * kLeavingSeconds || i == 0 || ring_[i - 1].anchor_id != frame.anchor_id)
    return 0;
  const Vec3d moved = frame.leg.point(frame.anchored) - ring_[i - 1].leg.point(frame.anchored),
              carried = frame.anchor - ring_[i - 1].anchor;
  const double speed = Dot(moved - carried, up_) * clip_.frames_per_second;
  return EaseQuintic((speed / clip_.units_per_metre - kStands) / (kLeaves - kStands)) *
         EaseQuintic(2 - left / kLeavingSeconds);
}

double FootCleaner::LiftNeeded(const FootFrame& frame, FootPoint point, Quatd tilt,
                               Vec3d shift) const {
  const GroundHit& hit = frame.ground[static_cast<size_t>(point)];
  const double over =
      Dot(frame.Tilted(point, tilt) + shift - hit.point, hit.normal) - plan_.offset(point);
  return -over / Dot(hit.normal, up_);
}

}  // namespace ikstream
