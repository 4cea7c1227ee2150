// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "motion/foot_cleaner.h"

#include <algorithm>
#include <cmath>

#include "motion/contacts.h"
#include "motion/curves.h"
#include "motion/foot_track.h"

namespace ikstream {
namespace {

// Ground farther above or below a sole than this is not its ground (metres).
constexpr double kReachUp = 0.45, kReachDown = 0.60;

// Over this time inside a contact the correction's change at its edge is measured.
constexpr double kEdgeSeconds = 1 / 15.0;
// A correction takes over the acceleration of its contact's edge and loses it over this time.
constexpr double kSettleSeconds = 0.25;
// Over this time before and after a frame the source's longest reach is a leg's own.
constexpr double kReachSeconds = 0.1;
// A way out of a step is taken over twice this before and after.
constexpr double kClearSeconds = 0.1;
// How far ahead an anchor is looked for that the plan leaves open.
constexpr double kStandSeconds = 1;
// Sigma of what smooths the lift of a planted foot, and how far it may be off, also while it is
// eased in (metres): what is left then is left by a second cleaning, too.
constexpr double kSmoothSeconds = 0.025, kSmoothedMetres = 0.0005;
// Corrections shorter than this are none: a foot that stands already is left alone.
constexpr double kShiftDeadZone = 1e-5;

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
                         bool trusted_ground, bool callers_ground, std::int64_t frames,
                         std::int64_t place_lag, std::int64_t history)
    : clip_(clip),
      plan_(plan),
      shape_(shape),
      ground_(ground),
      trusted_ground_(trusted_ground),
      foot_(foot),
      up_(clip.up_vector()),
      frames_(frames),
      middle_share_(*settings.anchor.middle_share),
      knee_speed_limit_(KneeSpeedLimit(plan, settings)),
      fade_(std::max<std::int64_t>(*settings.blend.min_frames,
                                   Frames(*settings.blend.seconds, clip.frames_per_second))),
      max_fade_(std::max(fade_, Frames(*settings.blend.max_seconds, clip.frames_per_second))),
      place_lag_(place_lag),
      blend_lag_(0),
      lift_radius_(std::max<std::int64_t>(1, Frames(kLiftSeconds, clip.frames_per_second))),
      reach_frames_(Frames(kReachSeconds, clip.frames_per_second)),
      edge_frames_(std::max<std::int64_t>(1, Frames(kEdgeSeconds, clip.frames_per_second))),
      // A central difference is too wide at few frames per second.
      central_frames_(FewFrames(clip.frames_per_second) ? 0 : 1),
      settle_frames_(Frames(kSettleSeconds, clip.frames_per_second)),
      smooth_kernel_(
          GaussianKernel(trusted_ground ? kSmoothSeconds * clip.frames_per_second : 0)),
      smooth_radius_(static_cast<std::int64_t>(smooth_kernel_.size() / 2)),
      settler_(clip.dt()),
      ring_(1) {
  blend_lag_ = std::max(2 * max_fade_ + edge_frames_ + 1, reach_frames_) + smooth_radius_;
  if (callers_ground && ground->AnyTime())
    clear_radius_ = std::max<std::int64_t>(1, Frames(kClearSeconds, clip.frames_per_second));
  if (*settings.jitter.mode != JitterSettings::Mode::kOff) {
    const double fps = clip.frames_per_second;
    blend_lag_ = std::max(blend_lag_, JitterFilter::Radius(settings.jitter, fps) + 1);
    jitter_.emplace(settings.jitter, fps, clip.units_per_metre, frames, place_lag + blend_lag_);
  }
  if (settings.sole.align.value_or(callers_ground))
    aligner_.emplace(settings.sole, up_, clip.dt());
  for (const ContactInterval& interval : plan.intervals)
    if (!interval.ignored) spans_.push_back(SpanOf(interval));
  ring_ = FrameRing<FootFrame>(place_lag_ + blend_lag_ + 2 * lift_lag() + edge_frames_ +
                               reach_frames_ + history + 2);
}

std::int64_t FootCleaner::PlaceLag(const ClipSpec& clip, const Plan& plan) {
  for (const FootPlan& foot : plan.feet)
    for (const ContactInterval& interval : foot.intervals) {
      const bool open = std::any_of(interval.anchors.begin(), interval.anchors.end(),
                                    [](const Anchor& a) { return !a.position; });
      if (open || interval.anchors.empty())
        return Frames(kStandSeconds, clip.frames_per_second);
    }
  return 0;
}

FootCleaner::Span FootCleaner::SpanOf(const ContactInterval& interval) const {
  Span span{interval.begin + clip_.lead_in, interval.end + clip_.lead_in, &interval, {}};
  for (const Anchor& anchor : interval.anchors) {
    const bool heel = anchor.point == Anchor::Point::kHeel || !shape_.has_toe;
    Stand stand{anchor.begin + clip_.lead_in, heel ? FootPoint::kHeel : FootPoint::kToe, {}};
    if (anchor.position) stand.position = Cast<double>(*anchor.position);
    span.stands.push_back(stand);
  }
  if (span.stands.empty()) span.stands.push_back({span.begin, shape_.anchor_point(), {}});
  return span;
}

void FootCleaner::Read(std::int64_t i, const LegPose& leg) {
  FootFrame& frame = ring_[i];
  frame = FootFrame{};
  frame.leg = leg;
  frame.own_reach = leg.reach();
  if (jitter_) jitter_->Add(i, leg.ankle());
  FindGround(frame, i, {});
  while (reading_ < spans_.size() && spans_[reading_].end <= i) ++reading_;
  if (reading_ == spans_.size() || spans_[reading_].begin > i) return;
  frame.planted = true;
  FindPlatform(frame, spans_[reading_], i);
  if (place_lag_ == 0) FindShift(frame, spans_[reading_], i, true);
}

void FootCleaner::LeaveOut(std::int64_t i) {
  ring_[i].left_out = true;
  ring_[i].own_reach = 0;
}

// Where a plan leaves an anchor open, the frames up to place_lag_ ahead say where it is.
void FootCleaner::Place(std::int64_t i) {
  while (placing_ < spans_.size() && spans_[placing_].end <= i) ++placing_;
  FootFrame& frame = ring_[i];
  if (place_lag_ > 0 && frame.planted) {
    Span& span = spans_[placing_];
    for (size_t k = 0; k < span.stands.size(); ++k)
      if (!span.stands[k].position && span.stands[k].begin <= i)
        span.stands[k].position = MedianStand(span, k, i);
    FindShift(frame, span, i, false);
  }
  while (smoothed_ + smooth_radius_ <= i || (i == frames_ - 1 && smoothed_ <= i))
    SmoothLift(smoothed_++);
}

// The tremor of three joints is not put into the knee: the lift is smoothed, within half a
// millimetre. (Over a fitted floor it is mostly none, and stays so.)
void FootCleaner::SmoothLift(std::int64_t i) {
  while (smoothing_ < spans_.size() && spans_[smoothing_].end <= i) ++smoothing_;
  FootFrame& frame = ring_[i];
  if (!frame.planted) return;
  const Span& span = spans_[smoothing_];
  double sum = 0;
  for (std::int64_t k = -smooth_radius_; k <= smooth_radius_; ++k) {
    const std::int64_t j = std::clamp(i + k, std::max<std::int64_t>(span.begin, 0),
                                      std::min(span.end, frames_) - 1);
    sum += smooth_kernel_[static_cast<size_t>(k + smooth_radius_)] * ring_[j].raw_lift;
  }
  const double near = kSmoothedMetres * clip_.units_per_metre;
  double lift = std::clamp(sum, frame.raw_lift - near, frame.raw_lift + near);
  // A foot that stands as near to the ground as a smoothed one would is left there, for as long
  // as it does.
  const bool off = std::abs(lift) > near;
  if (i == std::max<std::int64_t>(span.begin, 0)) lifts_ = off ? 1 : 0;
  if (off || lifts_ > 0) lifts_ = std::min(1.0, lifts_ + clip_.dt() / kLiftSeconds);
  const double eased = lift * EaseQuintic(lifts_);
  lift = std::clamp(eased, lift - near, lift + near);
  frame.contact_shift = frame.across_shift + up_ * lift;
  if (Length(frame.contact_shift) < kShiftDeadZone * clip_.units_per_metre)
    frame.contact_shift = {};
}

Vec3d FootCleaner::MedianStand(const Span& span, size_t stand, std::int64_t i) const {
  const std::int64_t end = std::min({span.EndOf(stand), i + place_lag_, frames_});
  const Run middle = MiddleOf({i, end}, middle_share_);
  std::vector<float> x, y, z;
  for (std::int64_t j = middle.begin; j < middle.end; ++j) {
    const FootFrame& frame = ring_[j];
    const Vec3f p =
        Cast<float>(frame.platform.FromWorld(frame.leg.point(span.stands[stand].point)));
    x.push_back(p.x), y.push_back(p.y), z.push_back(p.z);
  }
  return {MedianOf(x), MedianOf(y), MedianOf(z)};
}

void FootCleaner::FindGround(FootFrame& frame, std::int64_t i, Vec3d shift) const {
  const double up = kReachUp * clip_.units_per_metre, down = kReachDown * clip_.units_per_metre;
  for (FootPoint p : kFootPointList) {
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

void FootCleaner::FindPlatform(FootFrame& frame, const Span& span, std::int64_t i) const {
  if (span.interval->platform.empty() || ground_ == nullptr) return;
  const int platform = ground_->FindPlatform(span.interval->platform);
  if (platform >= 0) frame.platform = ground_->PlatformPose(i - clip_.lead_in, platform);
}

}  // namespace ikstream
