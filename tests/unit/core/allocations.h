// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Counts allocations of the test binary: allocations.cc replaces new and delete.
#pragma once

namespace ikstream {

// How often memory was allocated so far, by all threads.
long Allocations();
// Not under the address sanitizer, which replaces new itself.
bool CountsAllocations();

}  // namespace ikstream
