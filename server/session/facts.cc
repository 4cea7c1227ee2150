// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "session/facts.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/field_error.h"

namespace ikstream {

const char* Version() { return IKSTREAM_VERSION; }

void AddFacts(v1::Summary& summary) {
  summary.set_version(Version());
  summary.set_cpu_target(CpuTarget());
}

absl::Status CheckUnaryReply(std::int64_t bytes, const Limits& limits) {
  if (bytes <= limits.max_unary_reply_bytes) return absl::OkStatus();
  return FieldError(
      absl::StatusCode::kResourceExhausted, "motion.root_positions",
      absl::StrCat("the answer would have about ", bytes, " bytes; a unary answer may have ",
                   limits.max_unary_reply_bytes,
                   ": send fewer frames, or use SolveClip or SolveStream"));
}

double SecondsSince(Stop::Clock::time_point start) {
  return std::chrono::duration<double>(Stop::Clock::now() - start).count();
}

MotionView SliceOf(const MotionView& motion, const Rig& rig, int begin, int count) {
  const std::int64_t joints = rig.skeleton().size();
  const auto moved = static_cast<std::int64_t>(rig.translated_joints().size());
  MotionView slice = motion;
  slice.frames = count;
  slice.root_positions += 3LL * begin;
  slice.local_rotations += 4 * joints * begin;
  if (slice.local_translations != nullptr) slice.local_translations += 3 * moved * begin;
  return slice;
}

void AddTo(WorkStats::Chain& total, const WorkStats::Chain& more) {
  for (std::size_t i = 0; i < total.by_status.size(); ++i)
    total.by_status[i] += more.by_status[i];
  total.iterations += more.iterations;
  total.solved += more.solved;
  total.max_residual_ratio = std::max(total.max_residual_ratio, more.max_residual_ratio);
}

}  // namespace ikstream
