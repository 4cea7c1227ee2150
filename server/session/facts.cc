// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "session/facts.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/field_error.h"
#include "core/solve.h"

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

void AddTo(WorkStats::Chain& total, const WorkStats::Chain& more) {
  for (std::size_t i = 0; i < total.by_status.size(); ++i)
    total.by_status[i] += more.by_status[i];
  total.iterations += more.iterations;
  total.solved += more.solved;
  total.max_residual_ratio = std::max(total.max_residual_ratio, more.max_residual_ratio);
}

}  // namespace ikstream
