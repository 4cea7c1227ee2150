// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Judges answers by their positions alone.
#pragma once

#include "task_file.h"

namespace ikstream::bench {

struct Judged {
  double converged = 0;  // share whose end is within the tolerance of the target
  double outside = 0;    // share that leaves a cone by more than 2e-4 rad
  double moved = 0;      // of the joints from the start pose: mean RMS / reach
};

Judged Judge(const TaskFile& tasks, const ResultFile& result);

}  // namespace ikstream::bench
