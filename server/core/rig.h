// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// What is solved: a skeleton, chains over it, and the limits of its joints. Plain data with the
// defaults in; Rig::Create checks it and works out what the solvers need.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/body.h"
#include "core/bounds.h"
#include "core/colliders.h"
#include "core/math.h"
#include "core/plane.h"
#include "core/skeleton.h"

namespace ikstream {

enum class UpAxis { kY, kZ };

enum class PoleKind { kNone, kPoint, kDirection };
struct Pole {
  PoleKind kind = PoleKind::kNone;
  Vec3f value;       // where no track is given
  float weight = 1;  // 0..1
};

// Slows the approach to full extension: up to cap - zone of the length of the chain the target
// is met, beyond that the distance d becomes cap - zone exp(-(d - (cap - zone)) / zone).
struct SoftReach {
  float cap = 1, zone = 0.01f;  // shares of the chain's length
};

// Smoothing over time; 0: off. Needs RigSpec::frames_per_second (core/temporal.h).
struct Temporal {
  double target_half_life = 0;     // seconds
  double one_euro_min_cutoff = 0;  // hertz
  double one_euro_beta = 0;        // hertz per rad/s; needs one_euro_min_cutoff
  double weight_rise = 0;          // per second
  double weight_fall = 0;

  bool active() const {
    return target_half_life > 0 || one_euro_min_cutoff > 0 || weight_rise > 0 ||
           weight_fall > 0;
  }
};

// What becomes of frames between solved ones (core/between.h).
enum class FramesBetween { kInterpolate, kHoldEased };

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
  std::optional<Vec3f> plane_normal;  // planar; in the frame of root_joint's parent
  bool keep_end_rotation = false;
  float rotation_weight = 1;
  std::optional<SoftReach> soft_reach;
  // Share of their length by which bones may lengthen towards a target out of reach; all joints
  // at the bones' ends must then be of RigSpec::translated_joints (core/stretch.h).
  float max_stretch = 0;
  // Lower numbers are solved first. Joints that they drive are no longer this chain's to turn:
  // it starts below them.
  int priority = 0;
  bool angular_velocities = false;  // will be asked for: needs RigSpec::frames_per_second
  std::optional<Vec3f> aim_axis;    // "aim": in the end joint's frame; default: its bone's
  std::string group;                // "body": chains of one group are solved together
  float effector_weight = 1;        // "body": among those of its priority; above 0
  std::optional<float> closeness;   // "body", "jacobian": pull of the null space to the input
                                    // pose, 0..1; default: 0.05, 0
  Temporal temporal;
  int solve_every = 1;  // frames; 1..kMostTogether
  FramesBetween between = FramesBetween::kInterpolate;
};

struct RigSpec {
  std::vector<Joint> joints;
  std::vector<ChainSpec> chains;
  std::vector<JointLimit> limits;  // one per joint, or empty
  std::vector<float> stiffness;    // one per joint, or empty (1 each)
  std::vector<Collider> colliders;
  std::vector<int> translated_joints;  // whose translations the motion carries
  UpAxis up = UpAxis::kY;
  double frames_per_second = 0;  // only for what depends on time; 0: unknown
};

// A chain, checked and measured. Bones run from the origin of driven[k] to that of driven[k+1];
// the last one ends at the end effector.
struct Chain {
  ChainSpec spec;
  int solver = 0;            // index in Solvers() (core/solver_list.h)
  std::vector<int> prefix;   // joints above root_joint, from the skeleton's root down
  std::vector<int> driven;   // joints that turn, from root_joint down
  std::vector<Vec3f> bones;  // bones[k]: the bone of driven[k] in its own frame, rig units
  bool turns_end = false;    // the end joint (end_joint) is not of driven, but can be turned
  float length = 0;          // of all bones, rest offsets
  float tolerance = 0;       // rig units

