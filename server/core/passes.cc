// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/passes.h"

#include <algorithm>

namespace ikstream {
namespace {

// Answers of frames that are about to be solved again. Each use has areas of LaneSpace of its
// own, which the lanes do not touch.
class Kept {
 public:
  Kept(const ChainJob& job, LaneSpace& space, size_t use)
      : job_(job), size_(4 * job.chain->turned.size()) {
    const size_t count = job.frames.size();
    frames_ = space.Ints(2 * use, count);
    numbers_ = space.Ints(2 * use + 1, 3 * count);
    rows_ = space.Floats(kFirstArea + 2 * use, size_ * count);
    residuals_ = space.Floats(kFirstArea + 2 * use + 1, 2 * count);
  }

  void Add(std::int32_t frame) {
    const FrameOutcome& outcome = job_.outcomes[frame];
    std::copy_n(job_.solved + size_ * frame, size_, rows_ + size_ * count_);
    residuals_[2 * count_] = outcome.residual;
    residuals_[2 * count_ + 1] = outcome.residual_angle;
    numbers_[3 * count_] = static_cast<std::int32_t>(outcome.status);
    numbers_[3 * count_ + 1] = outcome.changed ? 1 : 0;
    numbers_[3 * count_ + 2] = outcome.iterations;
    frames_[count_++] = frame;
  }

  std::span<const std::int32_t> frames() const { return {frames_, count_}; }

  // After solving again: iterations add up, and an earlier answer comes back where the later
  // one neither converged nor is nearer to the target by `gain`.
  void KeepNearer(float gain) const {
    for (size_t i = 0; i < count_; ++i) {
      FrameOutcome& now = job_.outcomes[frames_[i]];
      const std::int32_t* number = numbers_ + 3 * i;
      const std::int32_t iterations = now.iterations + number[2];
      if (now.status == SolveStatus::kConverged || now.residual <= residuals_[2 * i] - gain) {
        now.changed = now.changed || number[1] != 0;
      } else {
        std::copy_n(rows_ + size_ * i, size_, job_.solved + size_ * frames_[i]);
        now = {static_cast<SolveStatus>(number[0]), number[1] != 0, 0, residuals_[2 * i],
               residuals_[2 * i + 1]};
      }
      now.iterations = std::min(iterations, job_.chain->spec.max_iterations);
    }
  }

 private:
  static constexpr size_t kFirstArea = 8;

  const ChainJob& job_;
  size_t size_, count_ = 0;
  std::int32_t* frames_;
  std::int32_t* numbers_;
  float* rows_;
  float* residuals_;
};

constexpr size_t kPositionUse = 0, kFinishUse = 1;

bool NeedsFinish(const ChainJob& job, std::int32_t frame) {
  const FrameOutcome& outcome = job.outcomes[frame];
  return outcome.status == SolveStatus::kLimited || outcome.status == SolveStatus::kStalled ||
         outcome.status == SolveStatus::kIterationLimit;
}

}  // namespace

void SolvePositionFirst(LaneRun run, const ChainJob& job, LaneSpace& space) {
  run(job, space);
  const Chain& chain = *job.chain;
  if (!job.has_rotation_target() || chain.turns_end || chain.driven.size() < 2) return;
  Kept kept(job, space, kPositionUse);
  for (std::int32_t frame : job.frames)
    if (job.outcomes[frame].residual > chain.tolerance) kept.Add(frame);
  if (kept.frames().empty()) return;
  ChainJob again = job;
  again.frames = kept.frames();
  again.ignore_rotation = true;
  run(again, space);
  kept.KeepNearer(0.25f * chain.tolerance);
}

void SolveAndFinish(LaneRun first, int first_iterations, LaneRun finish, const ChainJob& job,
                    LaneSpace& space, size_t depth) {
  ChainJob start = job;
  start.max_iterations = std::min(first_iterations, job.max_iterations);
  first(start, space);
  if (start.max_iterations == job.max_iterations) return;
  Kept kept(job, space, kFinishUse + depth);
  for (std::int32_t frame : job.frames)
    if (NeedsFinish(job, frame)) kept.Add(frame);
  if (kept.frames().empty()) return;
  ChainJob rest = job;
  rest.frames = kept.frames();
  rest.max_iterations = job.max_iterations - start.max_iterations;
  rest.start = {job.solved, static_cast<std::ptrdiff_t>(4 * job.chain->turned.size()),
                job.chain->packed_offsets.data()};
  finish(rest, space);
  kept.KeepNearer(0);
}

}  // namespace ikstream
