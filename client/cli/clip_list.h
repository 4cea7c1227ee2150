// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Which clips a run is about, and where their results go.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/clean_clip.h"

namespace ikstream::cli {

// "I/N": the I-th of N shards, from 0.
struct Shard {
  std::int64_t index = 0;
  std::int64_t count = 1;
};
absl::StatusOr<Shard> ParseShard(const std::string& text);

struct ClipListOptions {
  // Clips (.bvh), folders (searched for .bvh), or text files with a path on each line.
  std::vector<std::string> inputs;
  std::string output = {};  // a file for one clip, else a folder
  bool in_place = false;
  Shard shard = {};
};

struct ClipList {
  std::vector<CleanJob> jobs;  // sorted byte-wise by input; without plans, reports and plots
  bool single = false;         // one clip was named by itself: `output` is a file
};

// Keeps the tree below the inputs' common folder. Usage errors: no clip, two clips with one
// output, an output that is its own input without `in_place`. Creates nothing.
absl::StatusOr<ClipList> ListClips(const ClipListOptions& options);

}  // namespace ikstream::cli
