// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// A fuzz target: one function over bytes. libFuzzer calls it (tests/fuzz/libfuzzer_main.cc),
// and the tests call it for every file of its corpus (tests/fuzz/replay_main.cc).
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>

#include "absl/strings/str_cat.h"

namespace ikstream::fuzz {

// Defined by each target. Ends the process where a promise is broken.
void FuzzOne(std::span<const std::uint8_t> data);

// Says what was promised and ends the process: libFuzzer then keeps the input.
template <class... Args>
void Require(bool holds, const Args&... what) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", absl::StrCat(what...).c_str());
  std::abort();
}

}  // namespace ikstream::fuzz
