// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cli/plan_pass.h"

#include <utility>

#include "cli/clip_source.h"
#include "cli/exit_code.h"
#include "cli/json.h"
#include "cli/plan_edit.h"
#include "convert/plan.h"

namespace ikstream::cli {
namespace {

class PlanSink final : public client::ClipSink {
 public:
  absl::Status Begin(const v1::StreamReady&) override {
    result_ = {};
    first_ = true;
    return absl::OkStatus();
  }

  absl::Status Take(client::ClipStream::Reply reply) override {
    if (reply.has_summary()) result_.summary = std::move(*reply.mutable_summary());
    if (!reply.has_plan_part()) return absl::OkStatus();
    return JoinPlanPart(reply.plan_part(), std::exchange(first_, false), result_.plan);
  }

  PlanResult TakeResult() { return std::move(result_); }

 private:
  PlanResult result_;
  bool first_ = true;
};

}  // namespace

absl::StatusOr<v1::StreamReady> Probe(const PassContext& context, v1::Mode mode,
                                      const v1::Setup& base) {
  v1::Setup setup = base;
  setup.set_mode(mode);
  setup.set_plan_follows(mode == v1::MODE_CLEAN);
  auto stream = context.engine->OpenClip(setup, *context.cancellation);
  if (!stream.ok()) return stream.status();
  return (*stream)->ready();
}

int MostBatchFrames(const client::Engine& engine) {
  constexpr int kFramesInCache = 256;
  return engine.name() == "in-process" ? kFramesInCache : 0;
}

v1::Setup SetupFor(v1::Mode mode, const v1::Setup& base, const Span& span) {
  v1::Setup setup = base;
  setup.set_mode(mode);
  setup.set_frame_count(span.frames());
  setup.set_lead_in(static_cast<int>(span.lead_in));
  setup.set_lead_out(static_cast<int>(span.lead_out));
  return setup;
}

absl::StatusOr<PlanResult> MakePlan(const PassContext& context, const ClipFile& clip,
                                    const v1::Setup& base, const Span& span) {
  client::ClipCall call;
  call.setup = SetupFor(v1::MODE_PLAN, base, span);
  call.frame_bytes = clip.FrameBytes();
  call.max_batch_frames = MostBatchFrames(*context.engine);
  BvhSource source(clip, span, context.progress);
  PlanSink sink;
  absl::Status status = client::RunClip(*context.engine, call, source, sink, context.retry,
                                        *context.cancellation);
  if (!status.ok()) return status;
  return sink.TakeResult();
}

absl::StatusOr<v1::Plan> ReadPlan(const std::string& path) {
  v1::Plan plan;
  if (absl::Status status = ReadJson(path, plan); !status.ok()) return status;
  for (std::string& note : TidyPlan(plan)) plan.add_notes(std::move(note));
  return plan;
}

}  // namespace ikstream::cli
