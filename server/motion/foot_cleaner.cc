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
// Heights of heel and toe over their soles that differ by less than kFlat are a flat foot's, by
// more than kRolled a rolling one's (metres).
constexpr double kFlat = 0.010, kRolled = 0.025;
// Over this time before and after a frame the source's longest reach is a leg's own.
constexpr double kReachSeconds = 0.1;
// Corrections shorter than this are none: a foot that stands already is left alone.
constexpr double kShiftDeadZone = 1e-5;

// How much a blend is lengthened at a time, and how often.
constexpr double kLonger = 1.5;
constexpr int kLongerTimes = 3;

std::int64_t Frames(double seconds, double fps) {
  return static_cast<std::int64_t>(std::lround(seconds * fps));
}

double KneeSpeedLimit(const FootPlan& plan, const CleanupSettings& settings) {
  if (!*settings.guard.enabled) return 0;
  const double peak = plan.knee_speed_max;
  return std::max(peak * *settings.guard.peak_ratio,
                  peak + *settings.guard.peak_margin_rad_per_second);
}

}  // namespace

FootCleaner::FootCleaner(const ClipSpec& clip, const FootPlan& plan, const FootShape& shape,
                         int foot, const CleanupSettings& settings, const GroundQuery* ground,
                         bool trusted_ground, std::int64_t frames, std::int64_t history)
    : clip_(clip),
      plan_(plan),
      shape_(shape),
      ground_(ground),
      trusted_ground_(trusted_ground),
      foot_(foot),
      up_(clip.up_vector()),
      frames_(frames),
      knee_speed_limit_(KneeSpeedLimit(plan, settings)),
      fade_(std::max<std::int64_t>(*settings.blend.min_frames,
                                   Frames(*settings.blend.seconds, clip.frames_per_second))),
      max_fade_(std::max(fade_, Frames(*settings.blend.max_seconds, clip.frames_per_second))),
      blend_lag_(0),
      lift_radius_(std::max<std::int64_t>(1, Frames(kLiftSeconds, clip.frames_per_second))),
      reach_frames_(Frames(kReachSeconds, clip.frames_per_second)),
      edge_frames_(std::max<std::int64_t>(1, Frames(1 / 40.0, clip.frames_per_second))),
      lift_kernel_(GaussianKernel(static_cast<double>(lift_radius_) / 3)),
      ring_(1) {
  blend_lag_ = std::max(2 * max_fade_ + edge_frames_ + 1, reach_frames_);
  ring_ = FrameRing<FootFrame>(blend_lag_ + 2 * lift_lag() + edge_frames_ + reach_frames_ +
                               history + 2);
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

void FootCleaner::FindAnchor(FootFrame& frame, const Span& span, std::int64_t i) const {
  const std::int64_t clip_frame = i - clip_.lead_in;
  const Anchor* anchor = &span.interval->anchors.front();
  for (const Anchor& next : span.interval->anchors)
    if (next.begin <= clip_frame) anchor = &next;
  const bool heel = anchor->point == Anchor::Point::kHeel || !shape_.has_toe;
  frame.anchored = heel ? FootPoint::kHeel : FootPoint::kToe;
  frame.anchor_id = anchor->begin;
  frame.anchor = Cast<double>(*anchor->position);
  if (span.interval->platform.empty() || ground_ == nullptr) return;
  const int platform = ground_->FindPlatform(span.interval->platform);
  if (platform >= 0)
    frame.anchor = ground_->PlatformPose(clip_frame, platform).ToWorld(frame.anchor);
}

// Along `up` the lowest point of the foot comes to stand on the ground; across it the anchor's
// point comes to its anchor. Without ground the anchor holds in all three directions; on a wall
// the wall's normal takes the part of `up`.
Vec3d FootCleaner::ContactShift(FootFrame& frame, const Span& span, std::int64_t i) {
  FindAnchor(frame, span, i);
  const FootPoint point = frame.anchored;
  const Vec3d pull = frame.anchor - frame.leg.point(point);
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
  return across + up_ * Settle(frame, span, i, lift);
}

// What is below the ground is lifted all the way. A foot that floats is pulled down only as far
// as it floated when it was last flat: a point that rises in a roll rises. A fitted floor is
// too vague to pull feet down to it.
double FootCleaner::Settle(const FootFrame& frame, const Span& span, std::int64_t i,
                           double lift) {
  if (!trusted_ground_) return std::max(lift, 0.0);
  if (i == span.begin || i == 0) pull_ = 0;
  const GroundHit& plane = frame.ground[static_cast<size_t>(frame.anchored)];
  const double units = clip_.units_per_metre;
  double flat = 1;
  if (shape_.has_toe) {
    const double heel =
        Dot(frame.leg.point(FootPoint::kHeel) - plane.point, plane.normal) - plan_.heel_offset;
    const double toe =
        Dot(frame.leg.point(FootPoint::kToe) - plane.point, plane.normal) - plan_.toe_offset;
    flat = 1 - EaseQuintic((std::abs(heel - toe) / units - kFlat) / (kRolled - kFlat));
  }
  if (i == span.begin || i == 0) flat = 1;
  pull_ += flat * (std::min(lift, 0.0) - pull_);
  return std::max(lift, pull_);
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
  for (std::int64_t j = std::max<std::int64_t>(0, i - reach_frames_);
       j <= std::min(i + reach_frames_, frames_ - 1); ++j)
    frame.reach = std::max(frame.reach, ring_[j].leg.reach());
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
  if (frame.depth > 0) last_deep_ = i;
}

// The bend that a knee takes where the ankle is shifted and the hip stays.
double FootCleaner::KneeBendAt(std::int64_t i, Vec3d shift) const {
  const LegPose& leg = ring_[i].leg;
  const double a = Length(leg.knee - leg.hip), b = Length(leg.ankle() - leg.knee);
  const double d = std::min(Length(leg.ankle() + shift - leg.hip), a + b);
  return std::acos(std::clamp((d * d - a * a - b * b) / (2 * a * b), -1.0, 1.0));
}

double FootCleaner::PeakKneeSpeed(const Edge& edge, std::int64_t from, int direction,
                                  std::int64_t fade) const {
  double peak = 0, before = KneeBendAt(from, edge.value);
  const auto width = static_cast<double>(fade + 1);
  for (std::int64_t k = 1; k <= fade; ++k) {
    const std::int64_t j = from + direction * k;
    if (j < 0 || j >= frames_) break;
    const QuinticWeights w = QuinticAt(static_cast<double>(k) / width);
    const double bend =
        KneeBendAt(j, edge.value * w.value0 + edge.speed * (direction * w.speed0 * width));
    peak = std::max(peak, std::abs(bend - before) * clip_.frames_per_second);
    before = bend;
  }
  return peak;
}

// The guard: a fade in which the knee would be too fast is lengthened.
std::int64_t FootCleaner::GuardedFade(const Span& span, const Edge& edge, int direction,
                                      std::int64_t room) const {
  std::int64_t fade = fade_;
  if (knee_speed_limit_ <= 0 || !shape_.two_bones) return fade;
  const std::int64_t most = std::min(max_fade_, room);
  const std::int64_t from = direction > 0 ? span.end - 1 : span.begin;
  for (int time = 0; time < kLongerTimes && fade < most; ++time) {
    if (PeakKneeSpeed(edge, from, direction, fade) <= knee_speed_limit_) break;
    fade = std::min(
        most, static_cast<std::int64_t>(std::lround(kLonger * static_cast<double>(fade))));
  }
  return fade;
}

// At the first frame of a gap, and where the longest fade to the next contact would begin.
void FootCleaner::ChooseFades(std::int64_t i) {
  const Span* before = blending_ > 0 ? &spans_[blending_ - 1] : nullptr;
  const Span* after = blending_ < spans_.size() ? &spans_[blending_] : nullptr;
  const std::int64_t room = before && after ? (after->begin - before->end) / 2 : frames_;
  if (before && i == before->end) fade_out_ = GuardedFade(*before, left_, 1, room);
  const std::int64_t start = after ? after->begin - std::min(max_fade_, room) : frames_;
  if (after && i == std::max<std::int64_t>(start, before ? before->end : 0))
    fade_in_ = GuardedFade(*after, EdgeAfter(*after), -1, room);
}

// Between two contacts: each correction fades, or one passes into the other where the gap has
// no room for both.
void FootCleaner::BlendGap(FootFrame& frame, std::int64_t i) {
  const Span* before = blending_ > 0 ? &spans_[blending_ - 1] : nullptr;
  const Span* after = blending_ < spans_.size() ? &spans_[blending_] : nullptr;
  const bool bridge = before && after && after->begin - before->end < 2 * fade_;
  if (bridge) {
    const auto width = static_cast<double>(after->begin - before->end + 1);
    const QuinticWeights w = QuinticAt(static_cast<double>(i - before->end + 1) / width);
    const Edge right = EdgeAfter(*after);
    frame.shift = left_.value * w.value0 + left_.speed * (w.speed0 * width) +
                  right.value * w.value1 + right.speed * (w.speed1 * width);
    frame.weight = std::max(w.value0, w.value1);
    return;
  }
  ChooseFades(i);
  if (before && i - before->end < fade_out_) {
    const auto width = static_cast<double>(fade_out_ + 1);
    const QuinticWeights w = QuinticAt(static_cast<double>(i - before->end + 1) / width);
    frame.shift = left_.value * w.value0 + left_.speed * (w.speed0 * width);
    frame.weight = w.value0;
  } else if (after && after->begin - i <= fade_in_) {
    const auto width = static_cast<double>(fade_in_ + 1);
    const QuinticWeights w = QuinticAt(static_cast<double>(after->begin - i) / width);
    const Edge right = EdgeAfter(*after);
    frame.shift = right.value * w.value0 - right.speed * (w.speed0 * width);
    frame.weight = w.value0;
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

double FootCleaner::Deepest(std::int64_t i) const {
  double deepest = 0;
  for (std::int64_t j = std::max<std::int64_t>(0, i - lift_radius_);
       j <= std::min(i + lift_radius_, frames_ - 1); ++j)
    deepest = std::max(deepest, ring_[j].depth);
  return deepest;
}

// The depth, spread by a running maximum and smoothed by a kernel of the same width: nowhere
// less than the depth itself.
void FootCleaner::Lift(std::int64_t i) {
  while (lifting_ < spans_.size() && spans_[lifting_].end <= i) ++lifting_;
  const std::int64_t ahead = std::min(i + lift_radius_, frames_ - 1);
  if (i == 0)
    for (std::int64_t j = 0; j < ahead; ++j) ring_[j].deepest = Deepest(j);
  if (i == 0 || i + lift_radius_ < frames_) ring_[ahead].deepest = Deepest(ahead);
  FootFrame& frame = ring_[i];
  if (frame.planted || last_deep_ < i - 2 * lift_radius_) return;
  double smooth = 0;
  for (std::int64_t k = -lift_radius_; k <= lift_radius_; ++k)
    smooth += lift_kernel_[static_cast<size_t>(k + lift_radius_)] *
              ring_[std::clamp<std::int64_t>(i + k, 0, frames_ - 1)].deepest;
  if (smooth > 0) frame.lift = std::max(frame.depth, smooth * RampFromContacts(i));
}

}  // namespace ikstream
