// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The ground under a foot point, whatever it is made of: a plane, a floor that moves with the
// clip, terrain, or samples that the caller measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/math.h"
#include "motion/foot.h"
#include "terrain/ground_hit.h"

namespace ikstream {

// A rigid placement: p_world = position + rotation * p_platform.
struct Placement {
  Vec3d position;
  Quatd rotation;

  Vec3d ToWorld(Vec3d p) const { return position + Rotate(rotation, p); }
  Vec3d FromWorld(Vec3d p) const { return Rotate(Conjugate(rotation), p - position); }
};

// Asked once per foot point for each frame in order, while the batch that holds the frame is
// being pushed: an implementation over samples need only hold that batch. Const calls may come
// from one thread at a time.
class GroundQuery {
 public:
  virtual ~GroundQuery() = default;

  // The ground under point `point` of foot `foot` at `position`, nothing where there is none
  // or where it is out of reach of the foot. `frame` is counted without the lead-in.
  virtual std::optional<GroundHit> Hit(std::int64_t frame, int foot, FootPoint point,
                                       const Vec3d& position) const = 0;

  // Whether Hit() may be asked at any time, not only while the frame's batch is pushed.
  virtual bool AnyTime() const { return false; }

  // Where a platform is; its name for the plan; its index by name, -1 where unknown.
  virtual Placement PlatformPose(std::int64_t frame, int platform) const;
  virtual std::string PlatformName(int platform) const;
  virtual int FindPlatform(const std::string& name) const;
};

// An infinite plane: flat or tilted.
class PlaneGround : public GroundQuery {
 public:
  // REQUIRES: `normal` has unit length and is not orthogonal to `up`.
  PlaneGround(Vec3d point, Vec3d normal, Vec3d up) : point_(point), normal_(normal), up_(up) {}
  std::optional<GroundHit> Hit(std::int64_t frame, int foot, FootPoint point,
                               const Vec3d& position) const override;

 private:
  Vec3d point_, normal_, up_;
};

// A level floor whose height moves with the clip: knots every half second from frame 0 on,
// between them a cubic, the outer knots held.
class RollingGround : public GroundQuery {
 public:
  // REQUIRES: at least one knot.
  RollingGround(std::vector<float> knots, double frames_per_second, Vec3d up);
  std::optional<GroundHit> Hit(std::int64_t frame, int foot, FootPoint point,
                               const Vec3d& position) const override;
  double Height(std::int64_t frame) const;

  static constexpr double kKnotSeconds = 0.5;

 private:
  double Knot(std::int64_t i) const;

  std::vector<float> knots_;
  double frames_per_knot_;
  Vec3d up_;
};

}  // namespace ikstream
