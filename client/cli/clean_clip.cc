// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cli/clean_clip.h"

#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/clean_pass.h"
#include "cli/exit_code.h"
#include "cli/files.h"
#include "cli/json.h"
#include "cli/plot.h"
#include "cli/report.h"

namespace ikstream::cli {
namespace {

absl::StatusOr<v1::Plan> GivenOrMadePlan(const PassContext& context, const PreparedClip& ready,
                                         const CleanJob& job) {
  if (!job.plan.empty()) {
    if (context.progress) context.progress(ready.clip.frames);
    return ReadPlan(job.plan);
  }
  auto made = MakePlan(context, ready.clip, ready.setup, ready.span);
  if (!made.ok()) return made.status();
  return std::move(made->plan);
}

void DescribeClip(const ClipFile& clip, CleanReport& report) {
  report.set_frames(clip.frames);
  report.set_frames_per_second(clip.header.fps());
  report.set_joints(static_cast<int>(clip.header.joints.size()));
  report.set_up(clip.up);
  report.set_up_why(clip.up_why);
  report.set_positions(std::string(bvh::PositionConventionName(clip.layout.root_positions)));
  report.set_positions_why(clip.layout.root_why);
  for (const std::string& warning : clip.warnings) report.add_file_warnings(warning);
}

void DescribeResult(const CleanPassResult& result, CleanReport& report) {
  report.set_cpu_target(result.summary.cpu_target());
  report.set_profile(result.summary.profile());
  *report.mutable_settings() = result.summary.settings();
  report.set_units_per_metre(result.summary.units_per_metre());
  *report.mutable_quality() = result.summary.quality();
  report.mutable_quality()->set_euler_steps(result.edits.euler_steps);
  *report.mutable_warnings() = result.summary.warnings();
  report.set_lossy_joint_frames(result.edits.lossy_joint_frames);
  report.set_solve_seconds(result.summary.solve_seconds());
}

absl::Status SetHashes(const ClipRequest& request, const CleanJob& job,
                       const std::string& version, const std::string& input_sha256,
                       CleanReport& report) {
  std::string plan_sha256;
  if (!job.plan.empty()) {
    auto hash = Sha256OfFile(job.plan);
    if (!hash.ok()) return hash.status();
    plan_sha256 = *std::move(hash);
  }
  *report.mutable_key() = MakeKey(request, version, input_sha256, plan_sha256);
  return absl::OkStatus();
}

absl::Status DescribeFiles(const CleanJob& job, CleanReport& report) {
  report.set_input(job.input);
  report.set_output(job.output);
  report.set_plan(job.plan);
  auto hash = Sha256OfFile(job.output);
  if (!hash.ok()) return hash.status();
  report.set_output_sha256(*std::move(hash));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<PreparedClip> Prepare(const PassContext& context, const ClipRequest& request,
                                     const std::string& path) {
  PreparedClip ready;
  auto clip = OpenClipFile(path, request, /*kept_rows=*/0);
  if (!clip.ok()) return clip.status();
  auto setup = MakeSetup(*clip, request);
  if (!setup.ok()) return setup.status();
  ready.setup = *std::move(setup);
  v1::StreamReady probe;
  const bool needs_lag = request.loop || request.frames.has_value();
  if (needs_lag || !request.contacts.empty()) {
    const v1::Mode mode = needs_lag ? v1::MODE_CLEAN : v1::MODE_PLAN;
    auto answer = Probe(context, mode, ready.setup);
    if (!answer.ok()) return answer.status();
    probe = *std::move(answer);
  }
  for (const ContactOption& contacts : request.contacts) {
    auto resolved = ResolveContacts(contacts, probe.feet());
    if (!resolved.ok()) return resolved.status();
    *ready.setup.add_contacts() = *std::move(resolved);
  }
  if (request.loop) {  // needs the rows at both ends
    clip = OpenClipFile(path, request, probe.lag_frames() + 2);
    if (!clip.ok()) return clip.status();
  }
  ready.clip = *std::move(clip);
  auto span = MakeSpan(ready.clip, request, probe.lag_frames());
  if (!span.ok()) return span.status();
  ready.span = *span;
  return ready;
}

absl::StatusOr<CleanReport> CleanClip(const PassContext& context, const ClipRequest& request,
                                      const CleanJob& job, const std::string& version) {
  auto ready = Prepare(context, request, job.input);
  if (!ready.ok()) return ready.status();
  CleanReport report;
  for (const std::string& file : request.obeyed) report.add_sidecars(file);
  if (job.plan_beside) report.add_sidecars(job.plan);
  absl::Status status = SetHashes(request, job, version, ready->clip.sha256, report);
  if (!status.ok()) return status;
  auto plan = GivenOrMadePlan(context, *ready, job);
  if (!plan.ok()) return plan.status();
  std::optional<FootTracks> tracks;
  if (!job.plot.empty()) {
    auto created = FootTracks::Create(ready->clip);
    if (!created.ok()) return created.status();
    tracks = *std::move(created);
  }
  auto result = CleanInto(context, ready->clip, ready->setup, ready->span, *plan, job.output,
                          tracks ? &*tracks : nullptr);
  if (!result.ok()) return result.status();

  report.set_engine(context.engine->name());
  for (const std::string& note : plan->notes()) report.add_notes(note);
  DescribeClip(ready->clip, report);
  DescribeResult(*result, report);
  status = DescribeFiles(job, report);
  if (status.ok() && tracks) {
    status = WriteText(job.plot, FootPlot(*tracks, *plan, report, ready->span.begin));
  }
  if (status.ok() && !job.report.empty()) {
    status = WriteText(job.report, ToJson(report, JsonStyle::kPretty, /*zeros=*/true));
  }
  if (!status.ok()) return status;
  return report;
}

}  // namespace ikstream::cli
