// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The blend by weight, and the signs that must not jump from frame to frame: a serial pass
// after the lanes.
//
// With d = solved * conj(input), the answer is slerp(1, d, w) * input. d keeps the side of the
// d before; at first, after a joint-frame that was not solved, and at d.w < -0.99, d.w >= 0.
// The answer's sign then follows the answer before.
#pragma once

#include <vector>

#include "core/math.h"

namespace ikstream {

class JointContinuity {
 public:
  // The answer of a joint-frame that was solved.
  Quatf Blend(Quatf input, Quatf solved, float weight);
  // A joint-frame that was not.
  void Skip() { active_ = false; }

 private:
  bool active_ = false;
  Quatf d_, answer_;
};

}  // namespace ikstream
