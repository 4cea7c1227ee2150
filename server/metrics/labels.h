// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The labels of our metrics. Each takes its values from a closed set that is known at start;
// never an id, a name that a caller chose, or a peer.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace ikstream {

enum class Method { kSolve, kSolveClip, kSolveStream, kTrace, kGetServerInfo };
enum class Direction { kReceived, kSent };
enum class PriorityClass { kInteractive, kBulk };
enum class Rejection { kQueueFull, kStreamsFull, kTooLarge, kDraining, kUnauthenticated };
// Numbers follow ikstream.v1.ChainResult.Status, from 1.
enum class Outcome {
  kConverged,
  kUnreachable,
  kTooClose,
  kLimited,
  kStalled,
  kIterationLimit,
  kSkipped
};
enum class Stage { kBefore, kAfter };
// An index in the list of solvers.
struct SolverIndex {
  int value = 0;
};
using Code = absl::StatusCode;

// What only the start knows.
struct LabelSets {
  std::vector<std::string> solvers;
  std::string version;
  std::string cpu_target;
};

// A label: its name, and its values in the order of the enum's numbers.
struct Label {
  std::string name;
  std::vector<std::string> values;
};

// One overload per label; the argument only picks it.
Label LabelOf(Method, const LabelSets&);
Label LabelOf(Direction, const LabelSets&);
Label LabelOf(PriorityClass, const LabelSets&);
Label LabelOf(Rejection, const LabelSets&);
Label LabelOf(Outcome, const LabelSets&);
Label LabelOf(Stage, const LabelSets&);
Label LabelOf(SolverIndex, const LabelSets&);
Label LabelOf(Code, const LabelSets&);

template <typename L>
int IndexOf(L label) {
  return static_cast<int>(label);
}
inline int IndexOf(SolverIndex solver) { return solver.value; }

}  // namespace ikstream
