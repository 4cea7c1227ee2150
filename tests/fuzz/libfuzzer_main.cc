// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include <cstddef>
#include <cstdint>

#include "fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ikstream::fuzz::FuzzOne({data, size});
  return 0;
}
