// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The chain of a task file as a rig of one chain: bones along +Y, an end joint that does not
// turn, cones where the file has them.
#pragma once

#include <memory>
#include <string>

#include "core/rig.h"
#include "task_file.h"

namespace ikstream::bench {

// Ends the program with a message where `solver` does not take the chain.
std::shared_ptr<const Rig> MakeTaskRig(const TaskFile& tasks, const std::string& solver);

}  // namespace ikstream::bench
