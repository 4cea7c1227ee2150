// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Small things that every session shares. Thread-safe.
#pragma once

#include "absl/status/status.h"
#include "convert/limits.h"
#include "core/solve.h"
#include "ikstream/v1/service.pb.h"
#include "session/session.h"

namespace ikstream {

// The version of this build, "0.1.0".
const char* Version();

// Version and CPU target.
void AddFacts(v1::Summary& summary);

// An error where a unary answer of so many bytes is more than clients take.
absl::Status CheckUnaryReply(std::int64_t bytes, const Limits& limits);

// Seconds of work since `start`.
double SecondsSince(Stop::Clock::time_point start);

// `count` frames of `motion` from frame `begin` on.
MotionView SliceOf(const MotionView& motion, const Rig& rig, int begin, int count);

void AddTo(WorkStats::Chain& total, const WorkStats::Chain& more);

}  // namespace ikstream
