// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Spheres and capsules bound to joints, that no bone of a chain may enter.
#pragma once

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "core/math.h"

namespace ikstream {

struct Collider {
  int joint = 0;                // that carries it
  Vec3f a;                      // one end, in the joint's frame
  std::optional<Vec3f> b;       // the other; unset: a sphere about a
  float radius = 0;             // rig units
  float skin = 0;               // thickness of bones, added to the radius
  std::vector<int> ignored_by;  // chains
};

// A collider as one chain meets it.
struct ChainCollider {
  int place = 0;     // of its joint in ColliderPlaces::joints
  Vec3f a, b;        // in the joint's frame
  float radius = 0;  // with the skin
  int carrier = -1;  // it moves with turned joint `carrier` and meets the bones beyond; -1: all
};

// The joints whose place decides where a chain's colliders are, parents before children.
struct ColliderPlaces {
  std::vector<int> joints;
  std::vector<int> parents;  // places in `joints`, -1 for the root
  std::vector<int> turned;   // places of the chain's turned joints, -1 where not needed
  int above = -1;            // place of root_joint's parent
  int root = -1;             // place of root_joint
};

class Rig;
struct Chain;
struct MotionView;

// Errors name `joint`, `a`, `b`, `radius`, `skin` or `ignored_by[0]`.
absl::Status CheckCollider(const Collider& collider, int joints, int chains);

// Fills chain.colliders and chain.collider_places: all colliders but those that it ignores and
// those bound to its own joints, or to joints beyond its end. `index`: the chain's.
void FindColliders(const Rig& rig, int index, Chain& chain);

// Where a chain's colliders are, frame by frame: a pass before the lanes.
class ColliderTrack {
 public:
  // Both outlive this.
  ColliderTrack(const Rig& rig, const Chain& chain);

  // Six floats (a, b) per collider and frame, in the frame of root_joint's parent centred at
  // root_joint, or in that of the carrier. `pose` as earlier chains left it (4 J F floats).
  void Place(const MotionView& motion, const float* pose, float* out);

 private:
  struct Frame {
    Vec3d origin;
    Quatd rotation;
  };
  void Load(const MotionView& motion, const float* pose, int f);
  Vec3f Seen(const Frame& from, const ChainCollider& collider, Vec3f point) const;

  const Rig& rig_;
  const Chain& chain_;
  std::vector<Frame> frames_;  // of ColliderPlaces::joints
  std::vector<int> slots_;     // their translations, or -1
};

}  // namespace ikstream
