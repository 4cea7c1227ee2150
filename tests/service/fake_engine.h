// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// An engine that solves nothing: it answers each frame with what was sent, and misbehaves as
// the setup's `profile` asks, by words separated by spaces:
//   work_ms=N      each batch takes N ms, unless it is stopped
//   fail_at=N      frame N is in error; frames before it are answered
//   reply_bytes=N  each reply is padded to N bytes (answers larger than they may be)
//   quality        the summary reports a clean-up of one foot
// A frame_count below 0 or above 1000 is an error of the setup.
#pragma once

#include <atomic>

#include "service/engine.h"

namespace ikstream::testing {

// What all fake sessions of a process do at the moment.
struct FakeCounts {
  std::atomic<int> sessions{0};                        // alive
  std::atomic<int> working{0};                         // in Push
  std::atomic<Stop::Clock::time_point> last_worked{};  // when a Push ended last
};
FakeCounts& Counts();

Engine FakeEngine();

// A motion of `frames` frames of one joint; frame f's rotation is (first + f, 0, 0, 1), so that
// answers tell their frame.
v1::Motion FakeMotion(int frames, int first = 0);

}  // namespace ikstream::testing
