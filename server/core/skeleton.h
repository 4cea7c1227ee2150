// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// A checked tree of joints and forward kinematics over packed poses.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/math.h"

namespace ikstream {

// Coordinates may be as large as this, rig units, and a chain's bones together as short as
// kMinChainLength: the solvers work in single precision and form fourth powers of lengths.
inline constexpr float kMaxCoordinate = 1e8f;
inline constexpr float kMinChainLength = 1e-6f;

// One joint as the caller gives it. Lengths in rig units.
struct Joint {
  std::string name;
  int parent = -1;                // index of the parent, -1 for the root
  Vec3f offset;                   // origin in the parent's frame
  Quatf rest;                     // local rotation of the rest pose, unit
  std::optional<Vec3f> tip = {};  // end of a leaf's bone (a BVH End Site)
};

// Immutable after Create; any number of threads may read it.
class Skeleton {
 public:
  // Checks: at least one joint, exactly one root, parents in range, no cycle,
  // coordinates within kMaxCoordinate, unit rest rotations. Errors name `joints[i].parent` and
  // so on.
  static absl::StatusOr<Skeleton> Create(std::vector<Joint> joints);

  int size() const { return static_cast<int>(joints_.size()); }
  int root() const { return order_.front(); }
  const Joint& joint(int i) const { return joints_[i]; }
  std::span<const Joint> joints() const { return joints_; }
  // All joints, parents before children.
  std::span<const int> order() const { return order_; }
  std::span<const int> children(int i) const { return children_[i]; }

  // Joints from `from` down to `to`, both included; empty where `to` is no descendant of
  // `from`.
  std::vector<int> Path(int from, int to) const;

 private:
  std::vector<Joint> joints_;
  std::vector<int> order_;
  std::vector<std::vector<int>> children_;
};

// One frame of packed motion (the wire's layout). Pointers stay owned by the caller.
struct PoseView {
  const float* root_position = nullptr;       // 3
  const float* local_rotations = nullptr;     // 4 J, x y z w, unit
  const float* local_translations = nullptr;  // 3 T, or null
};

// Positions and rotations in the space of root_position, by joint, double precision.
struct ModelPose {
  std::vector<Vec3d> positions;
  std::vector<Quatd> rotations;
};

// Forward kinematics. `translated` lists the joints of local_translations, in their order; the
// values replace offsets. Resizes `out` once; no allocation after that.
void ForwardKinematics(const Skeleton& skeleton, const PoseView& pose,
                       std::span<const int> translated, ModelPose& out);

}  // namespace ikstream
