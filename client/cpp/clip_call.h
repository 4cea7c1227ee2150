// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Sends one clip through a stream, reading and writing at the same time, and starts it over
// where the server goes away, drains or is full: the clip is the unit of retry. Memory is
// bounded by the batches in flight, whatever the clip's length.
#pragma once

#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cpp/cancellation.h"
#include "cpp/engine.h"

namespace ikstream::client {

// Where frames come from. Used by one thread at a time, not the thread of the sink.
class ClipSource {
 public:
  virtual ~ClipSource() = default;
  // Back to the first frame.
  virtual absl::Status Rewind() = 0;
  // Fills `motion` with the next frames, at most `max_frames`. False: there are no more.
  virtual absl::StatusOr<bool> Next(int max_frames, v1::Motion& motion) = 0;
};

// Where replies go, in order, on the thread that runs the clip.
class ClipSink {
 public:
  virtual ~ClipSink() = default;
  // A call was taken: before its replies, again for each attempt. Forget what came before.
  virtual absl::Status Begin(const v1::StreamReady& ready) = 0;
  // Not `ready`. An error ends the clip.
  virtual absl::Status Take(ClipStream::Reply reply) = 0;
};

struct ClipCall {
  v1::Setup setup;
  const v1::Plan* plan = nullptr;  // sent in parts after the setup; may be null
  int frame_bytes = 0;             // of one frame on the wire; sizes the batches
  int max_batch_frames = 0;        // 0: as many as the engine takes and 1 MiB holds
};

struct RetryPolicy {
  int max_attempts = 6;
  absl::Duration first_delay = absl::Milliseconds(250);
  absl::Duration max_delay = absl::Seconds(20);
  // An attempt without a reply for this long, up to twice as long, is given up and counts as
  // transient. Zero: never.
  absl::Duration stall = absl::Seconds(30);
  // Told before each new attempt: why, and after how long.
  std::function<void(const absl::Status&, absl::Duration)> on_retry = {};
};

// Runs `call` to its end. Transient errors (errors.h) are retried; every other one is returned,
// CANCELLED where `cancellation` says so. Thread-safe for different sources and sinks.
absl::Status RunClip(Engine& engine, const ClipCall& call, ClipSource& source, ClipSink& sink,
                     const RetryPolicy& retry, Cancellation& cancellation);

}  // namespace ikstream::client