  std::vector<int> turned;         // driven, then end_joint where turns_end
  std::vector<JointBound> bounds;  // of turned
  std::vector<float> lengths;      // of bones
  std::vector<Vec3f> axes;         // unit directions of bones, zero where they have no length
  std::vector<int> bone_slots;     // translation (of translated_joints) that is bones[k], or -1
  std::vector<Vec3f> prefix_offsets;  // of prefix[1..] and root_joint in their parents' frames
  std::vector<int> prefix_slots;      // their translations, or -1
  Vec3f rest_bend;       // where the rest pose bends to, in the frame of root_joint's parent
  bool limited = false;  // a turned joint has a limit
  std::optional<Plane> plane;            // of a planar chain
  std::vector<ChainCollider> colliders;  // that it must not enter
  ColliderPlaces collider_places;
  bool moving_bones = false;  // a bone has a translation
  bool two_bones = false;     // exactly two, both with a length
  bool even = true;           // all driven joints have stiffness 1
  float pull = 0;             // "jacobian": ChainSpec::closeness
  Vec3f aim_axis;  // unit, in the end joint's frame; zero where the chain does not aim
  int group = -1;  // index in Rig::groups()
  // What is solved after it turns or moves joints on which its end, or a collider of its own,
  // depends: its residuals are measured once more in the end.
  bool moved_later = false;

  bool aims() const { return aim_axis != Vec3f{}; }
  std::vector<std::ptrdiff_t> pose_offsets;    // of turned joints in a frame of all joints
  std::vector<std::ptrdiff_t> packed_offsets;  // of turned joints in a row of them alone
  std::vector<float> shares;                   // 1 / stiffness of driven, scaled to at most 1
};

// Immutable after Create; any number of threads may read it.
class Rig {
 public:
  // The most that frames_together() may come to.
  static constexpr int kMostTogether = 1024;

  // Errors name `chains[i].end_joint`, `limits[i].max` and so on.
  static absl::StatusOr<Rig> Create(RigSpec spec);

  const Skeleton& skeleton() const { return skeleton_; }
  std::span<const Chain> chains() const { return chains_; }
  // The order in which chains are solved: by priority, then as given.
  std::span<const int> solve_order() const { return solve_order_; }
  const JointLimit& limit(int joint) const { return limits_[joint]; }
  std::span<const Collider> colliders() const { return colliders_; }
  float stiffness(int joint) const { return stiffness_[joint]; }
  std::span<const int> translated_joints() const { return translated_; }
  // The joint's place in translated_joints(), -1 where it is not there.
  int translation_of(int joint) const { return translation_of_[joint]; }
  UpAxis up() const { return up_; }
  double frames_per_second() const { return frames_per_second_; }
  // Chains that are solved together, each group in the place of its first chain.
  std::span<const BodyGroup> groups() const { return groups_; }
  // Whether solving moves the root.
  bool moves_root() const;
  // Answers need frames to come up to one whose index divides by this: the least common
  // multiple of solve_every over chains that interpolate; 1 where none does.
  int frames_together() const { return frames_together_; }
  // Whether solving changes translations.
  bool stretches() const;
  // Joints that any chain turns, in the skeleton's order of indices.
  std::span<const int> driven_joints() const { return driven_; }

 private:
  explicit Rig(Skeleton skeleton) : skeleton_(std::move(skeleton)) {}
  absl::Status BuildChains(std::vector<ChainSpec> specs);
  absl::Status ShareJoints();
  absl::Status GiveWay(size_t chain, const std::vector<int>& lowest);
  void FindMovedLater();

  Skeleton skeleton_;
  std::vector<Chain> chains_;
  std::vector<int> solve_order_;
  std::vector<JointLimit> limits_;
  std::vector<float> stiffness_;
  std::vector<Collider> colliders_;
  std::vector<int> translated_;
  std::vector<int> translation_of_;
  std::vector<int> driven_;
  std::vector<BodyGroup> groups_;
  UpAxis up_ = UpAxis::kY;
  double frames_per_second_ = 0;
  int frames_together_ = 1;
};

}  // namespace ikstream
