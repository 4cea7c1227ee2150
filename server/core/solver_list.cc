// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/solver_list.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "core/field_error.h"
#include "core/solve.h"

namespace ikstream {

#define IKSTREAM_SOLVER(entry) SolverEntry entry();
#include "core/solvers/list.inc"
#undef IKSTREAM_SOLVER

std::span<const SolverEntry> SolverEntries() {
  static const auto& entries = *new std::vector<SolverEntry>{
#define IKSTREAM_SOLVER(entry) entry(),
#include "core/solvers/list.inc"
#undef IKSTREAM_SOLVER
  };
  return entries;
}

absl::Status CheckFit(const SolverEntry& entry, const Chain& chain) {
  if (chain.plane && !entry.planar)
    return FieldError("plane_normal",
                      absl::StrCat(entry.name, " turns joints about every axis: not planar"));
  return entry.check(chain);
}

int FindSolver(absl::string_view name) {
  const auto entries = SolverEntries();
  for (size_t i = 0; i < entries.size(); ++i)
    if (name == entries[i].name) return static_cast<int>(i);
  return -1;
}

std::span<const SolverText> Solvers() {
  static const auto& texts = *[] {
    auto* list = new std::vector<SolverText>;
    for (const SolverEntry& entry : SolverEntries()) list->push_back({entry.name, entry.text});
    return list;
  }();
  return texts;
}

}  // namespace ikstream
