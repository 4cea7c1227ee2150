// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// FABRIK and CCD as textbooks give them: one chain at a time, float, positions in and out, no
// limits. What the lanes are measured against.
#pragma once

#include "task_file.h"

namespace ikstream::bench {

// One pass over all tasks. `positions` holds the start poses and then the answers.
using TextbookLoop = void (*)(const TaskFile& tasks, float* positions, int* iterations);
void TextbookFabrik(const TaskFile& tasks, float* positions, int* iterations);
void TextbookCcd(const TaskFile& tasks, float* positions, int* iterations);

}  // namespace ikstream::bench
