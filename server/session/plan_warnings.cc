// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "session/plan_warnings.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "convert/settings.h"

namespace ikstream {
namespace {

// From this on a foot that does not reach its place is told.
constexpr float kUnreachableMm = 5;

bool SetsDetection(const CleanupSettings& settings) {
  const v1::CleanupSettings set = ToProto(settings);
  return set.has_floor() || set.has_contact() || set.has_anchor();
}

void WarnOfDifferences(const Plan& plan, const ClipSetup& setup, Warnings& warnings) {
  if (!plan.source_sha256.empty() && !setup.source_sha256.empty() &&
      plan.source_sha256 != setup.source_sha256)
    warnings.Add("setup.plan.source_sha256",
                 "the plan was made of another file; its frames and joints fit, so it is used");
  const double units = setup.clip.units_per_metre;
  if (std::abs(plan.units_per_metre - units) > 1e-4 * units)
    warnings.Add("setup.plan.units_per_metre",
                 absl::StrFormat("is %g, the clip has %g, which hold: what was slow or low for "
                                 "the plan may not be so here",
                                 plan.units_per_metre, units));
  if (SetsDetection(setup.settings) &&
      !SameDetection(WithDefaults(setup.settings), WithDefaults(plan.settings)))
    warnings.Add("setup.cleanup",
                 "floor, contact or anchor settings differ from those that made the plan; "
                 "the plan's hold");
}

void WarnOfPlatforms(const Plan& plan, const ClipSetup& setup, Warnings& warnings) {
  const auto terrain = setup.ground_input->terrain();
  const std::span<const std::string> known =
      terrain == nullptr ? std::span<const std::string>() : terrain->platforms();
  for (size_t f = 0; f < plan.feet.size(); ++f)
    for (size_t i = 0; i < plan.feet[f].intervals.size(); ++i) {
      const std::string& platform = plan.feet[f].intervals[i].platform;
      if (platform.empty() || std::find(known.begin(), known.end(), platform) != known.end())
        continue;
      warnings.Add(absl::StrFormat("setup.plan.feet[%d].intervals[%d].platform", f, i),
                   absl::StrCat("no platform of the terrain is called ", platform,
                                ": unless samples bring it, the foot is held in the world"));
    }
}

}  // namespace

void WarnOfPlan(const Plan& plan, const ClipSetup& setup, Warnings& warnings) {
  WarnOfDifferences(plan, setup, warnings);
  if (plan.floor.kind != Floor::Kind::kSamples) WarnOfPlatforms(plan, setup, warnings);
}

void WarnOfUnreachable(const QualityReport& report, const ClipSetup& setup,
                       Warnings& warnings) {
  if (report.unreachable_max_mm < kUnreachableMm) return;
  const Foot& foot = setup.clip.feet[static_cast<size_t>(report.unreachable_max_foot)];
  warnings.Add(
      "summary.quality.unreachable_max_mm",
      absl::StrFormat("the %s foot is %.1f mm from where it should stand in frame %d: its leg "
                      "does not reach there, so it is as near as it gets",
                      foot.name, report.unreachable_max_mm, report.unreachable_max_frame));
}

}  // namespace ikstream
