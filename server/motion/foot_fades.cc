// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// How corrections fade between contacts, and how sinking feet are lifted.
#include <algorithm>
#include <cmath>

#include "motion/curves.h"
#include "motion/foot_cleaner.h"

namespace ikstream {
namespace {

// A contact whose correction at the edge is less than this (metres) has none across `up`.
constexpr double kStandsMetres = 0.00005;
// Less than this is no shift: a leg that needs none keeps its bits (metres).
constexpr double kNoShiftMetres = 0.00001;
// Settling moves a foot by at most this (metres); the peak of x^2 / 2 (1 - x)^3.
constexpr double kMostSettleMetres = 0.02, kSettlePeak = 0.01728;
// No jitter filter within this of a contact (seconds).
constexpr double kNoJitterFilter = 0.1;
// How much a blend is lengthened at a time, and how often.
constexpr double kLonger = 1.5;
constexpr int kLongerTimes = 3;

Quatd Mixed(Quatd a, Quatd b, double share) {
  if (a == b) return a;
  return Normalized(ShareOf(b * Conjugate(a), share) * a);
}

}  // namespace

Vec3d FootCleaner::Edge::At(const QuinticWeights& w, double width, bool ends) const {
  return ends ? value * w.value1 + speed * (w.speed1 * width)
              : value * w.value0 + speed * (w.speed0 * width);
}

// x^2 / 2 (1 - x)^3 has the second derivative 1 at 0, and no other value, speed or acceleration
// at either end.
Vec3d FootCleaner::Edge::Settling(std::int64_t k, double frames) const {
  const double x = static_cast<double>(k) / frames;
  if (!(x < 1)) return {};
  return bend * (frames * frames * 0.5 * x * x * (1 - x) * (1 - x) * (1 - x));
}

// The correction's change per frame at the edge of a contact is measured inside it. Across `up`
// the source tells more: the correction follows its point with the opposite sign, so a central
// difference at the edge has no lag; its second difference tells how the source speeds up.
FootCleaner::Edge FootCleaner::EdgeAt(std::int64_t edge, int inwards, std::int64_t length,
                                      bool slides) const {
  const FootFrame& frame = ring_[edge];
  Edge out{frame.contact_shift, {}, {}, frame.contact_tilt};
  const std::int64_t n = std::min(edge_frames_, length - 1);
  if (n < 1) return out;
  const FootFrame& inner = ring_[edge + inwards * n];
  out.speed = (inner.contact_shift - frame.contact_shift) / static_cast<double>(inwards * n);
  const std::int64_t m = central_frames_;
  // A foot that stands where it should speeds up as the source has it.
  const Vec3d moved = out.value + frame.Tilted(frame.anchored, frame.contact_tilt) -
                      frame.leg.point(frame.anchored);
  const Vec3d aside = moved - up_ * Dot(moved, up_);
  const bool stands = Length(aside) < kStandsMetres * clip_.units_per_metre;
  if (m == 0 || slides || stands || edge < m || edge + m >= frames_) return out;
  const Vec3d before = ring_[edge - m].leg.point(frame.anchored),
              after = ring_[edge + m].leg.point(frame.anchored);
  const Vec3d speed = (before - after) / static_cast<double>(2 * m);
  // A platform carries the anchor along.
  const Vec3d carried = (ring_[edge + inwards].anchor - frame.anchor) * inwards;
  const bool same = ring_[edge + inwards].anchor_id == frame.anchor_id;
  const Vec3d change = same ? speed + carried : speed;
  const Vec3d bend =
      (frame.leg.point(frame.anchored) * 2.0 - before - after) / static_cast<double>(m * m);
  // On a floor a point may rise by itself; elsewhere the anchor holds along `up`, too.
  const auto k = static_cast<size_t>(frame.anchored);
  const bool rises = frame.grounded[k] && std::abs(Dot(frame.ground[k].normal, up_)) >= 0.5;
  out.speed = rises ? change + up_ * Dot(out.speed - change, up_) : change;
  out.bend = rises ? bend - up_ * Dot(bend, up_) : bend;
  // The second difference of a noisy source may be anything.
  const auto settle = static_cast<double>(settle_frames_);
  const double most =
      kMostSettleMetres * clip_.units_per_metre / std::max(kSettlePeak * settle * settle, 1e-9);
  if (Length(out.bend) > most) out.bend = out.bend * (most / Length(out.bend));
  return out;
}

FootCleaner::Edge FootCleaner::EdgeBefore(const Span& span) const {
  return EdgeAt(span.end - 1, -1, span.end - std::max<std::int64_t>(span.begin, 0),
                span.interval->allow_slide);
}

FootCleaner::Edge FootCleaner::EdgeAfter(const Span& span) const {
  return EdgeAt(span.begin, 1, std::min(span.end, frames_) - span.begin,
                span.interval->allow_slide);
}

void FootCleaner::Blend(std::int64_t i) {
  FootFrame& frame = ring_[i];
  while (blending_ < spans_.size() && spans_[blending_].end <= i) ++blending_;
  for (std::int64_t j = std::max<std::int64_t>(0, i - reach_frames_);
       j <= std::min(i + reach_frames_, frames_ - 1); ++j)
    frame.reach = std::max(frame.reach, ring_[j].own_reach);
  if (frame.planted)
    BlendContact(frame, i);
  else
    BlendAir(frame, i);
  const std::int64_t ahead = 2 * clear_radius_;
  while (cleared_ + ahead <= i || (i == frames_ - 1 && cleared_ <= i)) Clear(cleared_++);
}

void FootCleaner::BlendContact(FootFrame& frame, std::int64_t i) {
  if (jitter_) jitter_->Offset(i);
  frame.shift = frame.contact_shift;
  frame.tilt = frame.contact_tilt;
  frame.weight = 1;
  if (blending_ < spans_.size() && i == spans_[blending_].end - 1)
    left_ = EdgeBefore(spans_[blending_]);
}

void FootCleaner::BlendAir(FootFrame& frame, std::int64_t i) {
  BlendGap(frame, i);
  if (Length(frame.shift) < kNoShiftMetres * clip_.units_per_metre) frame.shift = {};
  if (jitter_) TakeJitterOut(frame, i);
  frame.room = Room(i);
  if (clear_radius_ > 0) frame.way = WayOut(frame, i);
  if (frame.way != Vec3d{}) last_way_ = i;
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
  Edge outwards = edge;
  outwards.speed = edge.speed * direction;
  const auto width = static_cast<double>(fade + 1);
  for (std::int64_t k = 1; k <= fade; ++k) {
    const std::int64_t j = from + direction * k;
    if (j < 0 || j >= frames_) break;
    const QuinticWeights w = QuinticAt(static_cast<double>(k) / width);
    const double bend = KneeBendAt(j, outwards.At(w, width));
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
  if (before && i == before->end) {
    fade_out_ = GuardedFade(*before, left_, 1, room);
    fade_in_ = 0;
  }
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
    const double settle = std::min(static_cast<double>(settle_frames_), 0.5 * width);
    frame.shift = left_.At(w, width) + right.At(w, width, true) +
                  left_.Settling(i - before->end + 1, settle) +
                  right.Settling(after->begin - i, settle);
    frame.weight = std::max(w.value0, w.value1);
    frame.tilt = Mixed(left_.tilt, right.tilt, w.value1);
    return;
  }
  ChooseFades(i);
  if (before && i - before->end < fade_out_) {
    const auto width = static_cast<double>(fade_out_ + 1);
    const QuinticWeights w = QuinticAt(static_cast<double>(i - before->end + 1) / width);
    frame.shift = left_.At(w, width) +
                  left_.Settling(i - before->end + 1,
                                 std::min(width, static_cast<double>(settle_frames_)));
    frame.weight = w.value0;
    frame.tilt = Mixed({}, left_.tilt, w.value0);
  } else if (after && after->begin - i <= fade_in_) {
    const auto width = static_cast<double>(fade_in_ + 1);
    const QuinticWeights w = QuinticAt(1 - static_cast<double>(after->begin - i) / width);
    const Edge right = EdgeAfter(*after);
    frame.shift =
        right.At(w, width, true) +
        right.Settling(after->begin - i, std::min(width, static_cast<double>(settle_frames_)));
    frame.weight = w.value1;
    frame.tilt = Mixed({}, right.tilt, w.value1);
  }
}

// Seconds from frame i, which lies in the gap before span `span`, to the nearest contact.
double FootCleaner::FromContacts(std::int64_t i, size_t span) const {
  std::int64_t distance = frames_;
  if (span > 0) distance = i - spans_[span - 1].end + 1;
  if (span < spans_.size()) distance = std::min(distance, spans_[span].begin - i);
  return static_cast<double>(distance) * clip_.dt();
}

// Nothing near contacts, all of it from twice that distance on.
void FootCleaner::TakeJitterOut(FootFrame& frame, std::int64_t i) {
  const double distance = FromContacts(i, blending_);
  frame.shift +=
      jitter_->Offset(i) * EaseQuintic((distance - kNoJitterFilter) / kNoJitterFilter);
}

// Frames from frame i, which is in the gap before span `blending_`, to the nearest contact.
std::int64_t FootCleaner::Room(std::int64_t i) const {
  std::int64_t room = frames_;
  const bool after = blending_ > 0, before = blending_ < spans_.size();
  if (after) room = i - spans_[blending_ - 1].end + 1;
  if (before) room = std::min(room, spans_[blending_].begin - i);
  // A foot that sinks for a moment while it stands is lifted only while it is down.
  const bool moment = after && before &&
                      spans_[blending_].begin - spans_[blending_ - 1].end <= 2 * lift_radius_;
  return moment ? 1 : room;
}

// How far a lift is smoothed; less beside contacts.
std::int64_t FootCleaner::Smoothing(std::int64_t room) const {
  return std::min(lift_radius_ / 3, room / 4);
}

// Each depth is covered by a bump that is as wide as the room to the nearest contact allows and
// flat for as long as it is smoothed; the highest of them.
double FootCleaner::Envelope(std::int64_t i) const {
  const std::int64_t widest = 2 * (lift_radius_ - lift_radius_ / 3);
  double highest = 0;
  for (std::int64_t j = std::max<std::int64_t>(0, i - 2 * lift_radius_);
       j <= std::min(i + 2 * lift_radius_, frames_ - 1); ++j) {
    const FootFrame& deep = ring_[j];
    if (deep.depth <= highest) continue;
    const std::int64_t flat = Smoothing(deep.room);
    const std::int64_t width = std::min(widest, deep.room - flat);
    const std::int64_t beside = std::max<std::int64_t>(0, std::abs(i - j) - flat);
    const double share = 1 - static_cast<double>(beside) / static_cast<double>(width);
    highest = std::max(highest, deep.depth * EaseQuintic(share));
  }
  return highest;
}

// A smoothed envelope of the depth, nowhere less than the depth itself, that comes to nothing
// at contacts: planted feet are not lifted, and the foot comes down to its ground.
void FootCleaner::Lift(std::int64_t i) {
  const std::int64_t ahead = std::min(i + lift_radius_ / 3, frames_ - 1);
  for (; covered_ <= ahead; ++covered_)
    ring_[covered_].envelope =
        last_deep_ < covered_ - 2 * lift_radius_ ? 0 : Envelope(covered_);
  FootFrame& frame = ring_[i];
  if (frame.planted) return;
  const std::int64_t radius = Smoothing(frame.room);
  double sum = 0, weights = 0;
  for (std::int64_t k = -radius; k <= radius; ++k) {
    const double weight = BellWeight(k, radius);
    sum += weight * ring_[std::clamp<std::int64_t>(i + k, 0, frames_ - 1)].envelope;
    weights += weight;
  }
  frame.lift = sum / weights;
}

}  // namespace ikstream
