// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cpp/clip_call.h"

#include <algorithm>
#include <random>
#include <thread>
#include <utility>

#include "convert/plan.h"
#include "cpp/errors.h"
#include "cpp/watchdog.h"

namespace ikstream::client {
namespace {

constexpr int kBatchBytes = 1 << 20;
constexpr std::int64_t kPartBytes = 1 << 19;

int BatchFrames(const ClipCall& call, const v1::StreamReady& ready) {
  int frames = kBatchBytes / std::max(call.frame_bytes, 1);
  if (ready.max_batch_frames() > 0) frames = std::min(frames, ready.max_batch_frames());
  if (call.max_batch_frames > 0) frames = std::min(frames, call.max_batch_frames);
  return std::max(frames, 1);
}

bool PushPlan(const v1::Plan& plan, ClipStream& stream) {
  for (v1::PlanPart& part : CutPlan(plan, kPartBytes)) {
    v1::SolveStreamRequest request;
    *request.mutable_plan_part() = std::move(part);
    if (!stream.Push(request)) return false;
  }
  return true;
}

// OK also where the call ended early: then the reader knows why.
absl::Status Feed(const ClipCall& call, ClipSource& source, ClipStream& stream) {
  if (call.plan != nullptr && !PushPlan(*call.plan, stream)) return absl::OkStatus();
  const int frames = BatchFrames(call, stream.ready());
  v1::SolveStreamRequest request;
  while (true) {
    auto more = source.Next(frames, *request.mutable_motion());
    if (!more.ok()) return more.status();
    if (!*more) break;
    if (!stream.Push(request)) return absl::OkStatus();
  }
  stream.HalfClose();
  return absl::OkStatus();
}

absl::Status Drain(ClipStream& stream, ClipSink& sink, Watchdog& watchdog) {
  while (true) {
    auto reply = stream.Next();
    watchdog.Feed();
    if (!reply.ok()) return reply.status();
    if (!reply->has_value()) return absl::OkStatus();
    if (absl::Status status = sink.Take(**std::move(reply)); !status.ok()) return status;
  }
}

absl::Status Attempt(Engine& engine, const ClipCall& call, ClipSource& source, ClipSink& sink,
                     absl::Duration stall, Cancellation& cancellation) {
  if (absl::Status status = source.Rewind(); !status.ok()) return status;
  Cancellation attempt;
  const Cancellation::Watch watch(cancellation, [&attempt] { attempt.Cancel(); });
  Watchdog watchdog(stall, [&attempt] { attempt.Cancel(); });
  auto opened = engine.OpenClip(call.setup, attempt);
  if (!opened.ok()) return opened.status();
  watchdog.Feed();
  ClipStream& stream = **opened;
  if (absl::Status status = sink.Begin(stream.ready()); !status.ok()) return status;
  absl::Status fed;
  std::thread writer([&]() {
    fed = Feed(call, source, stream);
    if (!fed.ok()) stream.Cancel();
  });
  absl::Status drained = Drain(stream, sink, watchdog);
  if (!drained.ok()) stream.Cancel();
  writer.join();
  return fed.ok() ? drained : fed;
}

// A call that the caller did not cancel was cancelled by a server that went away.
absl::Status NotCancelled(const absl::Status& status) {
  if (!absl::IsCancelled(status)) return status;
  return absl::UnavailableError("the server left the call, or did not answer in time");
}

// Doubles from attempt to attempt, not below what the server asks for, and spread, so that
// clips refused together do not come back together.
absl::Duration Delay(const RetryPolicy& retry, int attempt, const absl::Status& status) {
  thread_local std::minstd_rand random{std::random_device{}()};
  const absl::Duration grown =
      std::min(retry.first_delay * (1LL << std::min(attempt, 20)), retry.max_delay);
  const absl::Duration asked = RetryDelay(status).value_or(absl::ZeroDuration());
  return std::max(asked, grown) * std::uniform_real_distribution<double>(1.0, 1.5)(random);
}

}  // namespace

absl::Status RunClip(Engine& engine, const ClipCall& call, ClipSource& source, ClipSink& sink,
                     const RetryPolicy& retry, Cancellation& cancellation) {
  for (int attempt = 0;; ++attempt) {
    const absl::Status ended = Attempt(engine, call, source, sink, retry.stall, cancellation);
    if (!ended.ok() && cancellation.cancelled()) return absl::CancelledError("interrupted");
    absl::Status status = NotCancelled(ended);
    if (!IsTransient(status) || attempt + 1 >= retry.max_attempts) return status;
    const absl::Duration delay = Delay(retry, attempt, status);
    if (retry.on_retry) retry.on_retry(status, delay);
    if (!engine.Pause(delay, cancellation)) return absl::CancelledError("interrupted");
  }
}

}  // namespace ikstream::client
