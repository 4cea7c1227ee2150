// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Runs a target over the files of a folder, in the order of their names, and over every file's
// beginnings: a test that needs no fuzzer.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "fuzz/target.h"

namespace {

std::vector<std::uint8_t> ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1]))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  if (paths.empty()) {
    std::fprintf(stderr, "%s holds no file\n", argv[1]);
    return 2;
  }
  size_t runs = 0;
  for (const auto& path : paths) {
    const std::vector<std::uint8_t> data = ReadFile(path);
    std::fprintf(stderr, "%s (%zu bytes)\n", path.c_str(), data.size());
    ikstream::fuzz::FuzzOne(data);
    ikstream::fuzz::FuzzOne(std::span(data).first(data.size() / 2));
    runs += 2;
  }
  std::printf("%zu inputs, no broken promise\n", runs);
  return 0;
}
