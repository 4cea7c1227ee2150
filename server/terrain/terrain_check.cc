// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include <span>

#include "absl/strings/str_cat.h"
#include "core/field_error.h"
#include "terrain/terrain_spec.h"

namespace ikstream {
namespace {

bool Finite(Vec3f v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

absl::Status CheckFinite(absl::string_view field, std::span<const float> values) {
  for (size_t k = 0; k < values.size(); ++k)
    if (!std::isfinite(values[k]))
      return FieldError(absl::StrCat(field, "[", k, "]"), "is not finite");
  return absl::OkStatus();
}

absl::Status CheckSize(absl::string_view field, size_t size, std::int64_t wanted,
                       absl::string_view why) {
  if (static_cast<std::int64_t>(size) == wanted) return absl::OkStatus();
  return FieldError(field,
                    absl::StrCat("holds ", size, " values, not ", wanted, " (", why, ")"));
}

absl::Status Check(const PlaneSpec& plane) {
  if (!Finite(plane.point)) return FieldError("point", "is not finite");
  if (!Finite(plane.normal)) return FieldError("normal", "is not finite");
  return absl::OkStatus();
}

absl::Status CheckCell(absl::string_view field, float size) {
  if (std::isfinite(size) && size > 0) return absl::OkStatus();
  return FieldError(field, absl::StrCat(size, " is not a size: it must be finite and above 0"));
}

absl::Status CheckCount(absl::string_view field, int count) {
  if (count >= 2) return absl::OkStatus();
  return FieldError(field, absl::StrCat(count, " is too few: a height field has at least 2"));
}

absl::Status Check(const HeightFieldSpec& field) {
  if (!Finite(field.origin)) return FieldError("origin", "is not finite");
  const std::int64_t ni = field.count_i, nj = field.count_j;
  for (const absl::Status& status :
       {CheckCell("cell_i", field.cell_i), CheckCell("cell_j", field.cell_j),
        CheckCount("count_i", field.count_i), CheckCount("count_j", field.count_j),
        CheckSize("heights", field.heights.size(), ni * nj, "count_i * count_j")})
    if (!status.ok()) return status;
  if (!field.holes.empty())
    if (absl::Status status = CheckSize("holes", field.holes.size(), (ni - 1) * (nj - 1),
                                        "one per cell, (count_i - 1) * (count_j - 1)");
        !status.ok())
      return status;
  return CheckFinite("heights", field.heights);
}

absl::Status Check(const TriangleMeshSpec& mesh) {
  if (mesh.positions.size() % 3 != 0)
    return FieldError("positions", absl::StrCat("holds ", mesh.positions.size(),
                                                " values, which is not 3 per vertex"));
  if (mesh.triangles.size() % 3 != 0)
    return FieldError("triangles", absl::StrCat("holds ", mesh.triangles.size(),
                                                " indices, which is not 3 per triangle"));
  const auto count = static_cast<std::int64_t>(mesh.positions.size() / 3);
  for (size_t k = 0; k < mesh.triangles.size(); ++k)
    if (mesh.triangles[k] < 0 || mesh.triangles[k] >= count)
      return FieldError(absl::StrCat("triangles[", k, "]"),
                        absl::StrCat(mesh.triangles[k], " is out of range [0, ", count, ")"));
  return CheckFinite("positions", mesh.positions);
}

absl::Status TooMany(absl::string_view field, size_t count, absl::string_view what,
                     std::int64_t limit) {
  return FieldError(absl::StatusCode::kResourceExhausted, field,
                    absl::StrCat("brings the terrain to ", count, " ", what,
                                 ", more than the limit of ", limit));
}

// Before anything else is looked at.
absl::Status CheckCounts(const TerrainSpec& spec, const TerrainLimits& limits) {
  const size_t surfaces = spec.planes.size() + spec.height_fields.size() + spec.meshes.size();
  if (surfaces > static_cast<size_t>(limits.max_surfaces))
    return FieldError(absl::StatusCode::kResourceExhausted, "planes",
                      absl::StrCat("with height fields and meshes are ", surfaces,
                                   " surfaces, more than the limit of ", limits.max_surfaces));
  const auto most = static_cast<size_t>(limits.max_vertices);
  size_t vertices = 0, triangles = 0;
  for (size_t k = 0; k < spec.height_fields.size(); ++k)
    if ((vertices += spec.height_fields[k].heights.size()) > most)
      return TooMany(absl::StrCat("height_fields[", k, "].heights"), vertices, "vertices",
                     most);
  for (size_t k = 0; k < spec.meshes.size(); ++k) {
    if ((vertices += spec.meshes[k].positions.size() / 3) > most)
      return TooMany(absl::StrCat("meshes[", k, "].positions"), vertices, "vertices", most);
    if ((triangles += spec.meshes[k].triangles.size() / 3) > 2 * most)
      return TooMany(absl::StrCat("meshes[", k, "].triangles"), triangles, "triangles",
                     2 * most);
  }
  return absl::OkStatus();
}

template <class T>
absl::Status CheckEach(absl::string_view field, const std::vector<T>& parts) {
  for (size_t k = 0; k < parts.size(); ++k)
    if (absl::Status status = Check(parts[k]); !status.ok())
      return Under(absl::StrCat(field, "[", k, "]"), status);
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckTerrain(const TerrainSpec& spec, const TerrainLimits& limits) {
  if (absl::Status status = CheckCounts(spec, limits); !status.ok()) return status;
  if (absl::Status status = CheckEach("planes", spec.planes); !status.ok()) return status;
  if (absl::Status status = CheckEach("height_fields", spec.height_fields); !status.ok())
    return status;
  return CheckEach("meshes", spec.meshes);
}

}  // namespace ikstream
