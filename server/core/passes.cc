// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/passes.h"

#include <algorithm>

namespace ikstream {
namespace {

// Areas of LaneSpace that the lanes do not use.
constexpr size_t kKeptArea = 8;
constexpr size_t kFirstList = 0, kFinishList = 1;
constexpr size_t kOutcomeArea = 9;
// What the first solver gets before the finish takes over.
constexpr int kFirstIterations = 12;

size_t RowSize(const ChainJob& job) { return 4 * job.chain->turned.size(); }

// Offsets of joints in rows of `solved`.
const std::ptrdiff_t* PackedOffsets(const Chain& chain) { return chain.packed_offsets.data(); }

bool NeedsFinish(SolveStatus status) {
  return status == SolveStatus::kLimited || status == SolveStatus::kStalled ||
         status == SolveStatus::kIterationLimit;
}

// Puts an earlier answer back where the later one is no nearer to the target.
void KeepNearer(const ChainJob& job, std::span<const std::int32_t> frames, const float* rows,
                const float* residuals, const std::int32_t* numbers) {
  const size_t size = RowSize(job);
  for (size_t i = 0; i < frames.size(); ++i) {
    FrameOutcome& now = job.outcomes[frames[i]];
    if (now.residual < residuals[2 * i] - 0.25f * job.chain->tolerance) continue;
    std::copy_n(rows + size * i, size, job.solved + size * frames[i]);
    now = {static_cast<SolveStatus>(numbers[3 * i]), numbers[3 * i + 1] != 0,
           numbers[3 * i + 2], residuals[2 * i], residuals[2 * i + 1]};
  }
}

}  // namespace

void SolvePositionFirst(LaneRun run, const ChainJob& job, LaneSpace& space) {
  run(job, space);
  const Chain& chain = *job.chain;
  if (!job.has_rotation_target() || chain.turns_end || chain.driven.size() < 2) return;
  std::int32_t* list = space.Ints(kFirstList, job.frames.size());
  std::int32_t* numbers = space.Ints(2, 3 * job.frames.size());
  const size_t size = RowSize(job);
  float* rows = space.Floats(kKeptArea, size * job.frames.size());
  float* residuals = space.Floats(kOutcomeArea, 2 * job.frames.size());
  size_t count = 0;
  for (std::int32_t frame : job.frames) {
    const FrameOutcome& outcome = job.outcomes[frame];
    if (outcome.residual <= chain.tolerance) continue;
    std::copy_n(job.solved + size * frame, size, rows + size * count);
    residuals[2 * count] = outcome.residual;
    residuals[2 * count + 1] = outcome.residual_angle;
    numbers[3 * count] = static_cast<std::int32_t>(outcome.status);
    numbers[3 * count + 1] = outcome.changed;
    numbers[3 * count + 2] = outcome.iterations;
    list[count++] = frame;
  }
  if (count == 0) return;
  ChainJob again = job;
  again.frames = {list, count};
  again.ignore_rotation = true;
  run(again, space);
  KeepNearer(job, again.frames, rows, residuals, numbers);
}

void SolveAndFinish(LaneRun first, LaneRun finish, const ChainJob& job, LaneSpace& space) {
  const int part = std::min(kFirstIterations, (job.max_iterations + 1) / 2);
  ChainJob start = job;
  start.max_iterations = part;
  first(start, space);
  if (part == job.max_iterations) return;
  std::int32_t* list = space.Ints(kFinishList, job.frames.size());
  std::int32_t* before = space.Ints(3, job.frames.size());
  size_t count = 0;
  for (std::int32_t frame : job.frames) {
    if (!NeedsFinish(job.outcomes[frame].status)) continue;
    before[count] = job.outcomes[frame].iterations;
    list[count++] = frame;
  }
  if (count == 0) return;
  ChainJob rest = job;
  rest.frames = {list, count};
  rest.max_iterations = job.max_iterations - part;
  rest.start = {job.solved, static_cast<std::ptrdiff_t>(RowSize(job)),
                PackedOffsets(*job.chain)};
  finish(rest, space);
  for (size_t i = 0; i < count; ++i) {
    job.outcomes[list[i]].iterations += before[i];
    job.outcomes[list[i]].changed = true;
  }
}

}  // namespace ikstream
