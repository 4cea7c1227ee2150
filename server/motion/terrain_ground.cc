// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "motion/terrain_ground.h"

#include <algorithm>
#include <utility>

namespace ikstream {
namespace {

Placement PlacementOf(const std::vector<PlatformTrack>& tracks, int platform, int index) {
  if (platform < 0 || platform >= static_cast<int>(tracks.size())) return {};
  const PlatformTrack& track = tracks[platform];
  if (!track.positions) return {};
  const RigidPose pose = PoseAt(track, index);
  return {pose.position, pose.rotation};
}

template <class Names>
int IndexOf(const Names& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

}  // namespace

TerrainGround::TerrainGround(std::shared_ptr<const Terrain> terrain, const ClipSpec& clip)
    : ground_(std::move(terrain), clip.units_per_metre) {
  for (const Foot& foot : clip.feet)
    radii_.push_back(static_cast<double>(foot.sole_radius_m) * clip.units_per_metre);
  tracks_.resize(ground_.terrain().platforms().size());
}

void TerrainGround::SetFrames(std::int64_t first_frame, std::vector<PlatformTrack> tracks) {
  first_frame_ = first_frame;
  tracks_ = std::move(tracks);
  tracks_.resize(ground_.terrain().platforms().size());
}

std::optional<GroundHit> TerrainGround::Hit(std::int64_t frame, int foot, FootPoint,
                                            const Vec3d& position) const {
  const int index = static_cast<int>(frame - first_frame_);
  // Platforms are numbered by the terrain: those after the first that is not told are missing.
  poses_.clear();
  for (const PlatformTrack& track : tracks_) {
    if (!track.positions) break;
    poses_.push_back(PoseAt(track, index));
  }
  return ground_.Query({poses_}, position, radii_[foot]);
}

Placement TerrainGround::PlatformPose(std::int64_t frame, int platform) const {
  return PlacementOf(tracks_, platform, static_cast<int>(frame - first_frame_));
}

std::string TerrainGround::PlatformName(int platform) const {
  const auto names = ground_.terrain().platforms();
  return platform >= 0 && platform < static_cast<int>(names.size()) ? names[platform] : "";
}

int TerrainGround::FindPlatform(const std::string& name) const {
  return IndexOf(ground_.terrain().platforms(), name);
}

void SampleGround::SetFrames(std::int64_t first_frame, std::vector<SampledFoot> feet,
                             std::vector<PlatformTrack> platforms,
                             std::vector<std::string> names) {
  first_frame_ = first_frame;
  feet_ = std::move(feet);
  platforms_ = std::move(platforms);
  names_ = std::move(names);
}

std::optional<GroundHit> SampleGround::Hit(std::int64_t frame, int foot, FootPoint point,
                                           const Vec3d&) const {
  if (foot >= static_cast<int>(feet_.size())) return std::nullopt;
  const SampledFoot& tracks = feet_[foot];
  const bool heel = point == FootPoint::kHeel || !tracks.toe.given();
  const SampleTrack& track = heel ? tracks.heel : tracks.toe;
  if (!track.given()) return std::nullopt;
  return SampleAt(track, static_cast<int>(frame - first_frame_), up_);
}

Placement SampleGround::PlatformPose(std::int64_t frame, int platform) const {
  return PlacementOf(platforms_, platform, static_cast<int>(frame - first_frame_));
}

std::string SampleGround::PlatformName(int platform) const {
  return platform >= 0 && platform < static_cast<int>(names_.size()) ? names_[platform] : "";
}

int SampleGround::FindPlatform(const std::string& name) const { return IndexOf(names_, name); }

MixedGround::MixedGround(std::shared_ptr<const Terrain> terrain, const ClipSpec& clip)
    : samples_(clip) {
  if (terrain != nullptr) terrain_.emplace(std::move(terrain), clip);
}

void MixedGround::SetFrames(std::int64_t first_frame, std::vector<SampledFoot> feet,
                            std::vector<PlatformTrack> platforms,
                            std::vector<std::string> names) {
  has_samples_.clear();
  for (const SampledFoot& foot : feet) has_samples_.push_back(foot.given());
  if (terrain_) terrain_->SetFrames(first_frame, platforms);
  samples_.SetFrames(first_frame, std::move(feet), std::move(platforms), std::move(names));
}

std::optional<GroundHit> MixedGround::Hit(std::int64_t frame, int foot, FootPoint point,
                                          const Vec3d& position) const {
  const auto f = static_cast<size_t>(foot);
  if (f < has_samples_.size() && has_samples_[f])
    return samples_.Hit(frame, foot, point, position);
  return terrain_ ? terrain_->Hit(frame, foot, point, position) : std::nullopt;
}

// Before the first batch only the terrain's platforms are known.
std::string MixedGround::PlatformName(int platform) const {
  const std::string name = samples_.PlatformName(platform);
  return name.empty() && terrain_ ? terrain_->PlatformName(platform) : name;
}

int MixedGround::FindPlatform(const std::string& name) const {
  const int found = samples_.FindPlatform(name);
  return found < 0 && terrain_ ? terrain_->FindPlatform(name) : found;
}

}  // namespace ikstream
