// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// From bytes to the messages of a call: good ones, then changed in a few fields.
#pragma once

#include "fuzz/bytes.h"
#include "ikstream/v1/service.pb.h"

namespace ikstream::fuzz {

struct CallInput {
  v1::Setup setup;
  v1::Motion motion;  // the whole of it
  int frames = 0;
};

// Chains to targets (mode SOLVE), by the decoder of the core's target.
CallInput DecodeSolve(Bytes& bytes);
// A figure with two legs that steps, slides and sways (modes PLAN and CLEAN).
CallInput DecodeClip(Bytes& bytes);

// Frames [first, first + count) of a motion of `frames`.
v1::Motion Part(const v1::Motion& motion, int frames, int first, int count);

}  // namespace ikstream::fuzz
