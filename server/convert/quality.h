// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The clean-up's figures, for the wire. Thread-safe.
#pragma once

#include "ikstream/v1/cleanup.pb.h"
#include "motion/quality.h"

namespace ikstream {

v1::QualityReport ToProto(const QualityReport& in);

}  // namespace ikstream
