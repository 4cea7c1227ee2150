// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cli/plot.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"

namespace ikstream::cli {
namespace {

constexpr double kWidth = 1100;
constexpr double kPanelHeight = 150;
constexpr double kLeft = 70;
constexpr double kRight = 20;
constexpr double kGap = 46;
constexpr int kMostColumns = 1010;  // more points than pixels show nothing more

constexpr char kHead[] =
    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
    "font-family=\"sans-serif\" font-size=\"12\">\n"
    "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n";

struct Series {
  std::vector<double> before;
  std::vector<double> after;
};

struct Panel {
  std::string title;
  std::string unit;
  double top = 0;
  double low = 0;
  double high = 1;
  std::int64_t frames = 0;
  std::int64_t first_frame = 0;

  double X(double frame) const {
    const double last = static_cast<double>(std::max<std::int64_t>(frames - 1, 1));
    return kLeft + (kWidth - kLeft - kRight) * std::clamp(frame / last, 0.0, 1.0);
  }
  double Y(double value) const {
    return top + kPanelHeight * (1 - (value - low) / (high - low));
  }
};

std::string Escaped(const std::string& text) {
  return absl::StrReplaceAll(text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}});
}

// Height over the plan's floor, or along `up` where the floor is no plane; millimetres.
std::vector<double> Heights(const std::vector<Vec3f>& points, const v1::Plan& plan,
                            double upm) {
  const bool plane = plan.floor().kind() == v1::Floor::KIND_PLANE && plan.floor().has_normal();
  const v1::Vec3& n = plan.floor().normal();
  const v1::Vec3& p = plan.floor().point();
  const Vec3d up = plan.up() == v1::UP_AXIS_Z ? Vec3d{0, 0, 1} : Vec3d{0, 1, 0};
  const Vec3d normal = plane ? Vec3d{n.x(), n.y(), n.z()} : up;
  const Vec3d origin = plane ? Vec3d{p.x(), p.y(), p.z()} : Vec3d{};
  std::vector<double> heights;
  for (const Vec3f& point : points) {
    heights.push_back(1000 / upm * Dot(Cast<double>(point) - origin, normal));
  }
  return heights;
}

// Speed over at least a thirtieth of a second, as contacts are judged; m/s.
std::vector<double> Speeds(const std::vector<Vec3f>& points, double fps, double upm) {
  const std::size_t window = static_cast<std::size_t>(std::max(1.0, std::round(fps / 30)));
  std::vector<double> speeds(points.size(), 0.0);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::size_t begin = i >= window / 2 ? i - window / 2 : 0;
    const std::size_t end = std::min(begin + window, points.size() - 1);
    if (end == begin) continue;
    const double seconds = static_cast<double>(end - begin) / fps;
    speeds[i] = Length(Cast<double>(points[end] - points[begin])) / upm / seconds;
  }
  return speeds;
}

void Fit(const Series& series, Panel& panel) {
  panel.low = 0;
  panel.high = 1e-3;
  for (const std::vector<double>* values : {&series.before, &series.after}) {
    for (const double value : *values) {
      panel.low = std::min(panel.low, value);
      panel.high = std::max(panel.high, value);
    }
  }
}

// At most two points per column: its least and its greatest value, so that peaks stay.
std::string Line(const Panel& panel, const std::vector<double>& values, const char* style) {
  std::string points;
  const std::size_t step = values.size() / kMostColumns + 1;
  for (std::size_t i = 0; i < values.size(); i += step) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(i);
    const auto end =
        values.begin() + static_cast<std::ptrdiff_t>(std::min(i + step, values.size()));
    const auto [low, high] = std::minmax_element(begin, end);
    auto first = std::min(low, high);
    auto second = std::max(low, high);
    for (const auto& at : {first, second}) {
      const double frame = static_cast<double>(at - values.begin());
      absl::StrAppendFormat(&points, "%.1f,%.1f ", panel.X(frame), panel.Y(*at));
      if (first == second) break;
    }
  }
  return absl::StrCat("<polyline fill=\"none\" ", style, " points=\"", points, "\"/>\n");
}

