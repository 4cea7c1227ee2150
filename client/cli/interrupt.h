// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Ctrl-C and SIGTERM.
#pragma once

#include "cpp/cancellation.h"

namespace ikstream::cli {

// From now on these signals cancel `cancellation`, which lives as long as the program, and do
// nothing else. Call it before any thread is started.
void CancelOnSignals(client::Cancellation& cancellation);

}  // namespace ikstream::cli
