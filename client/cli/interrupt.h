// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Ctrl-C and SIGTERM.
#pragma once

#include "cpp/cancellation.h"

namespace ikstream::cli {

// From now on the first of these signals cancels `cancellation`, which lives as long as the
// program; the second ends the program at once, which may leave a file of a temporary name but
// none that is half of what it should be. Call it before any thread is started.
void CancelOnSignals(client::Cancellation& cancellation);

}  // namespace ikstream::cli
