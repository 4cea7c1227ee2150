// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The second of the two passes over a clip: frames and plan in, a clean file out.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "cli/foot_tracks.h"
#include "cli/plan_pass.h"
#include "cpp/bvh/edit.h"

namespace ikstream::cli {

struct CleanPassResult {
  v1::Summary summary;
  bvh::EditReport edits;
};

// Writes `output`, which appears when it is complete. `tracks` is filled where it is not null.
absl::StatusOr<CleanPassResult> CleanInto(const PassContext& context, const ClipFile& clip,
                                          const v1::Setup& base, const Span& span,
                                          const v1::Plan& plan, const std::string& output,
                                          FootTracks* tracks);

}  // namespace ikstream::cli
