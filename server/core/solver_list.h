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

struct BodyJob;
struct ChainJob;
class LaneSpace;

// What a solver brings to its target: the chain's end, a line from it, or the ends of several
// chains at once.
enum class SolverKind { kReach, kAim, kBody };

struct SolverEntry {
  const char* name;
  const char* text;  // for GetServerInfo
  // Says why a chain cannot be solved by it, naming a field of the chain; OK where it can.
  absl::Status (*check)(const Chain& chain);
  // Solves the job's frames. No allocation once `space` has grown to the chain's size. Null
  // where run_group solves.
  void (*run)(const ChainJob& job, LaneSpace& space);
  bool planar = false;  // takes planar chains too
  SolverKind kind = SolverKind::kReach;
  // MeasureFrames (core/measure.h) for its chains. Null: by the distance of the end.
  void (*measure)(const ChainJob& job, LaneSpace& space) = nullptr;
  // kBody: solves the job's items, all chains of a group at once.
  void (*run_group)(const BodyJob& job, LaneSpace& space) = nullptr;
};

// Whether a chain can be solved by it; errors name a field of the chain.
absl::Status CheckFit(const SolverEntry& entry, const Chain& chain);

// In the order of list.inc.
std::span<const SolverEntry> SolverEntries();

// For solvers that take every chain.
inline absl::Status TakesAnyChain(const Chain&) { return absl::OkStatus(); }

}  // namespace ikstream
