// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// What is solved: a skeleton, chains over it, and the limits of its joints. Plain data with the
// defaults in; Rig::Create checks it and works out what the solvers need.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "core/math.h"
#include "core/skeleton.h"

namespace ikstream {

enum class UpAxis { kY, kZ };

// Limits of a joint, relative to its rest rotation: d = rest^-1 * local. Radians.
struct HingeLimit {
  Vec3f axis;  // in the rest frame; made unit by Rig::Create
  float min = 0, max = 0;
};
struct SwingTwistLimit {
  std::optional<Vec3f> twist_axis;  // default: the bone's axis
  std::optional<Vec3f> swing_axis;  // default: the rig axis least along twist_axis
  float swing_x = 0, swing_y = 0;   // half angles of the ellipse, 0..pi
  float twist_min = 0, twist_max = 0;
};
struct EulerLimit {
  Vec3f min, max;  // d = Rz * Ry * Rx
};
using JointLimit = std::variant<std::monostate, HingeLimit, SwingTwistLimit, EulerLimit>;

enum class PoleKind { kNone, kPoint, kDirection };
struct Pole {
  PoleKind kind = PoleKind::kNone;
  Vec3f value;       // where no track is given
  float weight = 1;  // 0..1
};

struct ChainSpec {
  std::string name;
  int root_joint = 0;  // the first joint that turns
  int end_joint = 0;   // its origin or tip is the end effector
  std::optional<Vec3f> tip_offset;
  std::string solver = "auto";
  int max_iterations = 16;
  std::optional<float> tolerance;            // rig units; default 1e-3 x chain length
  float rotation_tolerance = 0.0087266463f;  // 0.5 degrees
  Pole pole;
  bool keep_end_rotation = false;
  float rotation_weight = 1;
  int priority = 0;
};

struct RigSpec {
  std::vector<Joint> joints;
  std::vector<ChainSpec> chains;
  std::vector<JointLimit> limits;      // one per joint, or empty
  std::vector<float> stiffness;        // one per joint, or empty (1 each)
  std::vector<int> translated_joints;  // whose translations the motion carries
  UpAxis up = UpAxis::kY;
};

// A chain, checked and measured. Bones run from the origin of driven[k] to that of driven[k+1];
// the last one ends at the end effector.
struct Chain {
  ChainSpec spec;
  int solver = 0;            // index in Solvers() (core/solver_list.h)
  std::vector<int> prefix;   // joints above root_joint, from the skeleton's root down
  std::vector<int> driven;   // joints that turn, from root_joint down
  std::vector<Vec3f> bones;  // bones[k]: the bone of driven[k] in its own frame, rig units
  bool turns_end = false;    // the end joint's rotation is solved too (rotation target)
  float length = 0;          // of all bones, rest offsets
  float tolerance = 0;       // rig units
};

// Immutable after Create; any number of threads may read it.
class Rig {
 public:
  // Errors name `chains[i].end_joint`, `limits[i].max` and so on.
  static absl::StatusOr<Rig> Create(RigSpec spec);

  const Skeleton& skeleton() const { return skeleton_; }
  std::span<const Chain> chains() const { return chains_; }
  // The order in which chains are solved: by priority, then as given.
  std::span<const int> solve_order() const { return solve_order_; }
  const JointLimit& limit(int joint) const { return limits_[joint]; }
  float stiffness(int joint) const { return stiffness_[joint]; }
  std::span<const int> translated_joints() const { return translated_; }
  UpAxis up() const { return up_; }
  // Joints that any chain turns, in the skeleton's order of indices.
  std::span<const int> driven_joints() const { return driven_; }

 private:
  explicit Rig(Skeleton skeleton) : skeleton_(std::move(skeleton)) {}

  Skeleton skeleton_;
  std::vector<Chain> chains_;
  std::vector<int> solve_order_;
  std::vector<JointLimit> limits_;
  std::vector<float> stiffness_;
  std::vector<int> translated_;
  std::vector<int> driven_;
  UpAxis up_ = UpAxis::kY;
};

}  // namespace ikstream
