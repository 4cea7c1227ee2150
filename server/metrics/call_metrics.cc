// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "metrics/call_metrics.h"

namespace ikstream {
namespace {

using Seconds = std::chrono::duration<double>;

void ObserveFeet(const v1::Quality& quality, Stage stage, Metrics& metrics) {
  constexpr double kMetresPerMm = 1e-3;
  for (const v1::FootQuality& foot : quality.feet()) {
    metrics.motion_slide(stage).Observe(foot.slide_mm_per_frame() * kMetresPerMm);
    metrics.motion_penetration(stage).Observe(foot.penetration_max_mm() * kMetresPerMm);
  }
}

}  // namespace

CallMetrics::CallMetrics(Metrics& metrics, Method method)
    : metrics_(&metrics), method_(method) {
  metrics_->rpc_started(method_).Increment();
}

double CallMetrics::SinceBegin() const { return Seconds(Clock::now() - begin_).count(); }

void CallMetrics::Received(std::int64_t bytes) {
  metrics_->bytes(method_, Direction::kReceived).Increment(static_cast<double>(bytes));
}

void CallMetrics::Sent(std::int64_t bytes) {
  metrics_->bytes(method_, Direction::kSent).Increment(static_cast<double>(bytes));
  if (answered_) return;
  answered_ = true;
  metrics_->first_response_seconds(method_).Observe(SinceBegin());
}

void CallMetrics::Ended(absl::StatusCode code) {
  metrics_->rpc_handled(method_, code).Increment();
  metrics_->rpc_seconds(method_).Observe(SinceBegin());
  if (code == absl::StatusCode::kCancelled) metrics_->cancelled(method_).Increment();
}

void CallMetrics::Waited(PriorityClass priority, Clock::duration wait) {
  metrics_->queue_wait_seconds(priority).Observe(Seconds(wait).count());
}

void CallMetrics::Batch(std::int64_t frames) {
  metrics_->batch_frames(method_).Observe(static_cast<double>(frames));
}

void CallMetrics::Worked(const WorkStats& work) {
  if (work.frames > 0) {
    const double per_frame = work.solve_seconds / static_cast<double>(work.frames);
    metrics_->solve_seconds_per_frame.ObserveMany(per_frame, work.frames);
    metrics_->encode_seconds().Observe(work.encode_seconds);
  }
  for (const WorkStats::Chain& chain : work.chains) {
    const SolverIndex solver{chain.solver};
    for (int status = 1; status <= v1::ChainResult::Status_MAX; ++status) {
      const auto frames = static_cast<double>(chain.by_status[status]);
      if (frames > 0)
        metrics_->frames(solver, static_cast<Outcome>(status - 1)).Increment(frames);
    }
    if (chain.solved == 0) continue;
    const auto solved = static_cast<double>(chain.solved);
    metrics_->iterations.ObserveMany(static_cast<double>(chain.iterations) / solved,
                                     chain.solved, solver);
    metrics_->residual_ratio(solver).Observe(chain.max_residual_ratio);
  }
}

void CallMetrics::Cleaned(const v1::QualityReport& report) {
  ObserveFeet(report.before(), Stage::kBefore, *metrics_);
  ObserveFeet(report.after(), Stage::kAfter, *metrics_);
}

}  // namespace ikstream
