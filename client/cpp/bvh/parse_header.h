// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The part of a BVH file before its first row. Internal to the reader.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "cpp/bvh/bvh.h"
#include "cpp/bvh/position.h"
#include "cpp/bvh/read.h"
#include "cpp/bvh/source.h"

namespace ikstream::bvh {

struct ParsedHeader {
  Header header;
  std::int64_t next_line = 1;  // the line that the source now begins with
};

// Consumes the header and the blank lines after it from the source.
absl::StatusOr<ParsedHeader> ParseHeader(const ReadOptions& options, Source* source,
                                         Reporter* reporter);

}  // namespace ikstream::bvh
