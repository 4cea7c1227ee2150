// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The default: picks a solver by the chain and finishes what it left by the jacobian.
#include "core/passes.h"
#include "core/solve.h"
#include "core/solver_list.h"

namespace ikstream {
namespace {

const SolverEntry& Named(const char* name) {
  return SolverEntries()[static_cast<size_t>(FindSolver(name))];
}

// Iterations of fabrik before the jacobian takes over. Fixed, so that more iterations only add
// to what fewer would do. Under limits one keeps the joints as near to the input pose as four
// would (tests/bench, T5), and the jacobian then needs fewer.
constexpr int kFreeStart = 12;
constexpr int kLimitedStart = 1;

void Run(const ChainJob& job, LaneSpace& space) {
  static const SolverEntry& two_bone = Named("two_bone");
  static const SolverEntry& fabrik = Named("fabrik");
  static const SolverEntry& jacobian = Named("jacobian");
  if (job.chain->two_bones)
    SolveAndFinish(two_bone.run, 1, jacobian.run, job, space);
  else
    SolveAndFinish(fabrik.run, job.chain->limited ? kLimitedStart : kFreeStart, jacobian.run,
                   job, space);
}

}  // namespace

SolverEntry AutoSolver() {
  return {"auto", "two_bone where it fits, else fabrik; stalls are finished by the jacobian.",
          TakesAnyChain, Run, /*planar=*/true};
}

}  // namespace ikstream
