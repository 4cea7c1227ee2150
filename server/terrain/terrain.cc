// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "terrain/terrain.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace ikstream {
namespace {

using Triangles = std::vector<std::array<std::int32_t, 3>>;

// Twice the area's vector, zero for a triangle that is a line or a point to double precision.
Vec3d AreaVector(Vec3d a, Vec3d b, Vec3d c) {
  const Vec3d p = b - a, q = c - a;
  const Vec3d area = Cross(p, q);
  const double longest = std::max({Dot(p, p), Dot(q, q), Dot(q - p, q - p)});
  return Length(area) > std::max(1e-12 * longest, 1e-20) ? area : Vec3d{};
}

Ray InFrameOf(const RigidPose& pose, const Ray& ray) {
  return {pose.Unapply(ray.origin), pose.Unturn(ray.direction), ray.length};
}

}  // namespace

std::optional<RayHit> Terrain::Plane::FirstHit(const Ray& ray) const {
  const double along = Dot(ray.direction, normal);
  if (!(along < -1e-12)) return std::nullopt;
  const double distance = Dot(point - ray.origin, normal) / along;
  if (!(distance >= 0 && distance <= ray.length)) return std::nullopt;
  return RayHit{distance, normal};
}

int Terrain::PlatformOf(const std::string& id) {
  if (id.empty()) return -1;
  const auto at = std::find(platforms_.begin(), platforms_.end(), id);
  if (at == platforms_.end()) platforms_.push_back(id);
  return static_cast<int>(std::find(platforms_.begin(), platforms_.end(), id) -
                          platforms_.begin());
}

void Terrain::AddPlane(const PlaneSpec& spec, size_t index,
                       std::vector<TerrainWarning>& warnings) {
  const Vec3d up = UpVector(up_);
  const std::string field = absl::StrCat("planes[", index, "].normal");
  const Vec3d given = Cast<double>(spec.normal);
  if (!(Length(given) > 1e-20)) warnings.push_back({field, "is zero: up is taken"});
  const Vec3d normal = NormalizedOr(given, up);
  if (Dot(normal, up) < 0 && spec.platform.empty())
    warnings.push_back({field, "points down: this plane is never met from above"});
  surfaces_.push_back({Plane{Cast<double>(spec.point), normal}, PlatformOf(spec.platform)});
}

void Terrain::AddMesh(const TriangleMeshSpec& spec, size_t index,
                      std::vector<TerrainWarning>& warnings) {
  std::vector<Vec3f> vertices(spec.positions.size() / 3);
  for (size_t v = 0; v < vertices.size(); ++v)
    vertices[v] = LoadVec3(spec.positions.data() + 3 * v);
  Triangles kept;
  kept.reserve(spec.triangles.size() / 3);
  size_t facing_down = 0;
  const auto corner = [&](size_t k) { return Cast<double>(vertices[spec.triangles[k]]); };
  for (size_t k = 0; k + 2 < spec.triangles.size(); k += 3) {
    const Vec3d area = AreaVector(corner(k), corner(k + 1), corner(k + 2));
    if (area == Vec3d{}) continue;
    kept.push_back({spec.triangles[k], spec.triangles[k + 1], spec.triangles[k + 2]});
    facing_down += Dot(area, UpVector(up_)) < 0;
  }
  const size_t given = spec.triangles.size() / 3, dropped = given - kept.size();
  const std::string field = absl::StrCat("meshes[", index, "].triangles");
  if (dropped > 0)
    warnings.push_back({field,
                        absl::StrCat(dropped, " of ", given, " have no area and are left out"),
                        -1, static_cast<std::int64_t>(dropped)});
  if (2 * facing_down > kept.size())
    warnings.push_back({field,
                        absl::StrCat(facing_down, " of ", kept.size(),
                                     " face down and are never met from above: corners must "
                                     "run counter-clockwise seen from above"),
                        -1, static_cast<std::int64_t>(facing_down)});
  BoundingTree tree;
  tree.Build(std::move(vertices), std::move(kept));
  surfaces_.push_back({std::move(tree), PlatformOf(spec.platform)});
}

absl::StatusOr<std::shared_ptr<const Terrain>> Terrain::Create(
    TerrainSpec spec, UpAxis up, const TerrainLimits& limits,
    std::vector<TerrainWarning>* warnings) {
  if (absl::Status status = CheckTerrain(spec, limits); !status.ok()) return status;
  std::vector<TerrainWarning> unread;
  std::vector<TerrainWarning>& told = warnings != nullptr ? *warnings : unread;
  std::shared_ptr<Terrain> terrain(new Terrain(up));
  for (size_t k = 0; k < spec.planes.size(); ++k) terrain->AddPlane(spec.planes[k], k, told);
  for (HeightFieldSpec& field : spec.height_fields) {
    const int platform = terrain->PlatformOf(field.platform);
    terrain->surfaces_.push_back({HeightField(std::move(field), up), platform});
  }
  for (size_t k = 0; k < spec.meshes.size(); ++k) terrain->AddMesh(spec.meshes[k], k, told);
  return terrain;
}

std::optional<GroundHit> Terrain::FirstHit(const Ray& ray,
                                           const PlatformPoses& platforms) const {
  RayHit best;
  const Surface* found = nullptr;
  for (const Surface& surface : surfaces_) {
    if (surface.platform >= static_cast<int>(platforms.now.size())) continue;
    const Ray local =
        surface.platform < 0 ? ray : InFrameOf(platforms.now[surface.platform], ray);
    const auto hit =
        std::visit([&](const auto& shape) { return shape.FirstHit(local); }, surface.shape);
    if (!hit || hit->distance >= best.distance) continue;
    best = *hit;
    found = &surface;
  }
  if (found == nullptr) return std::nullopt;
  GroundHit out{ray.origin + ray.direction * best.distance, best.normal, found->platform, {}};
  if (out.platform >= 0) {
    out.normal = platforms.now[out.platform].Turn(out.normal);
    out.velocity = platforms.Velocity(out.platform, out.point);
  }
  return out;
}

}  // namespace ikstream
