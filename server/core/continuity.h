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

#include "core/math.h"

namespace ikstream {

class JointContinuity {
 public:
  // The answer of a joint-frame that was solved. Inline: it runs for every joint and frame.
  Quatf Blend(Quatf input, Quatf solved, float weight) {
    Quatf d = solved * Conjugate(input);
    if (active_ ? Dot(d, d_) < 0 : d.w < 0) d = -d, solved = -solved;
    if (d.w < -0.99f) d = -d, solved = -solved;
    Quatf answer = weight == 1 ? solved : Part(d, weight, input);
    if (active_ && Dot(answer, answer_) < 0) answer = -answer;
    d_ = d;
    answer_ = answer;
    active_ = true;
    return answer;
  }
  // A joint-frame that was not.
  void Skip() { active_ = false; }

 private:
  // slerp(1, d, w) * input: w of the whole turn of d, the long way where d.w < 0.
  static Quatf Part(Quatf d, float w, Quatf input);

  bool active_ = false;
  Quatf d_, answer_;
};

}  // namespace ikstream
