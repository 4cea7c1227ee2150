// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The report beside a cleaned clip, and what it says about whether the work is done already.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "cli/clip_options.h"
#include "ikstream/cli/report.pb.h"

namespace ikstream::cli {

// out/walk.bvh -> out/walk.report.json
std::string ReportPath(const std::string& output);

// What decides the answer, for a clip with this hash and this plan ("" for none).
CleanKey MakeKey(const ClipRequest& request, const std::string& engine_version,
                 const std::string& input_sha256, const std::string& plan_sha256);

// The report says that `output` was made by `key` and is still as it was made. With `in_place`
// the input is the output of then. Anything amiss: false.
bool IsDone(const std::string& report_path, const std::string& output, const CleanKey& key,
            bool in_place);

}  // namespace ikstream::cli
