// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Any text as the other files that the command line reads: Wavefront OBJ, and the JSON of
// terrain, plans, settings and requests. The first byte says which.
#include <cmath>
#include <string>

#include "cli/json.h"
#include "convert/plan.h"
#include "convert/settings.h"
#include "convert/terrain.h"
#include "core/field_error.h"
#include "cpp/terrain/obj.h"
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

void CheckFieldError(const absl::Status& status) {
  Require(!FieldOf(status).empty(), "no field in ", status.ToString());
}

// Rays down over the ground: what they hit is finite and faces them.
void AskGround(const Terrain& terrain) {
  const Vec3d up = UpVector(terrain.up());
  for (int i = -3; i <= 3; ++i)
    for (int j = -3; j <= 3; ++j) {
      const Vec3d across = terrain.up() == UpAxis::kY ? Vec3d{0, 0, 1} : Vec3d{0, 1, 0};
      const Vec3d from = Vec3d{0.37 * i, 0, 0} + across * (0.41 * j) + up * 10.0;
      const auto hit = terrain.FirstHit(Ray{from, -up, 20}, {});
      if (!hit) continue;
      Require(std::isfinite(Length(hit->point)) && std::abs(Length(hit->normal) - 1) < 1e-6,
              "a hit is not finite, or its normal is not a unit");
    }
}

void ReadObjText(const std::string& text) {
  const auto mesh = ParseObj(text, "ground.obj", {1 << 20, 4096, 8192});
  if (!mesh.ok()) {
    Require(std::string(mesh.status().message()).rfind("ground.obj", 0) == 0, "no place in ",
            mesh.status().ToString());
    return;
  }
  for (std::int32_t v : mesh->triangles)
    Require(v >= 0 && 3 * static_cast<size_t>(v) < mesh->positions.size(), "vertex ", v);
  TerrainSpec spec;
  spec.meshes.push_back(*mesh);
  const auto terrain = Terrain::Create(spec, UpAxis::kY);
  if (terrain.ok())
    AskGround(**terrain);
  else
    CheckFieldError(terrain.status());
}

// What is written is read as the same message.
template <class Message>
bool ReadMessage(const std::string& text, Message& message) {
  const absl::Status status = cli::ParseJson(text, "file.json", message);
  if (!status.ok()) {
    Require(absl::IsInvalidArgument(status), status.ToString());
    return false;
  }
  Message again;
  const std::string written = cli::ToJson(message, cli::JsonStyle::kOneLine);
  Require(cli::ParseJson(written, "again.json", again).ok(), "not read back: ", written);
  google::protobuf::util::MessageDifferencer differ;
  google::protobuf::util::DefaultFieldComparator same;
  same.set_treat_nan_as_equal(true);
  differ.set_field_comparator(&same);
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
    CheckFieldError(terrain.status());
}

void ReadPlanText(const std::string& text) {
  v1::Plan message;
  if (!ReadMessage(text, message)) return;
  const auto plan = ToPlan(message, 8);
  if (!plan.ok()) return CheckFieldError(plan.status());
  const auto again = ToPlan(ToProto(*plan), 8);
  Require(again.ok(), "a plan is refused the second time: ", again.status().ToString());
}

void ReadSettingsText(const std::string& text) {
  v1::CleanupSettings message;
  if (!ReadMessage(text, message)) return;
  const auto settings = ToSettings(message);
  if (!settings.ok()) CheckFieldError(settings.status());
}

void ReadRequestText(const std::string& text) {
  v1::SolveRequest message;
  if (!ReadMessage(text, message)) return;
  auto session = Session::Open(message.setup(), SmallLimits(), CallShape::kUnary);
  if (!session.ok()) return CheckFieldError(session.status());
  Session::Replies replies;
  absl::Status status = (*session)->Push(message.motion(), Stop(), replies);
  if (status.ok()) status = (*session)->Finish(Stop(), replies);
  if (!status.ok()) CheckFieldError(status);
}

}  // namespace

void FuzzOne(std::span<const std::uint8_t> data) {
  if (data.empty()) return;
  const std::string text(data.begin() + 1, data.end());
  switch (data[0] % 5) {
    case 0:
      return ReadObjText(text);
    case 1:
      return ReadTerrainText(text);
    case 2:
      return ReadPlanText(text);
    case 3:
      return ReadSettingsText(text);
    default:
      return ReadRequestText(text);
  }
}

}  // namespace ikstream::fuzz
