// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#pragma once

#include "service/engine.h"

namespace ikstream {

// ikstreamd's main over a given engine: reads options, serves until SIGTERM or SIGINT, drains.
// Returns the exit code: 0 ended as asked, 1 could not start or not healthy, 2 usage. A second
// signal ends the process at once with 3.
int RunServer(int argc, const char* const* argv, const Engine& engine);

}  // namespace ikstream
