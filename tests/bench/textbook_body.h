// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Damped least squares for a whole body as textbooks give it (Buss 2004): the full Jacobian,
// J J^T + lambda^2 1 by Cholesky, one pose at a time, no limits. What the lanes are measured
// against.
#pragma once

#include "unit/core/body_scenes.h"

namespace ikstream::bench {

SolvedBody TextbookBody(const BodyScene& scene, int max_iterations);

}  // namespace ikstream::bench
