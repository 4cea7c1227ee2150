// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// What a Solver says of a slice of frames, chain by chain: sized once, then put into messages
// and counted. Not thread-safe.
#pragma once

#include <span>
#include <vector>

#include "core/solve.h"
#include "ikstream/v1/motion.pb.h"
#include "session/session.h"

namespace ikstream {

class SliceAnswers {
 public:
  // `most`: frames of a slice at most.
  SliceAnswers(const Rig& rig, int most);

  // For Solver::Solve.
  std::span<const ChainResults> results() const { return results_; }

  // The joints whose angular velocities are answered, each once.
  std::span<const int> velocity_joints() const { return velocity_joints_; }

  // Appends frames [begin, begin + count) of the slice to the chains and velocities of `out`.
  // `targets`: what the slice was asked for.
  void AppendTo(v1::MotionResult& out, int begin, int count,
                std::span<const ChainTargets> targets) const;

  // What chain `c` did on the first `count` frames; raises `worst_residual`.
  WorkStats::Chain Count(size_t c, int count, float& worst_residual) const;

 private:
  struct Arrays {
    std::vector<SolveStatus> statuses;
    std::vector<std::int32_t> iterations;
    std::vector<float> residuals, angles, velocities;
  };
  // Where the velocity of one of velocity_joints() stands.
  struct Source {
    size_t chain, place;
  };

  void AppendVelocities(v1::MotionResult& out, int begin, int count) const;

  const Rig& rig_;
  std::vector<Arrays> arrays_;
  std::vector<ChainResults> results_;
  std::vector<int> velocity_joints_;
  std::vector<Source> velocity_sources_;
};

}  // namespace ikstream
