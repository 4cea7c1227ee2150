// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cli/clip_options.h"

#include <cmath>
#include <map>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "cli/clip_ground.h"
#include "cli/exit_code.h"
#include "cli/settings.h"

namespace ikstream::cli {
namespace {

void AddReadingFlags(CLI::App& app, ClipFlags& flags) {
  const std::string group = "Reading the clip";
  app.add_option("--up", flags.up, "The axis that points up: y, z, or auto to detect it")
      ->check(CLI::IsMember({"auto", "y", "z"}, CLI::ignore_case))
      ->capture_default_str()
      ->group(group);
  app.add_option("--units", flags.units,
                 "The clip's units: m, cm, mm, in, ft, a number of units per metre, or auto to "
                 "take 0.85 m for a leg")
      ->capture_default_str()
      ->group(group);
  app.add_option("--positions", flags.positions,
                 "Position channels replace OFFSET, or add to it")
      ->check(CLI::IsMember({"auto", "replace", "add"}))
      ->capture_default_str()
      ->group(group);
  app.add_option("--fps", flags.fps, "Frames per second, if the file's Frame Time is wrong")
      ->check(CLI::Range(0.001, 100000.0))
      ->group(group);
  app.add_flag("--strict", flags.strict, "Refuse files that deviate from the format")
      ->group(group);
}

void AddMotionFlags(CLI::App& app, ClipFlags& flags) {
  const std::string group = "Cleaning";
  app.add_option("--frames", flags.frames,
                 "Only frames A:B (from 0, B not included); the others stay as they are")
      ->group(group);
  app.add_flag("--loop", flags.loop, "The clip repeats: its ends see each other")->group(group);
  app.add_option("--terrain", flags.terrain,
                 "The ground in the clip's units and axes: ikstream.v1.Terrain as JSON, or a "
                 "mesh as .obj. Without it NAME.terrain.json beside the clip is taken, else a "
                 "floor is fitted")
      ->group(group);
  app.add_option("--platforms", flags.platforms,
                 "Where the terrain's moving platforms are in each frame of the clip: "
                 "ikstream.v1.Motion as JSON with `platforms` alone. Beside the clip: "
                 "NAME.platforms.json")
      ->group(group);
  app.add_flag("--no-sidecars", flags.no_sidecars,
               "Leave plans, terrain and platforms that lie beside a clip out")
      ->group(group);
  app.add_option("--feet", flags.feet,
                 "A leg by its joints, [NAME=]HIP,KNEE,ANKLE[,TOE]; once for each. Without it "
                 "legs are found")
      ->group(group);
  app.add_option("--contacts", flags.contacts,
                 "Known contacts of a foot, FOOT=A:B,C:D; once for each foot. They win over "
                 "those found")
      ->group(group);
  app.add_option("--settings", flags.settings, "ikstream.v1.CleanupSettings as JSON")
      ->group(group);
  app.add_option("--set", flags.set, "One setting: contact.enter_speed=0.2; may be repeated")
      ->group(group);
  app.add_option("--profile", flags.profile,
                 "The named defaults to build on (`ikstream info` tells them)")
      ->group(group);
}

absl::StatusOr<std::optional<double>> UnitsPerMetre(const std::string& text) {
  static const auto& named = *new std::map<std::string, double>{
      {"m", 1}, {"cm", 100}, {"mm", 1000}, {"in", 1 / 0.0254}, {"ft", 1 / 0.3048}};
  if (text == "auto") return std::optional<double>();
  if (const auto found = named.find(text); found != named.end()) return found->second;
  double value = 0;
  if (absl::SimpleAtod(text, &value) && std::isfinite(value) && value > 0) return value;
  return UsageError(
      absl::StrCat("--units ", text, ": expected m, cm, mm, in, ft, auto or a number above 0"));
}

// What is wrong with a file that a flag names is an error of usage.
absl::Status OfUsage(const absl::Status& status) {
  return status.code() == absl::StatusCode::kInvalidArgument
             ? UsageError(std::string(status.message()))
             : status;
}

absl::Status ResolveGround(const ClipFlags& flags, ClipRequest& request) {
  if (flags.platforms.empty() && flags.terrain.empty()) return absl::OkStatus();
  if (flags.terrain.empty())
    return UsageError("--platforms: needs --terrain, whose surfaces name their platforms");
  if (absl::Status status = OfUsage(LoadTerrain(flags.terrain, request)); !status.ok())
    return status;
  if (flags.platforms.empty()) return absl::OkStatus();
  if (flags.loop) return UsageError("--platforms and --loop exclude each other");
  return LoadPlatforms(flags.platforms, request);
}

absl::Status ResolveFeet(const ClipFlags& flags, ClipRequest& request) {
  for (const std::string& text : flags.feet) {
    auto foot = ParseFoot(text);
    if (!foot.ok()) return foot.status();
    request.feet.push_back(*std::move(foot));
  }
  for (const std::string& text : flags.contacts) {
    auto contacts = ParseContacts(text);
    if (!contacts.ok()) return contacts.status();
    request.contacts.push_back(*std::move(contacts));
  }
  return absl::OkStatus();
}

void ResolveReading(const ClipFlags& flags, ClipRequest& request) {
  request.read.strict = flags.strict;
  if (flags.fps > 0) request.read.fps = flags.fps;
  if (flags.positions == "replace") request.positions = bvh::PositionConvention::kReplace;
  if (flags.positions == "add") request.positions = bvh::PositionConvention::kAdd;
  if (flags.up == "y" || flags.up == "Y") request.up = v1::UP_AXIS_Y;
  if (flags.up == "z" || flags.up == "Z") request.up = v1::UP_AXIS_Z;
}

std::vector<std::string> KeyOptions(const ClipFlags& flags) {
  std::vector<std::string> key = {absl::StrCat("positions=", flags.positions),
                                  absl::StrCat("up=", flags.up),
                                  absl::StrCat("units=", flags.units)};
  if (flags.fps > 0) key.push_back(absl::StrCat("fps=", flags.fps));
  if (flags.loop) key.push_back("loop");
  if (!flags.frames.empty()) key.push_back(absl::StrCat("frames=", flags.frames));
  for (const std::string& foot : flags.feet) key.push_back(absl::StrCat("feet=", foot));
  for (const std::string& c : flags.contacts) key.push_back(absl::StrCat("contacts=", c));
  return key;
}

}  // namespace

void AddClipFlags(CLI::App& app, ClipFlags& flags) {
  AddReadingFlags(app, flags);
  AddMotionFlags(app, flags);
}

absl::StatusOr<ClipRequest> Resolve(const ClipFlags& flags) {
  ClipRequest request;
  ResolveReading(flags, request);
  auto units = UnitsPerMetre(flags.units);
  if (!units.ok()) return units.status();
  request.units_per_metre = *units;
  if (flags.loop && !flags.frames.empty()) {
    return UsageError("--loop and --frames exclude each other");
  }
  request.loop = flags.loop;
  if (!flags.frames.empty()) {
    auto frames = ParseFrames(flags.frames);
    if (!frames.ok()) return frames.status();
    request.frames = *frames;
  }
  request.sidecars = !flags.no_sidecars;
  if (absl::Status status = ResolveGround(flags, request); !status.ok()) return status;
  if (absl::Status status = ResolveFeet(flags, request); !status.ok()) return status;
  auto settings = LoadSettings(flags.settings, flags.set);
  if (!settings.ok()) return settings.status();
  request.settings = *std::move(settings);
  request.profile = flags.profile;
  request.key_options = KeyOptions(flags);
  return request;
}

}  // namespace ikstream::cli
