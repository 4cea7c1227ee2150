// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "motion/foot_cleaner.h"

#include <algorithm>
#include <cmath>

#include "motion/curves.h"

namespace ikstream {
namespace {

constexpr FootPoint kAllPoints[] = {FootPoint::kHeel, FootPoint::kToe, FootPoint::kTip};

// Ground farther above or below a sole than this is not its ground (metres).
constexpr double kReachUp = 0.45, kReachDown = 0.60;
// A point of a planted foot whose ground is farther than this from the plane under the anchor
// hangs over an edge or pokes into a step.
constexpr double kStepMetres = 0.05;
// Sinking by less than this is left alone: it is the noise of a sole offset.
constexpr double kDepthDeadZone = 0.0005;
constexpr double kLiftSeconds = 0.1;
// Corrections shorter than this are none: a foot that stands already is left alone.
constexpr double kShiftDeadZone = 1e-5;

std::int64_t Frames(double seconds, double fps) {
  return static_cast<std::int64_t>(std::lround(seconds * fps));
}

}  // namespace

FootCleaner::FootCleaner(const ClipSpec& clip, const FootPlan& plan, const FootShape& shape,
                         int foot, const CleanupSettings& settings, const GroundQuery* ground,
                         std::int64_t frames, std::int64_t history)
    : clip_(clip),
      plan_(plan),
      shape_(shape),
      ground_(ground),
      foot_(foot),
      up_(clip.up_vector()),
      frames_(frames),
      fade_(std::max<std::int64_t>(*settings.blend.min_frames,
                                   Frames(*settings.blend.seconds, clip.frames_per_second))),
      blend_lag_(0),
      lift_radius_(std::max<std::int64_t>(1, Frames(kLiftSeconds, clip.frames_per_second))),
      edge_frames_(std::max<std::int64_t>(1, Frames(1 / 40.0, clip.frames_per_second))),
      lift_kernel_(GaussianKernel(static_cast<double>(lift_radius_) / 3)),
      ring_(1) {
  blend_lag_ = 2 * fade_ + edge_frames_ + 1;
  ring_ = FrameRing<FootFrame>(blend_lag_ + lift_lag() + lift_lag() + history + 2);
  for (const ContactInterval& interval : plan.intervals)
    if (!interval.ignored)
      spans_.push_back({interval.begin + clip.lead_in, interval.end + clip.lead_in, &interval});
}

void FootCleaner::Read(std::int64_t i, const LegPose& leg) {
  FootFrame& frame = ring_[i];
  frame = FootFrame{};
  frame.leg = leg;
  FindGround(frame, i, {});
  while (reading_ < spans_.size() && spans_[reading_].end <= i) ++reading_;
  if (reading_ < spans_.size() && spans_[reading_].begin <= i) {
    frame.planted = true;
    frame.contact_shift = ContactShift(frame, spans_[reading_], i);
    if (Length(frame.contact_shift) < kShiftDeadZone * clip_.units_per_metre)
      frame.contact_shift = {};
  }
}

void FootCleaner::FindGround(FootFrame& frame, std::int64_t i, Vec3d shift) {
  const double up = kReachUp * clip_.units_per_metre, down = kReachDown * clip_.units_per_metre;
  for (FootPoint p : kAllPoints) {
    const auto k = static_cast<size_t>(p);
    frame.grounded[k] = false;
    if (!shape_.has(p) || ground_ == nullptr) continue;
    const Vec3d position = frame.leg.point(p) + shift;
    const auto hit = ground_->Hit(i - clip_.lead_in, foot_, p, position);
    if (!hit) continue;
    const double over = Dot(frame.leg.point(p) - hit->point, hit->normal) - plan_.offset(p);
    if (over < -up || over > down) continue;
    frame.grounded[k] = true;
    frame.ground[k] = *hit;
  }
}

Vec3d FootCleaner::AnchorAt(const Span& span, std::int64_t i, FootPoint& point) const {
  const std::int64_t frame = i - clip_.lead_in;
  const Anchor* anchor = &span.interval->anchors.front();
  for (const Anchor& next : span.interval->anchors)
    if (next.begin <= frame) anchor = &next;
  point = anchor->point == Anchor::Point::kHeel || !shape_.has_toe ? FootPoint::kHeel
                                                                   : FootPoint::kToe;
  const Vec3d position = Cast<double>(*anchor->position);
  if (span.interval->platform.empty() || ground_ == nullptr) return position;
  const int platform = ground_->FindPlatform(span.interval->platform);
  return ground_->PlatformPose(frame, platform).ToWorld(position);
}

// Along `up` the lowest point of the foot comes to stand on the ground; across it the anchor's
// point comes to its anchor. Without ground the anchor holds in all three directions; on a wall
// the wall's normal takes the part of `up`.
Vec3d FootCleaner::ContactShift(FootFrame& frame, const Span& span, std::int64_t i) {
  FootPoint point = FootPoint::kToe;
  const Vec3d pull = AnchorAt(span, i, point) - frame.leg.point(point);
  Vec3d across = pull - up_ * Dot(pull, up_);
  if (span.interval->allow_slide) across = {};
  FindGround(frame, i, across);
  const auto k = static_cast<size_t>(point);
  if (!frame.grounded[k]) return pull;
  const GroundHit plane = frame.ground[k];
  const Vec3d n = plane.normal;
  if (std::abs(Dot(n, up_)) < 0.5) {
    const double over = Dot(frame.leg.point(point) - plane.point, n) - plan_.offset(point);
    return pull - n * (Dot(pull, n) + over);
  }
  double lift = -1e30;
  for (FootPoint p : kAllPoints) {
    if (!shape_.has(p)) continue;
    const auto other = static_cast<size_t>(p);
    const Vec3d at = frame.leg.point(p) + across;
    const bool same_step =
        frame.grounded[other] && std::abs(Dot(frame.ground[other].point - plane.point, n)) <
                                     kStepMetres * clip_.units_per_metre;
    if (!same_step) {
      frame.grounded[other] = true;
      frame.ground[other] = {at - n * Dot(at - plane.point, n), n, plane.platform};
    }
    lift = std::max(lift, LiftNeeded(frame, p, across));
  }
  return across + up_ * lift;
}

double FootCleaner::LiftNeeded(const FootFrame& frame, FootPoint point, Vec3d shift) const {
  const GroundHit& hit = frame.ground[static_cast<size_t>(point)];
  const double over =
      Dot(frame.leg.point(point) + shift - hit.point, hit.normal) - plan_.offset(point);
  return -over / Dot(hit.normal, up_);
}

FootCleaner::Edge FootCleaner::EdgeBefore(const Span& span) const {
  const std::int64_t last = span.end - 1;
  const std::int64_t n = std::min(edge_frames_, last - span.begin);
  const Vec3d value = ring_[last].contact_shift;
  if (n < 1) return {value, {}};
  return {value, (value - ring_[last - n].contact_shift) / static_cast<double>(n)};
}

FootCleaner::Edge FootCleaner::EdgeAfter(const Span& span) const {
  const std::int64_t n =
      std::min({edge_frames_, span.end - 1 - span.begin, frames_ - 1 - span.begin});
  const Vec3d value = ring_[span.begin].contact_shift;
  if (n < 1) return {value, {}};
  return {value, (ring_[span.begin + n].contact_shift - value) / static_cast<double>(n)};
}

void FootCleaner::Blend(std::int64_t i) {
  FootFrame& frame = ring_[i];
  while (blending_ < spans_.size() && spans_[blending_].end <= i) ++blending_;
  if (frame.planted) {
    frame.shift = frame.contact_shift;
    frame.weight = 1;
    if (blending_ < spans_.size() && i == spans_[blending_].end - 1)
      left_ = EdgeBefore(spans_[blending_]);
    return;
  }
  BlendGap(frame, i);
  double depth = 0;
  for (FootPoint p : kAllPoints) {
    const auto k = static_cast<size_t>(p);
    if (frame.grounded[k] && Dot(frame.ground[k].normal, up_) > 0.5)
      depth = std::max(depth, LiftNeeded(frame, p, frame.shift));
  }
  frame.depth = std::max(0.0, depth - kDepthDeadZone * clip_.units_per_metre);
}

// Between two contacts: each correction fades over fade_ frames, or one passes into the other
// where the gap has no room for both.
void FootCleaner::BlendGap(FootFrame& frame, std::int64_t i) {
  const Span* before = blending_ > 0 ? &spans_[blending_ - 1] : nullptr;
  const Span* after = blending_ < spans_.size() ? &spans_[blending_] : nullptr;
  const bool bridge = before && after && after->begin - before->end < 2 * fade_;
  if (bridge) {
    const auto width = static_cast<double>(after->begin - before->end + 1);
    const double t = static_cast<double>(i - before->end + 1) / width;
    const Edge right = EdgeAfter(*after);
    const QuinticWeights w = QuinticAt(t);
    frame.shift = left_.value * w.value0 + left_.speed * (w.speed0 * width) +
                  right.value * w.value1 + right.speed * (w.speed1 * width);
    frame.weight = std::max(w.value0, w.value1);
    return;
  }
  const auto width = static_cast<double>(fade_ + 1);
  if (before && i - before->end < fade_) {
    const QuinticWeights w = QuinticAt(static_cast<double>(i - before->end + 1) / width);
    frame.shift = left_.value * w.value0 + left_.speed * (w.speed0 * width);
    frame.weight = w.value0;
  } else if (after && after->begin - i <= fade_) {
    const Edge right = EdgeAfter(*after);
    const QuinticWeights w = QuinticAt(1 - static_cast<double>(after->begin - i) / width);
    frame.shift = right.value * w.value1 + right.speed * (w.speed1 * width);
    frame.weight = w.value1;
  }
}

// 0 at a contact, 1 from the lift's radius on: what a lift spreads must not reach a planted
// foot.
double FootCleaner::RampFromContacts(std::int64_t i) const {
  double distance = static_cast<double>(lift_radius_);
  if (lifting_ > 0)
    distance = std::min(distance, static_cast<double>(i - spans_[lifting_ - 1].end + 1));
  if (lifting_ < spans_.size())
    distance = std::min(distance, static_cast<double>(spans_[lifting_].begin - i));
  return EaseQuintic(distance / static_cast<double>(lift_radius_));
}

// The depth, spread by a running maximum and smoothed by a kernel of the same width: nowhere
// less than the depth itself.
void FootCleaner::Lift(std::int64_t i) {
  FootFrame& frame = ring_[i];
  while (lifting_ < spans_.size() && spans_[lifting_].end <= i) ++lifting_;
  if (frame.planted) return;
  double smooth = 0;
  for (std::int64_t k = -lift_radius_; k <= lift_radius_; ++k) {
    double deepest = 0;
    for (std::int64_t j = i + k - lift_radius_; j <= i + k + lift_radius_; ++j)
      if (j >= 0 && j < frames_) deepest = std::max(deepest, ring_[j].depth);
    smooth += lift_kernel_[static_cast<size_t>(k + lift_radius_)] * deepest;
  }
  if (smooth > 0) frame.lift = std::max(frame.depth, smooth * RampFromContacts(i));
}

}  // namespace ikstream
