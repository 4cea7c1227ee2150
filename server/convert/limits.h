// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// What is too much. Told by GetServerInfo, enforced before any work.
#pragma once

#include <cstdint>

namespace ikstream {

struct Limits {
  int max_joints = 4096;
  int max_chains = 256;
  int max_batch_frames = 65536;
  int max_iterations = 1000;
  std::int64_t max_message_bytes = 64LL << 20;
  std::int64_t max_plan_frames = 4'000'000;
  int max_colliders = 1024;
  int max_feet = 64;
  int max_terrain_vertices = 1'000'000;
  // The answer of a unary call: clients receive no more by default.
  std::int64_t max_unary_reply_bytes = 4LL << 20;
  // Replies of a stream are cut to this.
  std::int64_t max_reply_bytes = 1LL << 20;
};

}  // namespace ikstream