std::string Shades(const Panel& panel, const v1::FootPlan& foot) {
  std::string shades;
  for (const v1::ContactInterval& interval : foot.intervals()) {
    if (interval.ignored()) continue;
    const double begin = panel.X(static_cast<double>(interval.begin()));
    const double end = panel.X(static_cast<double>(interval.end() - 1));
    absl::StrAppendFormat(&shades,
                          "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.0f\" "
                          "fill=\"#dfeecf\"/>\n",
                          begin, panel.top, std::max(end - begin, 1.0), kPanelHeight);
  }
  return shades;
}

std::string Text(double x, double y, const char* anchor, const std::string& text) {
  return absl::StrFormat("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y,
                         anchor, Escaped(text));
}

std::string Frame(const Panel& panel) {
  const double right = kWidth - kRight;
  std::string frame = absl::StrFormat(
      "<rect x=\"%.0f\" y=\"%.1f\" width=\"%.0f\" height=\"%.0f\" fill=\"none\" "
      "stroke=\"#888\"/>\n",
      kLeft, panel.top, right - kLeft, kPanelHeight);
  const double bottom = panel.top + kPanelHeight;
  absl::StrAppend(
      &frame, Text(kLeft, panel.top - 6, "start", panel.title),
      Text(kLeft - 6, panel.top + 10, "end",
           absl::StrFormat("%.3g %s", panel.high, panel.unit)),
      Text(kLeft - 6, bottom, "end", absl::StrFormat("%.3g", panel.low)),
      Text(kLeft, bottom + 15, "start", absl::StrCat("frame ", panel.first_frame)),
      Text(right, bottom + 15, "end", absl::StrCat(panel.first_frame + panel.frames - 1)));
  return frame;
}

std::string DrawPanel(const Panel& panel, const Series& series, const v1::FootPlan& foot) {
  return absl::StrCat(Shades(panel, foot), Frame(panel),
                      Line(panel, series.before, "stroke=\"#c0392b\" stroke-width=\"1\""),
                      Line(panel, series.after, "stroke=\"#1f5fa8\" stroke-width=\"1.6\""));
}

}  // namespace

std::string FootPlot(const FootTracks& tracks, const v1::Plan& plan, const CleanReport& report,
                     std::int64_t first_frame) {
  const double upm = report.units_per_metre() > 0 ? report.units_per_metre() : 1;
  const double fps = report.frames_per_second();
  const int panels = 2 * static_cast<int>(tracks.feet().size());
  std::string svg = absl::StrFormat(kHead, kWidth, 40 + panels * (kPanelHeight + kGap) + 10);
  svg += Text(kLeft, 18, "start",
              absl::StrCat(report.input(), ": before red, after blue, contacts shaded"));
  const v1::FootPlan none;
  Panel panel;
  panel.first_frame = first_frame;
  panel.top = 50;
  for (std::size_t i = 0; i < tracks.feet().size(); ++i) {
    const FootTrack& track = tracks.feet()[i];
    const int index = static_cast<int>(i);
    const v1::FootPlan& foot = index < plan.feet_size() ? plan.feet(index) : none;
    panel.frames = static_cast<std::int64_t>(track.before.size());
    const Series height{Heights(track.before, plan, upm), Heights(track.after, plan, upm)};
    const Series speed{Speeds(track.before, fps, upm), Speeds(track.after, fps, upm)};
    for (const auto* series : {&height, &speed}) {
      panel.title = absl::StrCat(track.name, series == &height ? ": height" : ": speed");
      panel.unit = series == &height ? "mm" : "m/s";
      Fit(*series, panel);
      svg += DrawPanel(panel, *series, foot);
      panel.top += kPanelHeight + kGap;
    }
  }
  return absl::StrCat(svg, "</svg>\n");
}

}  // namespace ikstream::cli
