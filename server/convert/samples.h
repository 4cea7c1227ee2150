// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Motion.samples -> SampleTrack: the ground that a caller measured under points of feet.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "convert/warnings.h"
#include "ikstream/v1/motion.pb.h"
#include "terrain/samples.h"

namespace ikstream {

// The samples of a batch. Points into the message it has read and into itself.
class CheckedSamples {
 public:
  struct Batch {
    int feet = 0;
    int frames = 0;
    std::int64_t first_frame = 0;
    std::span<const int> platforms;  // the number of each of Motion.platforms
    int platform_count = 0;          // numbers are below this
  };

  // Field paths start at `motion.samples`. Errors of one frame carry it.
  absl::Status Read(const v1::Motion& motion, const Batch& batch, Warnings& warnings);

  // One per foot, or none where the batch holds no samples.
  std::span<const SampledFoot> feet() const { return feet_; }

 private:
  absl::Status ReadOne(const v1::FootSamples& in, const Batch& batch, SampleTrack& out);

  std::vector<SampledFoot> feet_;
  std::deque<std::vector<std::int32_t>> numbers_;  // a deque keeps their places
};

}  // namespace ikstream
