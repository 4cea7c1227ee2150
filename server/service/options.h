// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "session/session.h"

namespace ikstream {

// Bounds of calls. Every one is told or enforced; none is on the wire as a promise of speed.
struct ServiceOptions {
  Limits limits;
  // Streams (SolveStream, SolveClip) at once.
  int max_streams = 256;
  // Messages of one stream that may wait for, or be in, a worker before reading pauses.
  int batches_in_flight = 2;
  // Answers of one stream that the client has not taken before reading pauses.
  std::int64_t max_output_bytes = 4LL << 20;
  // The most that Solve, SolveClip and Trace may take from begin to end; 0: what the client
  // allows.
  std::chrono::milliseconds max_call_time{0};
  // What callers must send as `authorization: Bearer ...`; empty: nothing is asked.
  std::string bearer_token;
};

}  // namespace ikstream
