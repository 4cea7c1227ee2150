// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "motion/leg_pose.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "motion/legs.h"

namespace ikstream {
namespace {

// The lowest common ancestor of the joints above the hips.
int FindPelvis(const Skeleton& skeleton, const std::vector<Foot>& feet) {
  int pelvis = -1;
  for (const Foot& foot : feet) {
    const int parent = skeleton.joint(foot.hip_joint).parent;
    const int above = parent < 0 ? foot.hip_joint : parent;
    if (pelvis < 0) pelvis = above;
    while (skeleton.Path(pelvis, above).empty()) pelvis = skeleton.joint(pelvis).parent;
  }
  return pelvis < 0 ? skeleton.root() : pelvis;
}

}  // namespace

double LegPose::KneeBend() const {
  const Vec3d a = knee - hip, b = ankle() - knee;
  return std::atan2(Length(Cross(a, b)), Dot(a, b));
}

LegTracker::LegTracker(const ClipSpec& clip) : slot_of_joint_(clip.skeleton->size(), -1) {
  pelvis_ = FindPelvis(*clip.skeleton, clip.feet);
  pelvis_slot_ = AddJoint(clip, pelvis_);
  for (const Foot& foot : clip.feet) AddFoot(clip, foot);
  InterleaveLegs();
  positions_.resize(nodes_.size());
  rotations_.resize(nodes_.size());
}

int LegTracker::AddJoint(const ClipSpec& clip, int joint) {
  if (slot_of_joint_[joint] >= 0) return slot_of_joint_[joint];
  const Joint& source = clip.skeleton->joint(joint);
  Node node;
  node.joint = joint;
  node.parent_slot = source.parent < 0 ? -1 : AddJoint(clip, source.parent);
  node.depth = node.parent_slot < 0 ? 0 : nodes_[node.parent_slot].depth + 1;
  const auto& translated = clip.translated_joints;
  const auto found = std::find(translated.begin(), translated.end(), joint);
  node.translated =
      found == translated.end() ? -1 : static_cast<int>(found - translated.begin());
  node.offset = Cast<double>(source.offset);
  nodes_.push_back(node);
  return slot_of_joint_[joint] = static_cast<int>(nodes_.size()) - 1;
}

// Joints of one depth side by side: each waits for its parent, not for those of other legs.
void LegTracker::InterleaveLegs() {
  std::vector<int> order(nodes_.size()), slot_of(nodes_.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return nodes_[a].depth < nodes_[b].depth; });
  std::vector<Node> sorted;
  for (const int slot : order) {
    slot_of[slot] = static_cast<int>(sorted.size());
    sorted.push_back(nodes_[slot]);
  }
  nodes_ = std::move(sorted);
  const auto move = [&](int& slot) { slot = slot < 0 ? slot : slot_of[slot]; };
  for (Node& node : nodes_) move(node.parent_slot);
  for (int& slot : slot_of_joint_) move(slot);
  for (FootSlots& foot : feet_)
    for (int* slot : {&foot.hip_parent, &foot.hip, &foot.knee, &foot.ankle, &foot.toe})
      move(*slot);
  move(pelvis_slot_);
}

void LegTracker::AddFoot(const ClipSpec& clip, const Foot& foot) {
  const Skeleton& skeleton = *clip.skeleton;
  FootSlots slots;
  FootShape shape;
  slots.hip = AddJoint(clip, foot.hip_joint);
  slots.hip_parent = nodes_[slots.hip].parent_slot;
  slots.knee = AddJoint(clip, *foot.knee_joint);
  slots.ankle = AddJoint(clip, foot.ankle_joint);
  slots.toe = -1;
  if (foot.toe_joint) {
    slots.toe = AddJoint(clip, *foot.toe_joint);
    shape.has_toe = true;
    const auto end = BoneEnd(skeleton, *foot.toe_joint);
    shape.has_tip = end && Length(*end) > 0;
    if (shape.has_tip) slots.tip = Cast<double>(*end);
    shape.tip_length = Length(slots.tip);
  } else if (const auto& tip = skeleton.joint(foot.ankle_joint).tip; tip && Length(*tip) > 0) {
    shape.has_toe = true;
    slots.toe_point = Cast<double>(*tip);
  }
  shape.two_bones = skeleton.Path(foot.hip_joint, foot.ankle_joint).size() == 3;
  shape.leg_length = LegLength(skeleton, foot);
  feet_.push_back(slots);
  shapes_.push_back(shape);
}

Vec3d LegTracker::Read(const PoseView& pose, std::span<LegPose> legs) {
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    const Quatd local = Cast<double>(LoadQuat(pose.local_rotations + 4 * node.joint));
    if (node.parent_slot < 0) {
      positions_[i] = Cast<double>(LoadVec3(pose.root_position));
      rotations_[i] = Normalized(local);
      continue;
    }
    const Vec3d offset =
        node.translated >= 0 && pose.local_translations != nullptr
            ? Cast<double>(LoadVec3(pose.local_translations + 3 * node.translated))
            : node.offset;
    positions_[i] = positions_[node.parent_slot] + Rotate(rotations_[node.parent_slot], offset);
    rotations_[i] = Normalized(rotations_[node.parent_slot] * local);
  }
  for (size_t f = 0; f < feet_.size(); ++f) {
    const FootSlots& slots = feet_[f];
    LegPose& leg = legs[f];
    leg.hip = positions_[slots.hip];
    leg.knee = positions_[slots.knee];
    leg.hip_parent = slots.hip_parent < 0 ? Quatd{} : rotations_[slots.hip_parent];
    leg.thigh = rotations_[slots.hip];
    leg.shin = rotations_[slots.knee];
    leg.foot = rotations_[slots.ankle];
    leg.toe = slots.toe < 0 ? leg.foot : rotations_[slots.toe];
    leg.points[0] = positions_[slots.ankle];
    leg.points[1] = slots.toe < 0 ? leg.points[0] + Rotate(leg.foot, slots.toe_point)
                                  : positions_[slots.toe];
    leg.points[2] = leg.points[1] + Rotate(leg.toe, slots.tip);
  }
  return positions_[pelvis_slot_];
}

}  // namespace ikstream
