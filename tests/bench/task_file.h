// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Task files (*.ikt) and result files (*.ikr) of tests/bench; formats in gen_tasks.py and
// judge.py. Little-endian machines only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ikstream::bench {

struct TaskFile {
  int bones = 0, tasks = 0, max_iterations = 0;
  double reach = 0, tolerance = 0, cone = 0;
  std::vector<double> lengths;
  std::vector<float> rotations;  // 4 per bone and task, local, x y z w
  std::vector<float> positions;  // 3 per joint and end, and task: the start pose
  std::vector<float> targets;    // 3 per task
};

struct ResultFile {
  std::vector<double> seconds;     // one pass over all tasks, each repetition
  std::vector<double> iterations;  // per task
  std::vector<double> positions;   // 3 per joint and end, and task
};

// Ends the program with a message where the file is not what it should be.
TaskFile ReadTasks(const std::string& path);
// Makes it `count` tasks: the first ones, or all of them over and over.
void Repeat(TaskFile& file, int count);
void WriteResult(const std::string& path, const TaskFile& tasks, const ResultFile& result);

}  // namespace ikstream::bench
