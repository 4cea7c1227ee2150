// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// One step of each solver as its paper has it, in double precision, over the positions of a
// chain without limits: p[0] is the root, p.back() the end, bones as long as they are.
#pragma once

#include <vector>

#include "core/math.h"

namespace ikstream {

using Positions = std::vector<Vec3d>;

// The law of cosines: the end on the target, or as near as the bones allow; the middle on the
// side to which it was bent, the plane turned by the shortest arc. REQUIRES: three positions,
// bent.
Positions PlainTwoBone(const Positions& p, Vec3d target);

// One pass from the target to the root and one back (Aristidou and Lasenby 2011).
Positions PlainFabrik(const Positions& p, Vec3d target);

// One sweep, from the end to the root: every joint turns all that hangs on it so that the end
// points at the target (Wang and Chen 1991).
Positions PlainCcd(const Positions& p, Vec3d target);

// One step of damped least squares (Wampler 1986) with joints that turn about every axis, the
// more easily the fewer bones they move (W: 1 / their number): turns
// W J^T (J W J^T + damping)^-1 e, the damping a share of the trace of J W J^T, the error cut to
// `longest`. A joint's turn v, summed over the joints above, is taken as the rotation with
// tan(angle / 2) = |v| / 2.
Positions PlainLeastSquares(const Positions& p, Vec3d target, double damping, double longest);

}  // namespace ikstream
