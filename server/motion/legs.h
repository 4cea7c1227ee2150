// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Finds the legs of a skeleton by its names and, where names say nothing, by its shape; checks
// and completes the feet that a caller gives. Hands are never found: the caller names them.
// Pure functions, thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/skeleton.h"
#include "motion/foot.h"

namespace ikstream {

struct FoundFeet {
  std::vector<Foot> feet;  // complete: knee, toe (where there is one), sole normal, solver
  std::vector<std::string> text;  // one line per foot; why none, where none was found
};

// Legs of usual rigs: CMU, Mixamo, Xsens, Rokoko, Bandai, LaFAN1, SMPL, Rigify, Unreal, Biped
// and their like; paws and hoofs of quadrupeds by name. Where no name fits: the branches that
// end lowest in the rest pose, if they come in pairs of equal shape.
FoundFeet FindFeet(const Skeleton& skeleton, UpAxis up);

// Fills what the caller left unset. Errors: a joint out of range, a hip that is no ancestor of
// the ankle with a joint between, a toe that is no descendant, a sole normal that is not
// finite; they name `feet[i].ankle_joint` and so on.
absl::StatusOr<std::vector<Foot>> CompleteFeet(const Skeleton& skeleton, UpAxis up,
                                               std::vector<Foot> feet);

// `given` (completed) first, then those of `found` whose ankle no given foot has.
std::vector<Foot> JoinFeet(std::vector<Foot> given, const std::vector<Foot>& found);

// Length from hip to ankle along the bones' offsets, rig units.
double LegLength(const Skeleton& skeleton, const Foot& foot);

// The end of a joint's bone in its own frame: its tip, or the offset of its farthest child;
// nothing where it has neither.
std::optional<Vec3f> BoneEnd(const Skeleton& skeleton, int joint);

// Within 1e-9..1e9, so that speeds and jerks stay finite. Errors name `units_per_metre`.
absl::Status CheckUnits(double units_per_metre);

// Rig units per metre: `given`, or the mean length of the legs over 0.85. Errors: CheckUnits
// (`units_per_metre`); neither legs nor a value.
absl::StatusOr<double> UnitsPerMetre(const Skeleton& skeleton, const std::vector<Foot>& feet,
                                     std::optional<double> given);

inline constexpr double kLegMetres = 0.85;

}  // namespace ikstream
