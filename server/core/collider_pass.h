// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// What the lanes and the scalar code around them share when bones are taken out of colliders.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/chain_job.h"

namespace ikstream {

// Shares of the chain's length: what counts as free, rounding included.
inline constexpr float kFreeDepth = 2e-6f;
// Steps without gain before a start is given up.
inline constexpr float kPatience = 10;

// Where to start from.
struct ColliderStart {
  bool from_input = false;  // else from the answer so far
  float swivel = 0;         // turns the root joint about the way to the target, radians
  float scatter = 0;        // turns each joint by up to this angle, in directions by `seed`
  int seed = 0;
};

// A turn that depends on start and joint alone (a hash), by its vector part; w >= 0.
inline Quatf ScatterTurn(const ColliderStart& start, int joint) {
  std::uint32_t state = static_cast<std::uint32_t>(start.seed) * 0x9E3779B9u +
                        static_cast<std::uint32_t>(joint) * 0x85EBCA6Bu + 1;
  float v[3];
  for (float& x : v) {
    state ^= state >> 16, state *= 0x7FEB352Du, state ^= state >> 15, state *= 0x846CA68Bu;
    x = static_cast<float>(state >> 8) * (2.0f / 16777216.0f) - 1;
  }
  const float size = std::sin(start.scatter / 2) / std::sqrt(3.0f);
  const Vec3f u = Vec3f{v[0], v[1], v[2]} * size;
  return {u.x, u.y, u.z, std::sqrt(1 - Dot(u, u))};
}

// The best so far of each frame.
struct ColliderScores {
  const std::int32_t* order;  // of a run's frames, in the arrays below
  float* depths;              // shares of the chain's length
  float* errors;              // squared
  std::int32_t* iterations;
  std::int32_t* states;  // kOpen: none so far meets all; kMet; kForbidden: none can

  enum State : std::int32_t { kOpen, kMet, kForbidden };

  // Whether a pose is better than that of frame i of the run; it is noted then.
  bool Take(int i, float depth, float error, int iteration) const {
    const std::int32_t at = order[i];
    if (!(depth < depths[at] || (depth == depths[at] && error < errors[at]))) return false;
    depths[at] = depth, errors[at] = error, iterations[at] = iteration;
    return true;
  }
};

// What a frame's answer came to, in rig units and radians.
struct ColliderNumbers {
  float error, angle;           // to the softened target; to the goal with its weight
  float residual, asked_angle;  // to what was asked
  float depth, over;            // over: beyond what a root inside makes unavoidable, a share
};

// The outcome of an answer that had to make way.
void SettleOutcome(const Chain& chain, const ColliderNumbers& numbers, FrameOutcome& outcome);

}  // namespace ikstream
