// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Any text as what the command line reads beside clips: Wavefront OBJ; the JSON of terrain,
// plans, settings, requests and platforms; the texts of --set, --feet, --contacts and --frames.
// The first byte says which.
#include <cmath>
#include <regex>
#include <string>

#include "cli/feet.h"
#include "cli/json.h"
#include "cli/plan_edit.h"
#include "cli/platform_file.h"
#include "cli/settings.h"
#include "convert/plan.h"
#include "convert/settings.h"
#include "convert/terrain.h"
#include "core/field_error.h"
#include "cpp/terrain/obj.h"
#include "fuzz/messages.h"
#include "fuzz/target.h"
#include "google/protobuf/util/message_differencer.h"
#include "ikstream/v1/service.pb.h"
#include "session/session.h"
#include "terrain/terrain.h"

namespace ikstream::fuzz {
namespace {

Limits SmallLimits() {
  Limits limits;
  limits.max_joints = 64;
  limits.max_chains = 8;
  limits.max_batch_frames = 128;
  limits.max_iterations = 64;
  limits.max_terrain_vertices = 4096;
  return limits;
}

void RequireField(const absl::Status& status) {
  Require(!FieldOf(status).empty(), "no field in ", status.ToString());
}

void RequireUsage(const absl::Status& status) {
  Require(status.ok() || (absl::IsInvalidArgument(status) && !status.message().empty()),
          status.ToString());
}

// Rays down over the ground: what they hit is finite and faces them.
void AskGround(const Terrain& terrain) {
  const Vec3d up = terrain.up() == UpAxis::kY ? Vec3d{0, 1, 0} : Vec3d{0, 0, 1},
              across = terrain.up() == UpAxis::kY ? Vec3d{0, 0, 1} : Vec3d{0, 1, 0};
  for (int i = -3; i <= 3; ++i)
    for (int j = -3; j <= 3; ++j) {
      const Vec3d from = Vec3d{0.37 * i, 0, 0} + across * (0.41 * j) + up * 10.0;
      const auto hit = terrain.FirstHit(Ray{from, -up, 20}, {});
      if (!hit) continue;
      Require(std::isfinite(Length(hit->point)) && std::abs(Length(hit->normal) - 1) < 1e-6,
              "a hit is not finite, or its normal is not a unit");
      Require(Dot(hit->normal, up) >= 0, "a hit faces away from its ray");
    }
}

void ReadObjText(const std::string& text) {
  const auto mesh = ParseObj(text, "ground.obj", {1 << 20, 4096, 8192});
  if (!mesh.ok()) {
    Require(std::string(mesh.status().message()).rfind("ground.obj", 0) == 0, "no place in ",
            mesh.status().ToString());
    return;
  }
  for (const std::int32_t v : mesh->triangles)
    Require(v >= 0 && 3 * static_cast<size_t>(v) < mesh->positions.size(), "vertex ", v);
  TerrainSpec spec;
  spec.meshes.push_back(*mesh);
  const auto terrain = Terrain::Create(spec, UpAxis::kY);
  if (terrain.ok())
    AskGround(**terrain);
  else
    RequireField(terrain.status());
}

// What is written is read as the same message.
template <class Message>
bool ReadMessage(const std::string& text, Message& message) {
  const absl::Status status = cli::ParseJson(text, "file.json", message);
  RequireUsage(status);
  if (!status.ok()) return false;
  Message again;
  const std::string written = cli::ToJson(message, cli::JsonStyle::kOneLine);
  Require(cli::ParseJson(written, "again.json", again).ok(), "not read back: ", written);
  using google::protobuf::util::MessageDifferencer;
  MessageDifferencer differ;
  google::protobuf::util::DefaultFieldComparator same;
  same.set_treat_nan_as_equal(true);
  differ.set_field_comparator(&same);
  // Protocol Buffers write minus zero as -0, and read that as 0, which is a field not set.
  static const std::regex minus_zero("-0[,}\\]]");
  if (std::regex_search(written, minus_zero))
    differ.set_message_field_comparison(MessageDifferencer::EQUIVALENT);
  Require(differ.Compare(message, again), "read back otherwise: ", written);
  return true;
}

void ReadTerrainText(const std::string& text) {
  v1::Terrain message;
  if (!ReadMessage(text, message)) return;
  Warnings warnings;
  const auto terrain = ToTerrain(message, UpAxis::kZ, SmallLimits(), warnings);
  if (terrain.ok())
    AskGround(**terrain);
  else
    RequireField(terrain.status());
}

// Tidied, a plan stays as good as it was; what is accepted is accepted again.
void ReadPlanText(const std::string& text) {
  v1::Plan message;
  if (!ReadMessage(text, message)) return;
  v1::Plan tidy = message;
  cli::TidyPlan(tidy);
  Require(cli::TidyPlan(tidy).empty(), "a tidy plan is changed once more");
  const auto plan = ToPlan(message, 8), tidied = ToPlan(tidy, 8);
  if (!plan.ok()) return RequireField(plan.status());
  Require(tidied.ok(), "tidied, a plan is refused: ", tidied.status().ToString());
  const auto again = ToPlan(ToProto(*plan), 8);
  Require(again.ok(), "a plan is refused the second time: ", again.status().ToString());
}

void CheckSettings(const v1::CleanupSettings& message) {
  const auto settings = ToSettings(message);
  if (settings.ok())
    Require(NotFinite(ToProto(*settings)).empty(), "settings are not finite");
  else
    RequireField(settings.status());
}

void ReadSettingsText(const std::string& text) {
  v1::CleanupSettings message;
  if (ReadMessage(text, message)) CheckSettings(message);
}

void ReadRequestText(const std::string& text) {
  v1::SolveRequest message;
  if (!ReadMessage(text, message)) return;
  auto session = Session::Open(message.setup(), SmallLimits(), CallShape::kUnary);
  if (!session.ok()) return RequireField(session.status());
  Session::Replies replies;
  absl::Status status = (*session)->Push(message.motion(), Stop(), replies);
  if (status.ok()) status = (*session)->Finish(Stop(), replies);
  if (!status.ok()) RequireField(status);
  for (const Session::Reply& reply : replies)
    Require(NotFinite(reply).empty(), NotFinite(reply), " is not finite");
}

// What fits a clip of four frames can be put into its batches.
void ReadPlatformText(const std::string& text) {
  const auto tracks = cli::ParsePlatforms(text, "platforms.json");
  RequireUsage(tracks.status());
  if (!tracks.ok()) return;
  const absl::Status fits = cli::CheckPlatforms(*tracks, 4);
  RequireUsage(fits);
  if (!fits.ok()) return;
  v1::Motion batch;
  cli::AddPlatforms(*tracks, 1, 3, batch);
  Require(batch.platforms_size() == static_cast<int>(tracks->size()), "a platform is lost");
}

v1::Skeleton Leg() {
  v1::Skeleton skeleton;
  for (const char* name : {"Hips", "Leg", "Leg", "Foot", "3"})
    skeleton.add_joints()->set_name(name);
  return skeleton;
}

void ReadOptionText(const std::string& text) {
  v1::CleanupSettings settings;
  const absl::Status set = cli::ApplySetting(text, settings);
  RequireUsage(set);
  if (set.ok()) CheckSettings(settings);
  RequireUsage(cli::ParseFrames(text).status());
  google::protobuf::RepeatedPtrField<v1::Foot> feet;
  const auto foot = cli::ParseFoot(text);
  RequireUsage(foot.status());
  if (foot.ok()) {
    const auto found = cli::ResolveFoot(*foot, Leg());
    RequireUsage(found.status());
    if (found.ok()) *feet.Add() = *found;
  }
  feet.Add()->set_name("left");
  const auto contacts = cli::ParseContacts(text);
  RequireUsage(contacts.status());
  if (!contacts.ok()) return;
  const auto found = cli::ResolveContacts(*contacts, feet);
  RequireUsage(found.status());
  if (found.ok())
    for (const v1::ContactInterval& interval : found->intervals())
      Require(interval.begin() >= 0 && interval.begin() < interval.end(), "an empty interval");
}

}  // namespace

void FuzzOne(std::span<const std::uint8_t> data) {
  if (data.empty()) return;
  constexpr void (*kReaders[])(const std::string&) = {
      ReadObjText,     ReadTerrainText,  ReadPlanText,  ReadSettingsText,
      ReadRequestText, ReadPlatformText, ReadOptionText};
  const std::string text(data.begin() + 1, data.end());
  // Letters and digits choose, so that seeds are plain text.
  kReaders[static_cast<size_t>(data[0] - '0') % std::size(kReaders)](text);
}

}  // namespace ikstream::fuzz
