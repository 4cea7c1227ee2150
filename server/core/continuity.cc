// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/continuity.h"

namespace ikstream {

Quatf JointContinuity::Part(Quatf d, float w, Quatf input) {
  return Normalized(PartOfTurn(d, w) * Normalized(input));
}

}  // namespace ikstream
