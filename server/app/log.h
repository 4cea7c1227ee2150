// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#pragma once

#include <string>

namespace ikstream {

// Sends the process's log, gRPC's included, to stderr: lines of text, or of JSON with the
// fields time, level and message. REQUIRES: `level` and `format` as Options allows them.
void SetUpLog(const std::string& level, const std::string& format);

}  // namespace ikstream
