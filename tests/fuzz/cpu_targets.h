// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The CPU targets by which one scene is solved in one process.
#pragma once

#include <string>
#include <vector>

#include "core/solve.h"

namespace ikstream::fuzz {

// What this build has for this machine, from wide to narrow; those without fused multiply-add
// come last. A build for one CPU has its own target alone. Leaves the target in use pinned.
inline std::vector<std::string> CpuTargets() {
  const std::string usual = CpuTarget();
  std::vector<std::string> found;
  for (const char* target : {"AVX3", "AVX2", "NEON", "SSE4", "SSE2", "EMU128"})
    if (PinCpuTarget(target).ok()) found.emplace_back(target);
  if (found.empty() || !PinCpuTarget(usual).ok()) return {usual};
  return found;
}

// All targets with it give the same bits.
inline bool HasFusedMultiplyAdd(const std::string& target) {
  return target != "SSE4" && target != "SSE2" && target != "EMU128";
}

}  // namespace ikstream::fuzz
