// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "task_file.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

namespace ikstream::bench {
namespace {

[[noreturn]] void Fail(const std::string& path, const char* what) {
  std::fprintf(stderr, "%s: %s\n", path.c_str(), what);
  std::exit(1);
}

template <class T>
T Take(const std::string& raw, size_t& at) {
  T value;
  std::memcpy(&value, raw.data() + at, sizeof(T));
  at += sizeof(T);
  return value;
}

void TakeFloats(const std::string& raw, size_t& at, size_t count, std::vector<float>& out) {
  for (size_t i = 0; i < count; ++i) out.push_back(static_cast<float>(Take<double>(raw, at)));
}

}  // namespace

TaskFile ReadTasks(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string raw((std::istreambuf_iterator<char>(in)), {});
  if (raw.size() < 48 || raw.compare(0, 8, "IKTASK01") != 0) Fail(path, "not a task file");
  size_t at = 8;
  TaskFile file;
  file.bones = static_cast<int>(Take<std::uint32_t>(raw, at));
  file.tasks = static_cast<int>(Take<std::uint32_t>(raw, at));
  file.max_iterations = static_cast<int>(Take<std::uint32_t>(raw, at));
  at += 4;
  file.reach = Take<double>(raw, at);
  file.tolerance = Take<double>(raw, at);
  file.cone = Take<double>(raw, at);
  const auto bones = static_cast<size_t>(file.bones), tasks = static_cast<size_t>(file.tasks);
  const size_t numbers = 7 * bones + 6;
  if (raw.size() != 48 + 8 * (bones + tasks * numbers)) Fail(path, "has the wrong size");
  for (size_t i = 0; i < bones; ++i) file.lengths.push_back(Take<double>(raw, at));
  for (size_t t = 0; t < tasks; ++t) {
    TakeFloats(raw, at, 4 * bones, file.rotations);
    TakeFloats(raw, at, 3 * (bones + 1), file.positions);
    TakeFloats(raw, at, 3, file.targets);
  }
  return file;
}

void Repeat(TaskFile& file, int count) {
  for (auto* part : {&file.rotations, &file.positions, &file.targets}) {
    const size_t size = part->size(), task = size / static_cast<size_t>(file.tasks);
    part->resize(task * static_cast<size_t>(count));
    for (size_t i = size; i < part->size(); ++i) (*part)[i] = (*part)[i - size];
  }
  file.tasks = count;
}

void WriteResult(const std::string& path, const TaskFile& tasks, const ResultFile& result) {
  std::ofstream out(path, std::ios::binary);
  const std::uint32_t head[] = {static_cast<std::uint32_t>(tasks.tasks),
                                static_cast<std::uint32_t>(tasks.bones),
                                static_cast<std::uint32_t>(result.seconds.size())};
  out.write(reinterpret_cast<const char*>(head), sizeof(head));
  for (const auto* part : {&result.seconds, &result.iterations, &result.positions})
    out.write(reinterpret_cast<const char*>(part->data()),
              static_cast<std::streamsize>(part->size() * sizeof(double)));
  if (!out.flush()) Fail(path, "cannot be written");
}

}  // namespace ikstream::bench
