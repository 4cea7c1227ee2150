// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/solve.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "core/chain_state.h"

namespace ikstream {

struct Solver::State {
  std::shared_ptr<const Rig> rig;
  LaneSpace space;
  std::vector<ChainState> chains;
};

Solver::Solver(std::shared_ptr<const Rig> rig) : state_(std::make_unique<State>()) {
  state_->rig = std::move(rig);
  for (const Chain& chain : state_->rig->chains())
    state_->chains.emplace_back(*state_->rig, chain);
}

Solver::~Solver() = default;

void Solver::Reset() {
  for (ChainState& chain : state_->chains) chain.Reset();
}

void Solver::Solve(const MotionView& motion, std::span<const ChainTargets> targets,
                   float* rotations_out, std::span<const ChainResults> results) {
  const Rig& rig = *state_->rig;
  const auto count = static_cast<size_t>(motion.frames) * rig.skeleton().size() * 4;
  if (count == 0) return;
  std::memcpy(rotations_out, motion.local_rotations, count * sizeof(float));
  for (int i : rig.solve_order()) {
    const auto c = static_cast<size_t>(i);
    state_->chains[c].Solve(motion, targets[c], rotations_out, results[c], state_->space);
  }
  for (size_t c = 0; c < state_->chains.size(); ++c)
    if (results[c].angular_velocities != nullptr)
      state_->chains[c].AngularVelocities(rotations_out, motion.frames,
                                          results[c].angular_velocities);
}

}  // namespace ikstream
