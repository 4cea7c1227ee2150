// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "convert/terrain.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "convert/values.h"
#include "core/field_error.h"

namespace ikstream {
namespace {

PlaneSpec ToSpec(const v1::Plane& in) {
  return {ToVec3(in.point()), ToVec3(in.normal()), in.platform()};
}

HeightFieldSpec ToSpec(const v1::HeightField& in) {
  HeightFieldSpec out;
  out.origin = ToVec3(in.origin());
  out.cell_i = in.cell_i();
  out.cell_j = in.cell_j();
  out.count_i = in.count_i();
  out.count_j = in.count_j();
  out.heights.assign(in.heights().begin(), in.heights().end());
  out.holes.assign(in.holes().begin(), in.holes().end());
  out.platform = in.platform();
  return out;
}

TriangleMeshSpec ToSpec(const v1::TriangleMesh& in) {
  return {{in.positions().begin(), in.positions().end()},
          {in.triangles().begin(), in.triangles().end()},
          in.platform()};
}

template <class Message, class Spec>
void Append(const google::protobuf::RepeatedPtrField<Message>& in, std::vector<Spec>& out) {
  out.reserve(in.size());
  for (const Message& message : in) out.push_back(ToSpec(message));
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Terrain>> ToTerrain(const v1::Terrain& in, UpAxis up,
                                                         const Limits& limits,
                                                         Warnings& warnings) {
  if (in.planes().empty() && in.height_fields().empty() && in.meshes().empty())
    return FieldError("planes", "the terrain has no surface: leave it unset to fit a floor");
  TerrainLimits most;
  most.max_vertices = limits.max_terrain_vertices;
  // Counted before anything is copied.
  if (absl::Status s = CheckCount(in.planes_size() + in.height_fields_size() + in.meshes_size(),
                                  most.max_surfaces, "planes");
      !s.ok())
    return s;
  TerrainSpec spec;
  Append(in.planes(), spec.planes);
  Append(in.height_fields(), spec.height_fields);
  Append(in.meshes(), spec.meshes);
  std::vector<TerrainWarning> odd;
  auto terrain = Terrain::Create(std::move(spec), up, most, &odd);
  for (const TerrainWarning& w : odd)
    warnings.Add(absl::StrCat("setup.rig.terrain.", w.field), w.message, w.frame, w.count);
  return terrain;
}

}  // namespace ikstream
