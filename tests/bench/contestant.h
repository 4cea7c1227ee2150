// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// What ik_tasks lets run over the tasks of a file, each in its own way.
#pragma once

#include <memory>
#include <string>

#include "task_file.h"

namespace ikstream::bench {

class Contestant {
 public:
  virtual ~Contestant() = default;
  // Not timed: what a pass needs anew.
  virtual void Prepare() {}
  // Timed: every task from its start pose once, `batch` of them a call.
  virtual void Pass() = 0;
  // Fills positions and iterations from the last pass.
  virtual void Fill(ResultFile& result) const = 0;
  // What the solver says of itself; empty where it says nothing.
  virtual std::string Says() const { return ""; }
};

// The loops of textbook.h: `textbook_fabrik`, `textbook_ccd`. Null for other names.
std::unique_ptr<Contestant> MakeTextbook(const TaskFile& tasks, const std::string& name);
// The lanes from positions to positions, as the textbook's loops work, for chains without
// limits: two_bone, fabrik, ccd. Null for other solvers and tasks.
std::unique_ptr<Contestant> MakePoints(const TaskFile& tasks, const std::string& solver,
                                       int batch);
// Packed rotations to packed rotations. `whole`: by Solver::Solve; else the solver of the list
// alone.
std::unique_ptr<Contestant> MakePoses(const TaskFile& tasks, const std::string& solver,
                                      int batch, bool whole);

}  // namespace ikstream::bench
