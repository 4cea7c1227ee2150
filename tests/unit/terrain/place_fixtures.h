// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// A body for tests of foot placement, clips of it, and one call that places a clip batch by
// batch. The body faces +Z, up +Y; its soles are at height 0 where it stands straight.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/skeleton.h"
#include "terrain/placer.h"
#include "unit/terrain/fixtures.h"

namespace ikstream::testing {

struct BodyShape {
  int legs = 2;
  bool toes = false;
  double scale = 1;  // rig units per metre
};

// Of a body with toes, metres: the ankle and the toe joint over the sole.
inline constexpr double kAnkleHeight = 0.08, kToeHeight = 0.02;

// Joints: the pelvis (root), then per leg hip, knee, ankle and perhaps toe. The hip is one
// metre over the sole, beside the pelvis' height.
class Body {
 public:
  explicit Body(BodyShape shape = {});

  // Ground for the body, in `ground` and in `spec`.
  void StandOn(TerrainSpec terrain);

  PlacerSpec spec;  // 30 frames per second, no terrain
  std::optional<TerrainSpec> ground;

  const BodyShape& shape() const { return shape_; }
  int joints() const { return static_cast<int>(spec.rig.joints.size()); }
  int hip(int leg) const { return spec.feet[leg].hip_joint; }
  int knee(int leg) const { return hip(leg) + 1; }
  int ankle(int leg) const { return hip(leg) + 2; }
  int toe(int leg) const { return hip(leg) + 3; }
  double leg_length() const { return (shape_.toes ? 1 - kAnkleHeight : 1) * shape_.scale; }

  ModelPose Pose(const float* root, const float* rotations) const;

 private:
  BodyShape shape_;
};

// Stands straight at the origin in all frames, until changed.
struct Clip {
  Clip(const Body& body, int frames);

  // Swings the thigh forward and the shin back by as much: the foot stays level and comes
  // straight up by leg_length * (1 - cos(bend)).
  void Bend(int frame, int leg, double bend);
  void SetRotation(int frame, int joint, Quatd rotation);
  Quatd Rotation(int frame, int joint) const;
  ModelPose Pose(int frame) const;

  const Body* body;
  int frames;
  std::vector<float> roots, rotations;
};

// The plane under a foot in a frame (a point of it and its normal), or none. Heel and toe are
// sampled on it, straight under or over the animated points.
using PlaneUnder = std::function<std::optional<GroundHit>(int frame, int leg)>;

struct PlaceSetup {
  PlaneUnder ground = nullptr;  // null: the terrain of the body's spec
  // Samples lie at the height of the plane's point, whatever its normal.
  bool level_points = false;
  std::vector<std::vector<RigidPose>> platforms = {};  // by frame and number
  int batch = 1 << 20;
};

struct Placed {
  const Body* body;
  std::vector<float> roots, rotations, pelvis;
  std::vector<std::vector<float>> weights, residuals;  // by leg
  std::vector<std::vector<int>> contacts;

  ModelPose Pose(int frame) const;
};

// The samples of a batch under one foot.
struct FootArrays {
  std::vector<float> heel, toe, normals, velocities;
  std::unique_ptr<bool[]> hits;
  std::vector<std::int32_t> platforms;
};
FootArrays Sample(const Clip& clip, const PlaceSetup& setup, int leg, int begin, int end);

// Places a clip batch by batch: by a Placer (place_by_placer.cc) or by a call
// (unit/session/place_by_call.cc), so that the cases hold for both. Fails the test where the
// body is refused.
Placed Place(const Body& body, const Clip& clip, const PlaceSetup& setup = {});

// Level ground at a height.
inline GroundHit Level(double height) { return {{0, height, 0}, {0, 1, 0}, -1, {}}; }
inline PlaneUnder LevelAt(double height) {
  return [height](int, int) { return Level(height); };
}

// A level floor at a height.
TerrainSpec Floor(double height, std::string platform = "");

}  // namespace ikstream::testing
