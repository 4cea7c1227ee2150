// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The ground of a call: terrain from its setup, and what each batch brings: where platforms
// are, and samples under feet. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "convert/motion.h"
#include "convert/samples.h"
#include "terrain/platforms.h"
#include "terrain/terrain.h"

namespace ikstream {

class GroundInput {
 public:
  // `terrain` may be null. `live`: samples may have velocities.
  GroundInput(std::shared_ptr<const Terrain> terrain, int feet, bool live);

  // Reads a batch that `checked` has read; what is wrong with one of its frames is told there.
  // Field paths start at `motion`.
  absl::Status Read(const v1::Motion& motion, std::int64_t first_frame, CheckedMotion& checked,
                    Warnings& warnings);

  const std::shared_ptr<const Terrain>& terrain() const { return terrain_; }
  // Whether the first batch had samples: only then the others may.
  bool sampled() const { return sampled_; }
  // Of the batch read last. Platforms by number, those of the terrain first.
  const std::vector<PlatformTrack>& platforms() const { return platforms_; }
  const std::vector<std::string>& platform_names() const { return names_; }
  std::span<const SampledFoot> samples() const { return samples_.feet(); }

 private:
  absl::Status CheckSent(const v1::Motion& motion) const;

  std::shared_ptr<const Terrain> terrain_;
  int feet_;
  bool live_;
  bool first_ = true, sampled_ = false;
  std::vector<std::string> names_;
  std::vector<PlatformTrack> platforms_;
  std::vector<int> numbers_;
  CheckedSamples samples_;
};

// `tracks` from frame `begin` on.
std::vector<PlatformTrack> SliceOf(const std::vector<PlatformTrack>& tracks, int begin);

}  // namespace ikstream
