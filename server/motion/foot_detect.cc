// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "motion/foot_detect.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_format.h"
#include "motion/anchors.h"
#include "motion/contacts.h"
#include "motion/soles.h"

namespace ikstream {
namespace {

using Mode = ContactSettings::Mode;

constexpr double kLeastEnterHeight = 0.03, kMostEnterHeight = 0.12;  // metres
constexpr double kEnterHeightMargin = 0.015;
constexpr double kHighestSole = 0.2;  // a foot that never comes lower does not stand
// A foot leaves from this share of the way from the enter to the leave speed on.
constexpr double kLeavingShare = 0.25;
// A foot that leaves goes as this power of the time since: what fits made steps best.
constexpr double kLeavingPower = 2.2;
// By how much more a foot that still comes moves in one frame than in the next.
constexpr float kStillComesMetres = 0.0012f;
constexpr double kStillMetres = 2e-5;
constexpr double kHeelStrikeSeconds = 0.08;  // a heel that rests more briefly only rolls
constexpr double kSlowHeightBand = 0.25;     // a foot that is still but this high is held up

// Speeds and heights of the anchor's point, metres; frames before `first` never slow.
struct Series {
  std::vector<float> speeds, heights;
};

double HeightMetres(const FootTrack& track, const DetectInput& input, std::int64_t i,
                    FootPoint point) {
  return track.Height(i, point, input.fitted, input.clip->lead_in) /
         input.clip->units_per_metre;
}

double SpeedOf(const FootTrack& track, const DetectInput& input, std::int64_t i,
               FootPoint point) {
  return track.Speed(i, point, input.clip->frames_per_second, input.clip->units_per_metre);
}

Series SeriesOf(const FootTrack& track, const DetectInput& input, const FootPlan& plan,
                bool vertical) {
  const FootPoint point = track.shape().anchor_point();
  const double offset = plan.offset(point) / input.clip->units_per_metre;
  Series out;
  for (std::int64_t i = 0; i < track.size(); ++i) {
    const double speed =
        vertical ? track.VerticalSpeed(i, point, input.clip->frames_per_second,
                                       input.clip->units_per_metre, input.clip->up_vector())
                 : SpeedOf(track, input, i, point);
    out.speeds.push_back(i < input.first ? 1e9f : static_cast<float>(speed));
    out.heights.push_back(static_cast<float>(HeightMetres(track, input, i, point) - offset));
  }
  return out;
}

// Unset in the settings: from the heights at which the foot is slow.
double EnterHeight(const Series& series, const DetectInput& input) {
  if (input.settings->contact.enter_height_m) return *input.settings->contact.enter_height_m;
  std::vector<float> slow;
  for (size_t i = 0; i < series.speeds.size(); ++i)
    if (series.speeds[i] < *input.settings->contact.enter_speed &&
        series.heights[i] < kSlowHeightBand)
      slow.push_back(series.heights[i]);
  const double median = slow.empty() ? 0 : PercentileOf(slow, 0.5);
  return std::clamp(median + kEnterHeightMargin, kLeastEnterHeight, kMostEnterHeight);
}

// How many frames at a run's end belong to the step that follows: the foot is well on its way
// to the speed at which it has left. At 30 frames/s one frame is more than is gained.
std::int64_t FramesOfLeaving(const Series& series, const Run& run, const DetectInput& input) {
  const ContactSettings& contact = input.settings->contact;
  const double fps = input.clip->frames_per_second;
  const auto last = static_cast<std::int64_t>(series.speeds.size());
  const std::int64_t most = FewFrames(fps) ? 0 : SpeedWindow(fps);
  if (run.end == last) return 0;
  const double leaving =
      *contact.enter_speed + kLeavingShare * (*contact.leave_speed - *contact.enter_speed);
  std::int64_t frames = 0;
  while (frames < std::min(most, run.length() - 1) &&
         series.speeds[static_cast<size_t>(run.end - 1 - frames)] > leaving)
    ++frames;
  return frames;
}

// At few frames per second a foot leaves between two frames: its ways to the two frames after
// tell when, since it goes as a power of the time. `run`: as the speeds have it. Never less
// than `shortest`.
void EndBetweenFrames(const FootTrack& track, double shortest, Run& run) {
  const FootPoint point = track.shape().anchor_point();
  const std::int64_t end = run.end--;
  if (end + 1 >= track.size()) return;
  const double first = Length(track.Point(end, point) - track.Point(end - 1, point));
  const double second = Length(track.Point(end + 1, point) - track.Point(end, point));
  if (!(first < second)) return;
  const double grown = std::pow(1 + second / std::max(first, 1e-9), 1 / kLeavingPower);
  const double since = std::min(1 / (grown - 1), 2.0);
  const auto left = static_cast<std::int64_t>(std::ceil(static_cast<double>(end) - since));
  if (static_cast<double>(left - run.begin) >= shortest - 1e-6) run.end = left;
}

// At few frames per second a foot may be slow in the frame before it stands, but it still
// comes: down, or onwards, by more than in the next frame. Never less than `shortest`.
void BeginBetweenFrames(const FootTrack& track, const Series& series, double units,
                        double shortest, Run& run) {
  if (static_cast<double>(run.length() - 1) < std::max(shortest - 1e-6, 2.0)) return;
  const float* height = &series.heights[static_cast<size_t>(run.begin)];
  const FootPoint point = track.shape().anchor_point();
  const auto way = [&](std::int64_t i) {
    return Length(track.Point(i + 1, point) - track.Point(i, point)) / units;
  };
  if ((height[0] - height[1]) - (height[1] - height[2]) > kStillComesMetres ||
      way(run.begin) - way(run.begin + 1) > kStillComesMetres)
    ++run.begin;
}

// Whether the anchor's point did not move at all across `up`, and hardly along it, from the
// frame before.
bool IsStill(const FootTrack& track, const DetectInput& input, std::int64_t i) {
  if (i < 1 || i >= track.size() || track.platform(i) != track.platform(i - 1)) return false;
  const FootPoint point = track.shape().anchor_point();
  const Vec3d up = input.clip->up_vector();
  const Vec3d moved = track.Point(i, point) - track.Point(i - 1, point);
  const double rise = Dot(moved, up), units = input.clip->units_per_metre;
  return Length(moved - up * rise) < kStillMetres * units &&
         std::abs(rise) < *input.settings->contact.enter_speed * input.clip->dt() * units;
}

// A foot that was cleaned before, or animated so, does not move at all while it stands: then
// this tells to the frame when it comes and leaves, and speeds, which look beyond it, do not.
void KeepToStill(const FootTrack& track, const DetectInput& input, Run& run) {
  const std::int64_t near = SpeedWindow(input.clip->frames_per_second) + 2;
  std::int64_t begin = run.begin + run.length() / 2, end = begin + 1;
  if (!IsStill(track, input, begin)) return;
  while (IsStill(track, input, begin)) --begin;
  while (IsStill(track, input, end)) ++end;
  if (std::abs(begin - run.begin) <= near) run.begin = std::max(begin, input.first);
  if (std::abs(end - run.end) <= near) run.end = end;
}

// `by_height`: the speeds are vertical, and tell less of when a foot comes and goes.
std::vector<Run> RunsOf(const FootTrack& track, const Series& series, const DetectInput& input,
                        double enter_height, bool by_height) {
  const ContactSettings& contact = input.settings->contact;
  const double fps = input.clip->frames_per_second;
  const ContactThresholds thresholds{*contact.enter_speed, *contact.leave_speed, enter_height,
                                     enter_height + *contact.leave_height_margin_m};
  std::vector<Run> runs = FindRuns(series.speeds, series.heights, thresholds);
  if (!by_height)
    for (Run& run : runs) run.end -= FramesOfLeaving(series, run, input);
  // Speeds look to the slower side; by half their window a foot comes and leaves before.
  const auto last = static_cast<std::int64_t>(series.speeds.size());
  const std::int64_t window = SpeedWindow(fps);
  const bool few = FewFrames(fps) && !by_height;
  const double shortest = *contact.min_contact_seconds * fps;
  for (Run& run : runs) {
    if (run.begin > input.first) run.begin += window / 2;
    // (Over a fitted floor heights are too vague for this.)
    if (run.begin > input.first && few && input.trusted_ground)
      BeginBetweenFrames(track, series, input.clip->units_per_metre, shortest, run);
    if (run.end < last && few)
      EndBetweenFrames(track, shortest, run);
    else if (run.end < last)
      run.end -= (by_height ? window : window + 1) / 2;
    KeepToStill(track, input, run);
  }
  std::erase_if(runs, [&](const Run& run) { return TooShort(run, track, input); });
  return TidyRuns(std::move(runs), 0, *contact.min_gap_seconds * fps);
}

double ShareOf(const std::vector<Run>& runs, std::int64_t frames) {
  double sum = 0;
  for (const Run& run : runs) sum += static_cast<double>(run.length());
  return frames > 0 ? sum / static_cast<double>(frames) : 0;
}

double LowShare(const Series& series, double enter_height) {
  const auto low = std::count_if(series.heights.begin(), series.heights.end(),
                                 [&](float h) { return h < enter_height; });
  return static_cast<double>(low) / static_cast<double>(series.heights.size());
}

// Contacts by the mode asked for; AUTO takes HEIGHT where feet are low but never slow.
std::vector<Run> FindContacts(const FootTrack& track, const DetectInput& input,
                              FootPlan& plan) {
  const Mode asked = *input.settings->contact.mode;
  plan.mode = asked == Mode::kAuto ? Mode::kSpeed : asked;
  const Series series = SeriesOf(track, input, plan, asked == Mode::kHeight);
  const double enter_height = EnterHeight(series, input);
  plan.enter_height_m = static_cast<float>(enter_height);
  if (asked == Mode::kGiven) {
    plan.why = "only the contacts that were given";
    return {};
  }
  std::vector<Run> runs = RunsOf(track, series, input, enter_height, asked == Mode::kHeight);
  const double share = ShareOf(runs, track.size() - input.first);
  plan.why =
      absl::StrFormat("by %s: planted in %.0f %% of the frames",
                      asked == Mode::kHeight ? "height" : "speed and height", 100 * share);
  const double low = LowShare(series, enter_height);
  const double own = plan.offset(track.shape().anchor_point()) / input.clip->units_per_metre;
  if (asked != Mode::kAuto || !input.may_take_height || share >= kLowStandingShare ||
      low < kLowStandingShare || own > kHighestSole)
    return runs;
  std::vector<Run> by_height =
      RunsOf(track, SeriesOf(track, input, plan, true), input, enter_height, true);
  const double height_share = ShareOf(by_height, track.size() - input.first);
  if (height_share <= share) return runs;
  plan.mode = Mode::kHeight;
  plan.why = absl::StrFormat(
      "by height alone: low in %.0f %% of the frames, but slow and low in only %.0f %%",
      100 * low, 100 * share);
  return by_height;
}

bool Overlap(const ContactInterval& a, const ContactInterval& b) {
  return a.begin < b.end && b.begin < a.end;
}

ContactInterval Found(const Run& run, const FootTrack& track, const DetectInput& input,
                      const FootPlan& plan) {
  ContactInterval interval;
  interval.begin = run.begin - input.clip->lead_in;
  interval.end = run.end - input.clip->lead_in;
  interval.origin = ContactInterval::Origin::kFound;
  interval.why = plan.mode == Mode::kHeight ? "low" : "slow and low";
  interval.allow_slide =
      *input.settings->anchor.allow_slide && LeavesItsPlace(track, run, input);
  const int platform = track.platform(run.begin + run.length() / 2);
  if (platform >= 0 && input.callers != nullptr)
    interval.platform = input.callers->PlatformName(platform);
  return interval;
}

void TakeSole(const Sole& sole, FootPlan& plan) {
  plan.heel_offset = static_cast<float>(sole.offset[0]);
  plan.toe_offset = static_cast<float>(sole.offset[1]);
  plan.tip_offset = static_cast<float>(sole.offset[2]);
}

// Where the heel rests on the ground, slow as planted feet are.
bool HeelStands(const FootTrack& track, const DetectInput& input, const FootPlan& plan,
                std::int64_t i) {
  const double sole = plan.heel_offset / input.clip->units_per_metre;
  const double over = HeightMetres(track, input, i, FootPoint::kHeel) - sole;
  return std::abs(over) < plan.enter_height_m &&
         SpeedOf(track, input, i, FootPoint::kHeel) < *input.settings->contact.enter_speed;
}

// A heel that rests before the toe has come down: the contact begins with it, and the foot
// pivots from one to the other. `earliest`: frame of the track before which it may not begin.
void AddHeelStrike(const FootTrack& track, const DetectInput& input, const FootPlan& plan,
                   std::int64_t earliest, ContactInterval& interval) {
  if (!track.shape().has_toe || plan.mode == Mode::kHeight) return;
  const std::int64_t toe = interval.begin + input.clip->lead_in;
  std::int64_t heel = toe;
  while (heel > earliest && HeelStands(track, input, plan, heel - 1)) --heel;
  const double lead = static_cast<double>(toe - heel) * input.clip->dt();
  if (lead < kHeelStrikeSeconds) return;
  interval.anchors.push_back({interval.begin - (toe - heel), Anchor::Point::kHeel, {}});
  interval.anchors.push_back({interval.begin, Anchor::Point::kToe, {}});
  interval.begin -= toe - heel;
  interval.why = "slow and low, the heel first";
}

}  // namespace

double StandingShare(const FootTrack& track, const DetectInput& input, const Sole& sole) {
  FootPlan plan;
  TakeSole(sole, plan);
  const Series series = SeriesOf(track, input, plan, /*vertical=*/false);
  return ShareOf(RunsOf(track, series, input, EnterHeight(series, input), false),
                 track.size() - input.first);
}

FootPlan DetectFoot(const FootTrack& track, const DetectInput& input, const Sole& sole) {
  FootPlan plan;
  plan.foot = input.clip->feet[static_cast<size_t>(input.foot)];
  plan.leg_length = static_cast<float>(track.shape().leg_length);
  TakeSole(sole, plan);
  plan.intervals = input.fixed;
  for (const Run& run : FindContacts(track, input, plan))
    for (const Run& part : SplitWhereItLeaves(track, run, input)) {
      ContactInterval interval = Found(part, track, input, plan);
      const bool taken =
          std::any_of(input.fixed.begin(), input.fixed.end(),
                      [&](const ContactInterval& f) { return Overlap(f, interval); });
      if (!taken) plan.intervals.push_back(std::move(interval));
    }
  std::sort(plan.intervals.begin(), plan.intervals.end(),
            [](const auto& a, const auto& b) { return a.begin < b.begin; });
  const auto gap = static_cast<std::int64_t>(
      std::ceil(*input.settings->contact.min_gap_seconds * input.clip->frames_per_second));
  std::int64_t earliest = input.first;
  for (ContactInterval& interval : plan.intervals) {
    const bool found = interval.origin == ContactInterval::Origin::kFound &&
                       interval.anchors.empty() && !interval.locked && !interval.ignored;
    if (found) AddHeelStrike(track, input, plan, earliest, interval);
    earliest = interval.end + input.clip->lead_in + gap;
    FillAnchors(track, input, plan, interval);
  }
  return plan;
}

}  // namespace ikstream
