// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The list of solvers. A new one is a source file in core/solvers/ and a line in
// core/solvers/list.inc; nothing else names solvers.
#pragma once

#include <span>

#include "absl/status/status.h"
#include "core/rig.h"

namespace ikstream {

struct ChainJob;
class LaneSpace;

struct SolverEntry {
  const char* name;
  const char* text;  // for GetServerInfo
  // Says why a chain cannot be solved by it, naming a field of the chain; OK where it can.
  absl::Status (*check)(const Chain& chain);
  // Solves the job's frames. No allocation once `space` has grown to the chain's size.
  void (*run)(const ChainJob& job, LaneSpace& space);
  bool planar = false;  // takes planar chains too
};

// Whether a chain can be solved by it; errors name a field of the chain.
absl::Status CheckFit(const SolverEntry& entry, const Chain& chain);

// In the order of list.inc.
std::span<const SolverEntry> SolverEntries();
// The index of a name, -1 where there is none.
int FindSolver(absl::string_view name);

// For solvers that take every chain.
inline absl::Status TakesAnyChain(const Chain&) { return absl::OkStatus(); }

}  // namespace ikstream
