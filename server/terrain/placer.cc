// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "terrain/placer.h"

#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "core/field_error.h"
#include "terrain/foot_geometry.h"
#include "terrain/place_run.h"

namespace ikstream {
namespace {

// A leg this long stands for a metre where the caller does not say what a unit is.
constexpr double kUsualLegMetres = 0.85;
constexpr double kMostFramesPerSecond = 10000;

ChainSpec LegChain(const PlaceFoot& foot) {
  ChainSpec chain;
  chain.name = foot.name;
  chain.root_joint = foot.hip_joint;
  chain.end_joint = foot.ankle_joint;
  if (!foot.solver.empty()) chain.solver = foot.solver;
  chain.pole.kind = PoleKind::kDirection;
  chain.keep_end_rotation = true;
  return chain;
}

// Errors of the legs' chains are told as the feet's.
absl::Status AsFootError(const absl::Status& status) {
  std::string field = FieldOf(status);
  if (field.rfind("chains[", 0) != 0) return status;
  field.replace(0, 6, "feet");
  return absl::Status(FieldError(
      status.code(), field, std::string(status.message()).substr(FieldOf(status).size() + 2)));
}

// No joint may be turned for two feet.
absl::Status CheckShared(const std::vector<FootGeometry>& feet, int joints) {
  std::vector<int> owner(joints, -1);
  for (size_t k = 0; k < feet.size(); ++k) {
    std::vector<int> own = feet[k].leg;
    if (feet[k].toe >= 0) own.push_back(feet[k].toe);
    for (int joint : own) {
      if (owner[joint] >= 0)
        return FieldError(absl::StrCat("feet[", k, "]"),
                          absl::StrCat("shares joint ", joint, " with feet[", owner[joint],
                                       "]: each foot needs a leg of its own"));
      owner[joint] = static_cast<int>(k);
    }
  }
  return absl::OkStatus();
}

// The toe is turned outside the solver, which alone knows limits: one that has a limit keeps
// the rotation that was sent.
void KeepLimitedToes(const PlacerSpec& spec, std::vector<FootGeometry>& feet) {
  if (spec.rig.limits.empty()) return;
  for (FootGeometry& foot : feet)
    foot.turns_toe =
        foot.turns_toe && std::holds_alternative<std::monostate>(spec.rig.limits[foot.toe]);
}

absl::StatusOr<double> UnitsOf(const PlacerSpec& spec, const std::vector<FootGeometry>& feet) {
  if (spec.units_per_metre) {
    if (std::isfinite(*spec.units_per_metre) && *spec.units_per_metre > 0)
      return *spec.units_per_metre;
    return FieldError("units_per_metre", "must be finite and greater than 0");
  }
  double mean = 0;
  for (const FootGeometry& foot : feet) mean += foot.length / static_cast<double>(feet.size());
  return mean / kUsualLegMetres;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Placer>> Placer::Create(PlacerSpec spec) {
  if (!(spec.frames_per_second > 0 && spec.frames_per_second <= kMostFramesPerSecond))
    return FieldError("frames_per_second", absl::StrCat("must be greater than 0 and at most ",
                                                        kMostFramesPerSecond));
  if (spec.feet.empty()) return FieldError("feet", "is empty: foot placement needs a foot");
  spec.rig.chains.clear();
  for (const PlaceFoot& foot : spec.feet) spec.rig.chains.push_back(LegChain(foot));
  auto skeleton = Skeleton::Create(spec.rig.joints);
  if (!skeleton.ok()) return Under("skeleton", skeleton.status());
  std::vector<FootGeometry> feet;
  for (size_t k = 0; k < spec.feet.size(); ++k) {
    auto foot = MeasureFoot(*skeleton, spec.feet[k], spec.rig.up);
    if (!foot.ok()) return Under(absl::StrCat("feet[", k, "]"), foot.status());
    feet.push_back(*std::move(foot));
  }
  if (absl::Status status = CheckShared(feet, skeleton->size()); !status.ok()) return status;
  const auto units = UnitsOf(spec, feet);
  if (!units.ok()) return units.status();
  auto rig = Rig::Create(spec.rig);
  if (!rig.ok()) return AsFootError(rig.status());
  KeepLimitedToes(spec, feet);
  return std::make_unique<PlaceRun>(
      std::move(spec), std::make_shared<const Rig>(*std::move(rig)), std::move(feet), *units);
}

}  // namespace ikstream
