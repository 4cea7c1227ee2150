// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// A plain reference in double precision that judges answers: how far a rotation is outside its
// joint's limit, and the rotation inside that stands for it, worked out from angles rather than
// from the solvers' half-angle forms.
#pragma once

#include <optional>

#include "core/bounds.h"
#include "core/math.h"

namespace ikstream {

// Radians outside the limit; 0 inside. `bone` is the joint's bone in the rest pose.
double Outside(const JointLimit& limit, Quatd rest, Vec3d bone, Quatd local);

// The rotation put inside the limit by the limit's own terms: twist, swing and angles each to
// the nearest that is allowed. Empty where rounding decides which that is (a turn by half a
// circle, two ends equally far).
std::optional<Quatd> NearestInside(const JointLimit& limit, Quatd rest, Vec3d bone,
                                   Quatd local);

}  // namespace ikstream
