// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cli/quality_table.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace ikstream::cli {
namespace {

using Foot = v1::FootQuality;

// What a clean clip may have: mm per frame, mm, and the knee's speed against its source's
// (as a ratio, and in degrees/s more).
constexpr double kMostSlide = 0.1, kMostPenetration = 5, kMostKneeRatio = 1.1,
                 kMostKneeMore = 20;

// A figure of one foot: how it is named, and where it stands.
struct Row {
  const char* name;
  const char* unit;
  int decimals;
  double (*value)(const Foot&);
};

constexpr Row kRows[] = {
    {"contact share", "%", 1, [](const Foot& q) { return 100.0 * q.contact_share(); }},
    {"contacts", "", 0, [](const Foot& q) { return double(q.contacts()); }},
    {"planted slide", "mm/frame", 3,
     [](const Foot& q) { return double(q.slide_mm_per_frame()); }},
    {"planted slide", "mm/s", 2, [](const Foot& q) { return double(q.slide_mm_per_second()); }},
    {"worst drift", "mm", 2, [](const Foot& q) { return double(q.worst_drift_mm()); }},
    {"  at frame", "", 0, [](const Foot& q) { return double(q.worst_drift_frame()); }},
    {"skating ratio", "", 3, [](const Foot& q) { return double(q.skating_ratio()); }},
    {"skating weighted", "m/s", 3, [](const Foot& q) { return double(q.skating_weighted()); }},
    {"penetration", "mm", 2, [](const Foot& q) { return double(q.penetration_max_mm()); }},
    {"frames > 5 mm deep", "", 0, [](const Foot& q) { return double(q.penetration_frames()); }},
    {"floating p95", "mm", 2, [](const Foot& q) { return double(q.floating_p95_mm()); }},
    {"knee speed p99", "deg/s", 0,
     [](const Foot& q) { return double(q.knee_speed_p99_deg()); }},
    {"knee speed max", "deg/s", 0,
     [](const Foot& q) { return double(q.knee_speed_max_deg()); }},
    {"  at frame", "", 0, [](const Foot& q) { return double(q.knee_speed_max_frame()); }},
    {"knee pops", "", 0, [](const Foot& q) { return double(q.knee_pops()); }},
    {"extension max", "%", 2, [](const Foot& q) { return 100.0 * q.extension_max(); }},
    {"ankle jerk p99", "m/s3", 0, [](const Foot& q) { return double(q.ankle_jerk_p99()); }},
    {"knee jerk p99", "m/s3", 0, [](const Foot& q) { return double(q.knee_jerk_p99()); }},
};

std::string Line(const std::string& name, const std::string& before, const std::string& after,
                 const std::string& unit) {
  std::string line = absl::StrFormat("  %-20s %12s %12s  %s", name, before, after, unit);
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string Number(int decimals, double value) {
  return absl::StrFormat("%.*f", decimals, value);
}

std::string Both(const std::string& name, double before, double after, int decimals,
                 const std::string& unit) {
  return Line(name, Number(decimals, before), Number(decimals, after), unit);
}

// A figure that only the answer has.
std::string One(const std::string& name, double after, int decimals, const std::string& unit) {
  return Line(name, "", Number(decimals, after), unit);
}

std::string ClipBlock(const v1::QualityReport& report) {
  const v1::Quality& before = report.before();
  const v1::Quality& after = report.after();
  return absl::StrCat(
      Line("clip", "before", "after", ""),
      Both("pelvis jerk p99", before.pelvis_jerk_p99(), after.pelvis_jerk_p99(), 0, "m/s3"),
      One("change, mean", report.change_mean_mm(), 2, "mm"),
      One("outside contacts", report.change_outside_contacts_mm(), 2, "mm"),
      One("pelvis shift max", report.pelvis_shift_max_mm(), 2, "mm"),
      One("unreachable max", report.unreachable_max_mm(), 2, "mm"),
      One("bone length error", 100.0 * report.bone_length_error(), 5, "%"),
      One("limit hits", double(report.limit_hits()), 0, ""),
      One("sign flips", double(report.sign_flips()), 0, ""),
      One("not finite", double(report.non_finite()), 0, ""),
      One("Euler steps", double(report.euler_steps()), 0, ""),
      One("changed",
          100.0 * double(report.changed_joint_frames()) /
              double(std::max<std::int64_t>(report.joint_frames(), 1)),
          1, "% of joint-frames"));
}

template <class Pick>
double Worst(const v1::Quality& quality, Pick pick) {
  double worst = 0;
  for (const Foot& foot : quality.feet()) worst = std::max(worst, double(pick(foot)));
  return worst;
}

}  // namespace

std::string QualityTable(const v1::QualityReport& report) {
  std::string table;
  const int feet = std::min(report.before().feet_size(), report.after().feet_size());
  for (int i = 0; i < feet; ++i) {
    const Foot& before = report.before().feet(i);
    const Foot& after = report.after().feet(i);
    table += Line(absl::StrCat("foot ", before.name()), "before", "after", "");
    for (const Row& row : kRows) {
      table += Both(row.name, row.value(before), row.value(after), row.decimals, row.unit);
    }
  }
  return table + ClipBlock(report);
}

std::string QualityLine(const v1::QualityReport& report) {
  const auto slide = [](const Foot& q) { return q.slide_mm_per_frame(); };
  const auto depth = [](const Foot& q) { return q.penetration_max_mm(); };
  const auto knee = [](const Foot& q) { return q.knee_speed_p99_deg(); };
  return absl::StrFormat(
      "slide %.3f -> %.3f mm/frame, penetration %.1f -> %.1f mm, knee %.0f -> %.0f deg/s",
      Worst(report.before(), slide), Worst(report.after(), slide),
      Worst(report.before(), depth), Worst(report.after(), depth), Worst(report.before(), knee),
      Worst(report.after(), knee));
}

double Badness(const v1::QualityReport& report) {
  double worst = 0;
  const int feet = std::min(report.before().feet_size(), report.after().feet_size());
  for (int i = 0; i < feet; ++i) {
    const Foot& before = report.before().feet(i);
    const Foot& after = report.after().feet(i);
    const double knee = before.knee_speed_p99_deg();
    worst = std::max(
        {worst, after.slide_mm_per_frame() / kMostSlide,
         after.penetration_max_mm() / kMostPenetration,
         after.knee_speed_p99_deg() / std::max(kMostKneeRatio * knee, knee + kMostKneeMore)});
  }
  return worst;
}

std::string WorstClips(std::vector<ClipFigures> clips, std::size_t most) {
  std::stable_sort(clips.begin(), clips.end(), [](const auto& a, const auto& b) {
    return a.badness != b.badness ? a.badness > b.badness : a.input < b.input;
  });
  std::string table = "worst clips first (1.00: at the limit)\n";
  for (std::size_t i = 0; i < std::min(most, clips.size()); ++i)
    absl::StrAppend(&table, absl::StrFormat("  %6.2f  ", clips[i].badness), clips[i].input,
                    ": ", clips[i].line, "\n");
  if (clips.size() > most)
    absl::StrAppend(&table, "  and ", clips.size() - most, " better ones\n");
  return table;
}

}  // namespace ikstream::cli
