// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "motion/steps.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

namespace ikstream {
namespace {

// Ground this far over the anchor's is another step, and a point this far under it is in it.
constexpr double kStepMetres = 0.05, kDeepMetres = 0.003;
// How far a foot is moved at most, in which steps, and how far beyond the first place that is
// free.
constexpr double kMostMetres = 0.12, kStrideMetres = 0.005, kMarginMetres = 0.005;
constexpr int kDirections = 16;
// A foot that comes or leaves is looked at for this long before and after it stands.
constexpr double kBesideSeconds = 0.15;
// and is to keep this far from steps, for it does not keep to its anchor.
constexpr double kRoomMetres = 0.015;
constexpr std::int64_t kStandingFrames = 4, kBesideFrames = 6;

// A point of the foot where it will be.
struct Probe {
  std::int64_t frame;  // counted without the lead-in
  FootPoint point;
  Vec3d position;
};

class StepSearch {
 public:
  StepSearch(const FootTrack& track, const DetectInput& input, const FootPlan& plan,
             const GroundHit& plane)
      : track_(track),
        input_(input),
        plan_(plan),
        plane_(plane),
        up_(input.clip->up_vector()),
        units_(input.clip->units_per_metre) {}

  void AddProbes(const Run& run, FootPoint point, Vec3d anchor) {
    const auto beside =
        static_cast<std::int64_t>(std::ceil(kBesideSeconds * input_.clip->frames_per_second));
    const std::int64_t last = run.end - 1;
    Add({run.begin, run.end}, kStandingFrames, 0,
        [&](std::int64_t i) { return anchor - track_.Point(i, point); });
    Add({std::max(input_.first, run.begin - beside), run.begin}, kBesideFrames, kRoomMetres,
        [&](std::int64_t) { return anchor - track_.Point(run.begin, point); });
    Add({run.end, std::min(track_.size(), run.end + beside)}, kBesideFrames, kRoomMetres,
        [&](std::int64_t) { return anchor - track_.Point(last, point); });
  }

  // Whether no point is in a step where the foot is moved by `way`. What was in one is asked
  // first the next time.
  bool IsFree(Vec3d way) {
    for (size_t k = 0; k < probes_.size(); ++k) {
      if (!InStep(probes_[k], way)) continue;
      std::swap(probes_[k], probes_.front());
      return false;
    }
    return true;
  }

  Vec3d ShortestWay() {
    const Vec3d a = std::abs(up_.x) > 0.5 ? Vec3d{0, 1, 0} : Vec3d{1, 0, 0};
    const Vec3d b = Cross(up_, a);
    for (double way = kStrideMetres; way <= kMostMetres; way += kStrideMetres)
      for (int k = 0; k < kDirections; ++k) {
        const double angle = 2 * std::numbers::pi * k / kDirections;
        const Vec3d direction = a * std::cos(angle) + b * std::sin(angle);
        if (IsFree(direction * (way * units_)))
          return direction * ((way + kMarginMetres) * units_);
      }
    return {};
  }

 private:
  // Points in `count` frames of a run, `room` metres ahead of the toes and behind the heel.
  template <class Move>
  void Add(const Run& run, std::int64_t count, double room, Move move) {
    const std::int64_t stride = std::max<std::int64_t>(1, run.length() / count);
    for (std::int64_t i = run.begin; i < run.end; i += stride) {
      const Vec3d beyond = Ahead(i) * (room * units_);
      for (FootPoint p : kFootPointList) {
        if (!track_.shape().has(p)) continue;
        const Vec3d at = Place(i, p) + (p == FootPoint::kHeel ? -beyond : beyond);
        probes_.push_back({i - input_.clip->lead_in, p, at + move(i)});
      }
    }
  }

  Vec3d Ahead(std::int64_t i) const {
    const Vec3d foot = track_.Point(i, FootPoint::kToe) - track_.Point(i, FootPoint::kHeel);
    return NormalizedOr(foot - up_ * Dot(foot, up_), {});
  }

  // The tip's place is not kept, but its height and how far it is from the toe are.
  Vec3d Place(std::int64_t i, FootPoint point) const {
    if (point != FootPoint::kTip) return track_.Point(i, point);
    const double length = track_.shape().tip_length;
    const double rise = track_.Height(i, FootPoint::kTip, nullptr, 0) -
                        track_.Height(i, FootPoint::kToe, nullptr, 0);
    const double high = std::isfinite(rise) ? std::clamp(rise, -length, length) : 0;
    return track_.Point(i, FootPoint::kToe) + up_ * high +
           Ahead(i) * std::sqrt(length * length - high * high);
  }

  bool InStep(const Probe& probe, Vec3d way) const {
    const Vec3d at = probe.position + way;
    const auto hit = input_.callers->Hit(probe.frame, input_.foot, probe.point, at);
    if (!hit) return false;
    const bool higher = Dot(hit->point - plane_.point, plane_.normal) > kStepMetres * units_;
    const double over = Dot(at - hit->point, hit->normal) - plan_.offset(probe.point);
    return higher && over < -kDeepMetres * units_;
  }

  const FootTrack& track_;
  const DetectInput& input_;
  const FootPlan& plan_;
  const GroundHit& plane_;
  const Vec3d up_;
  const double units_;
  std::vector<Probe> probes_;
};

}  // namespace

Vec3d WayOutOfStep(const FootTrack& track, const DetectInput& input, const FootPlan& plan,
                   const Run& run, FootPoint point, Vec3d anchor) {
  if (input.callers == nullptr || !input.callers->AnyTime() || run.length() < 1) return {};
  const std::int64_t frame = run.begin - input.clip->lead_in;
  const auto plane = input.callers->Hit(frame, input.foot, point, anchor);
  if (!plane) return {};
  StepSearch search(track, input, plan, *plane);
  search.AddProbes(run, point, anchor);
  if (search.IsFree({})) return {};
  const Vec3d way = search.ShortestWay();
  const auto there = input.callers->Hit(frame, input.foot, point, anchor + way);
  const Vec3d up = input.clip->up_vector();
  return there ? way + up * Dot(there->point - plane->point, up) : Vec3d{};
}

}  // namespace ikstream
