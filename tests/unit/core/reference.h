// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// A plain reference in double precision that judges answers: how far a rotation is outside its
// joint's limit, worked out from angles rather than from the solvers' half-angle forms.
#pragma once

#include "core/bounds.h"
#include "core/math.h"

namespace ikstream {

// Radians outside the limit; 0 inside. `bone` is the joint's bone in the rest pose.
double Outside(const JointLimit& limit, Quatd rest, Vec3d bone, Quatd local);

}  // namespace ikstream
