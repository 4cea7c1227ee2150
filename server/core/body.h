// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Chains that are solved together: the tree of joints above their ends, and what the solver
// "body" gets and gives. Used by Rig, BodyState and core/solvers/body.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/bounds.h"
#include "core/math.h"

namespace ikstream {

class Rig;
enum class FramesBetween;
struct ChainTargets;
struct FrameOutcome;
struct MotionView;

// A joint of the tree, parents first, from the skeleton's root down.
struct BodyNode {
  int joint = 0;
  int parent = -1;         // a node
  Vec3f offset;            // origin in the parent's frame
  int slot = -1;           // its translation (of translated_joints), or -1
  bool turns = false;      // a chain of the group drives it
  std::uint32_t ends = 0;  // effectors that end here without a tip: it turns for their rotation
  std::uint32_t above = 0;  // effectors whose end is at or below it
  JointBound bound;
  float share = 1;      // 1 / stiffness, scaled to at most 1
  float closeness = 0;  // the greatest of its chains'

  // Whether it turns where the effectors `rotating` have a rotation target.
  bool TurnsFor(std::uint32_t rotating) const { return turns || (ends & rotating) != 0; }
};

struct BodyEffector {
  int chain = 0;      // index in Rig::chains()
  int node = 0;       // of the end joint
  int root_node = 0;  // of the chain's root joint
  Vec3f tip;          // of the end in the end joint's frame
  float weight = 1;   // among those of its priority
  int priority = 0;
  float reach = 0, fold = 0;  // greatest and least distance from root_node
};

struct BodyGroup {
  static constexpr int kMaxEffectors = 16;

  std::string name;
  std::vector<BodyEffector> effectors;  // by priority, then as given
  std::vector<BodyNode> nodes;
  std::vector<int> turned;  // nodes that may turn, in the order of answers
  bool moves_root = false;  // a chain starts at the skeleton's root
  float root_share = 1;     // how willingly it moves
  float size = 0;           // the longest way from the skeleton's root to an end
  int max_iterations = 0;

  // Where its chains set them, they agree.
  int solve_every = 1;
  FramesBetween between{};
  double one_euro_min_cutoff = 0, one_euro_beta = 0;
};

// The groups of the rig, in the order in which they are solved. Errors name `chains[i].group`.
// REQUIRES: the rig's chains and their order are set.
absl::StatusOr<std::vector<BodyGroup>> BuildGroups(const Rig& rig);

// One solve: a frame with some of the effectors.
struct BodyItem {
  std::int32_t frame = 0;
  std::uint32_t active = 0;  // effectors that take part
};

struct BodyJob {
  const BodyGroup* group = nullptr;
  const Rig* rig = nullptr;
  const MotionView* motion = nullptr;
  const float* pose = nullptr;            // 4 J F: as earlier chains left it
  const ChainTargets* targets = nullptr;  // of all chains of the rig
  std::span<const BodyItem> items;
  // Answers by item.
  float* solved = nullptr;           // 4 per turned node
  float* moves = nullptr;            // 3: what the root moved by
  FrameOutcome* outcomes = nullptr;  // one per effector; `changed` is the same in all
};

}  // namespace ikstream
