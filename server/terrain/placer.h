// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Feet on ground, live: each frame depends on itself and on what came before, never on what
// comes after. Steps: detect the ground, find each foot's target, move the pelvis so that legs
// reach, weigh, apply (server/terrain/README.md).
//
//   auto placer = Placer::Create(spec);        // one per stream; not thread-safe
//   (*placer)->Place(input, output);           // batches in order, of any size: the same bits
//
// A foot without ground keeps its animation: its joints come back with the bits that were
// sent, and it moves with the pelvis. Space of everything: that of root_positions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/rig.h"
#include "core/solve.h"
#include "terrain/ground.h"
#include "terrain/samples.h"

namespace ikstream {

// A limb that is placed: the shape of ikstream.v1.Foot.
struct PlaceFoot {
  std::string name;
  int hip_joint = 0;
  std::optional<int> knee_joint;  // unset: the middle one of the path
  int ankle_joint = 0;
  std::optional<int> toe_joint;      // one with a limit keeps its local rotation
  std::optional<Vec3f> sole_normal;  // in the ankle's frame; unset: up in the rest pose
  std::string solver;                // empty: "auto"
  float sole_radius_m = 0;           // of the disc that is averaged; 0: one ray
  // Height of the ankle over its sole, rig units. Unset: over the lowest of ankle, toe and
  // their tips in the rest pose.
  std::optional<float> sole_offset;
};

// Metres, seconds, radians.
struct PlaceSettings {
  GroundRange range;
  double enter_speed = 0.15;      // a foot slower than this is planted
  double leave_speed = 0.35;      // a planted foot faster than this is lifted
  double enter_height = 0.35;     // a foot that was not planted is only below this height
  double airborne_height = 0.10;  // a foot higher than this over ground and other feet, or
  double rising_speed = 0.10;     // rising faster than this, is airborne
  double rise_per_second = 5;     // of weights
  double fall_per_second = 10;
  double vertical_speed = 1.0;  // of a foot's vertical correction
  double pelvis_speed = 0.5;
  double pelvis_down = 0.15, pelvis_up = 0.05;
  bool lock = true;           // a planted foot does not slide
  double lock_radius = 0.10;  // a lock farther than this from the animation is given up
  double max_tilt = 0.5235987755982988;  // 30 degrees, of the ground's normal from up
  double tilt_speed = 6.283185307179586;
  // The leg's soft zone, as shares of its length; never below what the source reaches.
  double soft_start = 0.975, soft_end = 0.985;
  double max_knee_bend = 2.617993877991494;  // 150 degrees: how far a leg folds
};

struct PlacerSpec {
  RigSpec rig;  // joints, limits, stiffness, translated joints, up; chains are not looked at
  std::vector<PlaceFoot> feet;
  double frames_per_second = 0;
  std::optional<double> units_per_metre;   // unset: mean leg length / 0.85 m
  std::shared_ptr<const Terrain> terrain;  // may be null: samples only
  PlaceSettings settings;
};

struct PlaceFootInput {
  SampleTrack heel, toe;  // checked by CheckSamples; where given they win over the terrain
  Track curve;            // 1: the caller's weight, 0..1; default: 1
};

// One batch. REQUIRES: finite values, unit quaternions.
struct PlaceInput {
  MotionView motion;
  std::span<const PlatformTrack> platforms;   // by number; the same number in each batch
  std::span<const PlaceFootInput> feet = {};  // one per foot, or none
};

// Null pointers are not written.
struct PlaceFootOutput {
  float* weights = nullptr;    // F, 0..1: how much the foot stands on its ground
  bool* contacts = nullptr;    // F: planted
  float* residuals = nullptr;  // F: distance of the ankle to its target, rig units
};
struct PlaceOutput {
  float* root_positions = nullptr;             // 3 F; REQUIRED
  float* local_translations = nullptr;         // 3 T F; REQUIRED where T > 0
  float* local_rotations = nullptr;            // 4 J F; REQUIRED; no overlap with the input
  float* pelvis_offsets = nullptr;             // F, along up, rig units
  std::span<const PlaceFootOutput> feet = {};  // one per foot, or none
};

class Placer {
 public:
  // Errors name `feet[0].ankle_joint`, `frames_per_second`, `rig.joints[3].parent`.
  static absl::StatusOr<std::unique_ptr<Placer>> Create(PlacerSpec spec);
  virtual ~Placer() = default;

  virtual void Place(const PlaceInput& input, const PlaceOutput& output) = 0;
  // Forgets all frames.
  virtual void Reset() = 0;

  // Joints whose rotations may change: those of the legs and the toes, ascending.
  virtual std::span<const int> driven_joints() const = 0;
  virtual double units_per_metre() const = 0;
  // The joint that takes the pelvis' offset: the root, or a translated joint.
  virtual int pelvis_joint() const = 0;
};

}  // namespace ikstream
