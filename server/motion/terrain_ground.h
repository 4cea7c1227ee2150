// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Ground that the caller brings: terrain, possibly on moving platforms, or samples measured per
// foot and frame. Both are told before each batch is pushed what moves in it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "motion/ground.h"
#include "terrain/ground.h"
#include "terrain/platforms.h"
#include "terrain/samples.h"

namespace ikstream {

// Terrain under the feet of a clip; a foot's own sole_radius_m is the disc that is averaged.
class TerrainGround : public GroundQuery {
 public:
  TerrainGround(std::shared_ptr<const Terrain> terrain, const ClipSpec& clip);

  // The batch pushed next starts at `first_frame` (counted without the lead-in).
  // `tracks`: one per Terrain::platforms(), null positions where a platform is not told: then
  // its surfaces are not there. The data must live until the batch was pushed.
  void SetFrames(std::int64_t first_frame, std::vector<PlatformTrack> tracks);

  std::optional<GroundHit> Hit(std::int64_t frame, int foot, FootPoint point,
                               const Vec3d& position) const override;
  // Where nothing moves.
  bool AnyTime() const override { return tracks_.empty(); }
  Placement PlatformPose(std::int64_t frame, int platform) const override;
  std::string PlatformName(int platform) const override;
  int FindPlatform(const std::string& name) const override;

 private:
  Ground ground_;
  std::vector<double> radii_;  // rig units, by foot
  std::int64_t first_frame_ = 0;
  std::vector<PlatformTrack> tracks_;
  mutable std::vector<RigidPose> poses_;
};

// Samples of the frames that are pushed. The tip stands on the toe's sample.
class SampleGround : public GroundQuery {
 public:
  explicit SampleGround(const ClipSpec& clip) : up_(clip.up_vector()) {}

  // `feet`: one per foot, checked by CheckSamples. `platforms`, `names`: those that samples
  // name by number.
  void SetFrames(std::int64_t first_frame, std::vector<SampledFoot> feet,
                 std::vector<PlatformTrack> platforms, std::vector<std::string> names);

  std::optional<GroundHit> Hit(std::int64_t frame, int foot, FootPoint point,
                               const Vec3d& position) const override;
  Placement PlatformPose(std::int64_t frame, int platform) const override;
  std::string PlatformName(int platform) const override;
  int FindPlatform(const std::string& name) const override;

 private:
  Vec3d up_;
  std::int64_t first_frame_ = 0;
  std::vector<SampledFoot> feet_;
  std::vector<PlatformTrack> platforms_;
  std::vector<std::string> names_;
};

// Samples where a foot has them in a batch, else terrain. Platforms are numbered as in `names`,
// those of the terrain first.
class MixedGround : public GroundQuery {
 public:
  // `terrain` may be null.
  MixedGround(std::shared_ptr<const Terrain> terrain, const ClipSpec& clip);

  // From now on samples may come. Before the first frame, or never.
  void ExpectSamples() { sampled_ = true; }
  void SetFrames(std::int64_t first_frame, std::vector<SampledFoot> feet,
                 std::vector<PlatformTrack> platforms, std::vector<std::string> names);

  std::optional<GroundHit> Hit(std::int64_t frame, int foot, FootPoint point,
                               const Vec3d& position) const override;
  bool AnyTime() const override { return !sampled_ && terrain_ && terrain_->AnyTime(); }
  Placement PlatformPose(std::int64_t frame, int platform) const override {
    return samples_.PlatformPose(frame, platform);
  }
  std::string PlatformName(int platform) const override;
  int FindPlatform(const std::string& name) const override;

 private:
  std::optional<TerrainGround> terrain_;
  SampleGround samples_;
  std::vector<bool> has_samples_;  // by foot, in this batch
  bool sampled_ = false;
};

}  // namespace ikstream
